"""Each form of each rule, alone."""

import torch
import torch.nn.functional
import torch.nn.functional as F
from rextio_torch.types import TensorF32Cpu1D, TensorF32Cpu2D


def linear(x: TensorF32Cpu2D, weight: TensorF32Cpu2D, bias: TensorF32Cpu1D) -> TensorF32Cpu2D:
    return F.linear(x, weight, bias)


def linear_in_full(
    x: TensorF32Cpu2D, weight: TensorF32Cpu2D, bias: TensorF32Cpu1D
) -> TensorF32Cpu2D:
    return torch.nn.functional.linear(x, weight, bias)


def relu_1d(x: TensorF32Cpu1D) -> TensorF32Cpu1D:
    return x.relu()


def relu_2d(x: TensorF32Cpu2D) -> TensorF32Cpu2D:
    return x.relu()


def sigmoid_1d(x: TensorF32Cpu1D) -> TensorF32Cpu1D:
    return x.sigmoid()


def sigmoid_2d(x: TensorF32Cpu2D) -> TensorF32Cpu2D:
    return x.sigmoid()


def tanh_1d(x: TensorF32Cpu1D) -> TensorF32Cpu1D:
    return x.tanh()


def tanh_2d(x: TensorF32Cpu2D) -> TensorF32Cpu2D:
    return x.tanh()


def mean(x: TensorF32Cpu2D) -> TensorF32Cpu1D:
    return x.mean(dim=1, keepdim=False)


def mean_keywords_reversed(x: TensorF32Cpu2D) -> TensorF32Cpu1D:
    return x.mean(keepdim=False, dim=1)


def total(x: TensorF32Cpu2D) -> TensorF32Cpu1D:
    return x.sum(dim=1, keepdim=False)


def total_keywords_reversed(x: TensorF32Cpu2D) -> TensorF32Cpu1D:
    return x.sum(keepdim=False, dim=1)


def matmul_operator(a: TensorF32Cpu2D, b: TensorF32Cpu2D) -> TensorF32Cpu2D:
    return a @ b


def matmul_function(a: TensorF32Cpu2D, b: TensorF32Cpu2D) -> TensorF32Cpu2D:
    return torch.matmul(a, b)


def matmul_method(a: TensorF32Cpu2D, b: TensorF32Cpu2D) -> TensorF32Cpu2D:
    return a.matmul(b)


def add_1d(a: TensorF32Cpu1D, b: TensorF32Cpu1D) -> TensorF32Cpu1D:
    return a + b


def add_2d(a: TensorF32Cpu2D, b: TensorF32Cpu2D) -> TensorF32Cpu2D:
    return a + b


def add_bias(a: TensorF32Cpu2D, b: TensorF32Cpu1D) -> TensorF32Cpu2D:
    return a + b


def bias_add(a: TensorF32Cpu1D, b: TensorF32Cpu2D) -> TensorF32Cpu2D:
    return a + b
