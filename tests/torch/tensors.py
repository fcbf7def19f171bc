"""Tensors to certify with, and what must agree between a native result and eager PyTorch's."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from torch import Tensor

RELATIVE = 1e-6
"""How far a native result may be from eager's, relative to the larger of value and 1."""

Make = Callable[..., Tensor]


def normal(*shape: int, seed: int = 0) -> Tensor:
    """A contiguous tensor of normally distributed values."""
    generator = torch.Generator().manual_seed(seed + sum(shape))
    return torch.randn(*shape, generator=generator)


def strided(*shape: int) -> Tensor:
    """Every second element of a larger tensor, along each axis."""
    return normal(*(2 * length for length in shape))[tuple(slice(None, None, 2) for _ in shape)]


def transposed(*shape: int) -> Tensor:
    """A tensor in Fortran order."""
    return normal(*reversed(shape)).permute(*reversed(range(len(shape))))


def expanded(*shape: int) -> Tensor:
    """One element, repeated with stride 0."""
    return normal(*(1 for _ in shape)).expand(*shape)


def offset(*shape: int) -> Tensor:
    """A part of a larger storage that starts at its second element."""
    count = torch.Size(shape).numel()
    return normal(count + 1)[1:].view(*shape)


def special(*shape: int) -> Tensor:
    """NaN, both infinities, both zeros, the smallest and largest numbers, in turn."""
    info = torch.finfo(torch.float32)
    values = [
        0.0,
        -0.0,
        1.5,
        float("inf"),
        info.tiny,
        float("nan"),
        float("-inf"),
        info.max,
        -1e-45,
    ]
    count = torch.Size(shape).numel()
    return torch.tensor(values).repeat(count // len(values) + 1)[:count].view(*shape)


def requiring_grad(*shape: int) -> Tensor:
    """A leaf that records gradients in eager PyTorch."""
    return normal(*shape).requires_grad_()


def parameter(*shape: int) -> Tensor:
    """What a module holds."""
    return torch.nn.Parameter(normal(*shape))


LAYOUTS: Mapping[str, Make] = {
    "contiguous": normal,
    "strided": strided,
    "transposed": transposed,
    "expanded": expanded,
    "offset": offset,
    "special": special,
    "requiring grad": requiring_grad,
    "parameter": parameter,
}


def same_tensor(native: object, eager: object) -> bool:
    """Whether a native result is eager's: dtype, device, shape, memory order and values.

    A native result never records gradients, whatever eager's does.
    """
    if not (isinstance(native, Tensor) and isinstance(eager, Tensor)):
        return False
    headers = [(type(t), t.dtype, t.device, t.shape, t.stride(), t.layout) for t in (native, eager)]
    return headers[0] == headers[1] and not native.requires_grad and close(native, eager.detach())


def close(native: Tensor, eager: Tensor) -> bool:
    """Whether values agree; NaN with NaN, an infinity with itself."""
    return bool(torch.allclose(native, eager, rtol=RELATIVE, atol=RELATIVE, equal_nan=True))


def untouched(before: object, after: object) -> bool:
    """Whether an argument is bit for bit what it was."""
    if not isinstance(before, Tensor):
        return before == after
    assert isinstance(after, Tensor)
    left, right = (t.detach().contiguous().view(torch.int32) for t in (before, after))
    return bool(torch.equal(left, right)) and before.stride() == after.stride()


def copies(arguments: tuple[object, ...]) -> tuple[object, ...]:
    """Copies that keep strides, storage offset and whether gradients are recorded."""
    return tuple(_copy(one) if isinstance(one, Tensor) else one for one in arguments)


def _copy(tensor: Tensor) -> Tensor:
    storage = tensor.detach().untyped_storage().clone()
    copied = torch.empty(0).set_(storage, tensor.storage_offset(), tensor.shape, tensor.stride())
    if isinstance(tensor, torch.nn.Parameter):
        return torch.nn.Parameter(copied)
    return copied.requires_grad_(tensor.requires_grad)
