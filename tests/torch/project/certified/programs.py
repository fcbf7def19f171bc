"""Whole programs: the three of the contract, and what users build of the same parts."""

import torch
import torch.nn.functional as F
from rextio_torch.types import TensorF32Cpu1D, TensorF32Cpu2D


def pooled_layer(x: TensorF32Cpu2D, weight: TensorF32Cpu2D, bias: TensorF32Cpu1D) -> TensorF32Cpu1D:
    return F.linear(x, weight, bias).relu().mean(dim=1, keepdim=False)


def alternating_layers(
    x: TensorF32Cpu2D,
    weight: TensorF32Cpu2D,
    bias: TensorF32Cpu1D,
    depth: int,
    phase: int,
) -> TensorF32Cpu1D:
    hidden = x
    for layer in range(depth):
        if (layer + phase) % 2 == 0:
            even = hidden @ weight + bias
            hidden = even.relu()
        else:
            odd = hidden @ weight + bias
            hidden = odd.sigmoid()
    return hidden.mean(dim=1, keepdim=False)


def expanded_surface(
    x: TensorF32Cpu2D, weight: TensorF32Cpu2D, offset: TensorF32Cpu1D
) -> TensorF32Cpu1D:
    hidden = torch.matmul(x, weight)
    hidden = hidden.tanh()
    hidden = hidden + hidden
    hidden = hidden.matmul(weight)
    reduced = hidden.sum(dim=1, keepdim=False)
    reduced = reduced + offset
    return reduced.relu().sigmoid().tanh()


def two_layers(
    x: TensorF32Cpu2D,
    first: TensorF32Cpu2D,
    first_bias: TensorF32Cpu1D,
    second: TensorF32Cpu2D,
    second_bias: TensorF32Cpu1D,
) -> TensorF32Cpu2D:
    return F.linear(F.linear(x, first, first_bias).tanh(), second, second_bias).sigmoid()


def kept_and_used(x: TensorF32Cpu2D, weight: TensorF32Cpu2D) -> TensorF32Cpu2D:
    # Both branches start from one tensor, which neither may change.
    kept = x @ weight
    left = kept.relu()
    right = kept.tanh()
    both = left + right
    return both + kept


def renamed(x: TensorF32Cpu2D) -> TensorF32Cpu2D:
    first = x.relu()
    other = first
    changed = first.tanh()
    return changed + other


def residual(x: TensorF32Cpu2D, weight: TensorF32Cpu2D, depth: int) -> TensorF32Cpu2D:
    hidden = x.relu()
    for _ in range(depth):
        step = hidden @ weight
        hidden = hidden + step.tanh()
    return hidden


def summed_rows(x: TensorF32Cpu2D, times: int, scale: float) -> TensorF32Cpu1D:
    total = x.sum(dim=1, keepdim=False)
    if scale > 0.5:
        for _ in range(times):
            total = total + total.sigmoid()
    return total


def early(x: TensorF32Cpu1D, flag: bool) -> TensorF32Cpu1D:
    if flag:
        return x.relu()
    return x.tanh() + x
