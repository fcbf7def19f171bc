"""Functions that stay on Python, each for one reason."""

import torch
import torch.nn.functional as F
from rextio_torch.types import TensorF32Cpu1D, TensorF32Cpu2D


def returns_its_input(x: TensorF32Cpu2D, times: int) -> TensorF32Cpu2D:
    out = x
    for _ in range(times):
        out = out.relu()
    return out


def linear_of_a_vector(
    x: TensorF32Cpu1D, weight: TensorF32Cpu2D, bias: TensorF32Cpu1D
) -> TensorF32Cpu2D:
    return F.linear(x, weight, bias)


def linear_without_bias(x: TensorF32Cpu2D, weight: TensorF32Cpu2D) -> TensorF32Cpu2D:
    return F.linear(x, weight)


def linear_with_keyword(
    x: TensorF32Cpu2D, weight: TensorF32Cpu2D, bias: TensorF32Cpu1D
) -> TensorF32Cpu2D:
    return F.linear(x, weight, bias=bias)


def mean_of_columns(x: TensorF32Cpu2D) -> TensorF32Cpu1D:
    return x.mean(dim=0, keepdim=False)


def mean_negative(x: TensorF32Cpu2D) -> TensorF32Cpu1D:
    return x.mean(dim=-1, keepdim=False)


def mean_kept(x: TensorF32Cpu2D) -> TensorF32Cpu2D:
    return x.mean(dim=1, keepdim=True)


def mean_positional(x: TensorF32Cpu2D) -> TensorF32Cpu1D:
    return x.mean(1, keepdim=False)


def mean_dynamic(x: TensorF32Cpu2D, axis: int) -> TensorF32Cpu1D:
    return x.mean(dim=axis, keepdim=False)


def mean_without_keepdim(x: TensorF32Cpu2D) -> TensorF32Cpu1D:
    return x.mean(dim=1)


def sum_of_a_vector(x: TensorF32Cpu1D) -> TensorF32Cpu1D:
    return x.sum(dim=1, keepdim=False)


def matmul_of_a_vector(a: TensorF32Cpu1D, b: TensorF32Cpu2D) -> TensorF32Cpu2D:
    return a @ b


def matmul_call_of_a_vector(a: TensorF32Cpu2D, b: TensorF32Cpu1D) -> TensorF32Cpu1D:
    return torch.matmul(a, b)


def relu_with_argument(x: TensorF32Cpu2D) -> TensorF32Cpu2D:
    return x.relu(1)


def softmax(x: TensorF32Cpu2D) -> TensorF32Cpu2D:
    return torch.softmax(x, dim=-1)


def relu_function(x: TensorF32Cpu2D) -> TensorF32Cpu2D:
    return torch.relu(x)


def in_place_relu(x: TensorF32Cpu2D) -> TensorF32Cpu2D:
    return x.relu_()


def multiplied(x: TensorF32Cpu2D, y: TensorF32Cpu2D) -> TensorF32Cpu2D:
    return x * y


def plus_one(x: TensorF32Cpu2D) -> TensorF32Cpu2D:
    return x + 1


def added_in_place(x: TensorF32Cpu2D, y: TensorF32Cpu2D) -> TensorF32Cpu2D:
    out = x + y
    out += y
    return out


def transposed(x: TensorF32Cpu2D) -> TensorF32Cpu2D:
    return x.transpose(0, 1)


def receiver_is_a_sum(
    x: TensorF32Cpu2D, weight: TensorF32Cpu2D, bias: TensorF32Cpu1D
) -> TensorF32Cpu2D:
    return (x @ weight + bias).relu()


def compared(x: TensorF32Cpu1D) -> TensorF32Cpu1D:
    if x > 0:
        return x.relu()
    return x.tanh()
