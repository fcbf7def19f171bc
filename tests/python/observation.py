"""What a caller can see of a value, and copies that keep all of it.

Core's certification kit compares results with `equals`, arguments with `args_equals` and copies
arguments with `copy_args`. Its defaults know nothing of arrays: a deep copy makes a strided view
contiguous, so the view would never reach native code.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np


def values_key(array: np.ndarray) -> bytes:
    """The elements in C order, bit for bit, but all NaNs alike.

    IEEE 754 leaves open which operand's NaN an operation returns; compilers exchange operands, so
    NumPy's own answer differs between its scalar and its SIMD loops.
    """
    elements = np.array(array, order="C", copy=True)
    if elements.dtype.kind == "f":
        elements[np.isnan(elements)] = np.nan
    return elements.tobytes()


@dataclass(frozen=True)
class Header:
    """All of an array but its elements."""

    type: type
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    c_contiguous: bool
    f_contiguous: bool
    owns_data: bool
    has_base: bool
    writeable: bool
    aligned: bool

    @classmethod
    def of(cls, array: np.ndarray) -> Header:
        """The header of an array."""
        flags = array.flags
        return cls(
            type=type(array),
            dtype=array.dtype.str,
            shape=array.shape,
            strides=array.strides,
            c_contiguous=flags.c_contiguous,
            f_contiguous=flags.f_contiguous,
            owns_data=flags.owndata,
            has_base=array.base is not None,
            writeable=flags.writeable,
            aligned=flags.aligned,
        )


CORE_TYPES: Mapping[type, type] = {np.float64: float, np.int64: int, np.bool_: bool}
"""What core gives where NumPy gives a scalar of its own."""


def same_result(native: object, numpys: object) -> bool:
    """Whether a native result is NumPy's: elements, dtype, shape, layout and ownership.

    A scalar must be core's, not NumPy's, of the same value; all NaNs are alike.
    """
    if isinstance(native, np.ndarray) and isinstance(numpys, np.ndarray):
        return Header.of(native) == Header.of(numpys) and values_key(native) == values_key(numpys)
    return _same_plain_result(native, numpys)


def same_bits(native: object, numpys: object) -> bool:
    """As `same_result`, with the NaNs of arrays compared bit for bit."""
    if isinstance(native, np.ndarray) and isinstance(numpys, np.ndarray):
        return Header.of(native) == Header.of(numpys) and native.tobytes() == numpys.tobytes()
    return _same_plain_result(native, numpys)


def _same_plain_result(native: object, numpys: object) -> bool:
    if isinstance(native, list | tuple) and isinstance(numpys, list | tuple):
        return (
            type(native) is type(numpys)
            and len(native) == len(numpys)
            and all(map(same_result, native, numpys))
        )
    if type(native) is not CORE_TYPES.get(type(numpys), type(numpys)):
        return False
    if isinstance(native, float) and isinstance(numpys, float):
        return values_key(np.array(native)) == values_key(np.array(numpys))
    return native == numpys


def same_values(left: object, right: object) -> bool:
    """Whether an array's elements are those of a copy, bit for bit."""
    if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        return left.tobytes() == right.tobytes()
    return repr(left) == repr(right)


def same_argument(left: object, right: object) -> bool:
    """Whether a call left the same in two copies of an argument, bit for bit."""
    if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        return Header.of(left) == Header.of(right) and _memory(left) == _memory(right)
    return repr(left) == repr(right)


def _memory(array: np.ndarray) -> bytes:
    """The bytes that an array spans, gaps included; few, where it is broadcast."""
    low, high = _extent(array)
    return ctypes.string_at(low, high - low) if array.size > 0 else b""


def _extent(array: np.ndarray) -> tuple[int, int]:
    """The addresses of an array's first byte and of the one behind its last."""
    low = high = array.__array_interface__["data"][0]
    for length, stride in zip(array.shape, array.strides, strict=True):
        reach = (length - 1) * stride
        low, high = min(low, low + reach), max(high, high + reach)
    return low, high + array.itemsize


def copies(arguments: tuple[object, ...]) -> tuple[object, ...]:
    """Copies of arguments: strides, alignment, overlap and flags stay as they are."""
    arrays = {
        id(argument): argument
        for argument in arguments
        if type(argument) is np.ndarray and argument.size > 0
    }
    blocks: list[tuple[int, int]] = []
    for low, high in sorted(map(_extent, arrays.values())):
        if blocks and low < blocks[-1][1]:
            blocks[-1] = (blocks[-1][0], max(high, blocks[-1][1]))
        else:
            blocks.append((low, high))
    buffers = {block: _buffer(*block) for block in blocks}

    replicas: dict[int, np.ndarray] = {}
    for key, array in arrays.items():
        low, high = _extent(array)
        block = next(block for block in blocks if block[0] <= low and high <= block[1])
        start = array.__array_interface__["data"][0] - block[0]
        replica = np.ndarray(
            array.shape, array.dtype, buffers[block], offset=start, strides=array.strides
        )
        replica.flags.writeable = array.flags.writeable
        replicas[key] = replica
    return tuple(replicas.get(id(argument), argument) for argument in arguments)


ALIGNMENT = 64


def _buffer(low: int, high: int) -> np.ndarray:
    """A copy of the bytes from `low` to `high`, as far from a cache line's start as they are."""
    room = np.empty(high - low + 2 * ALIGNMENT, np.uint8)
    padding = (low - room.__array_interface__["data"][0]) % ALIGNMENT
    buffer = room[padding : padding + high - low]
    buffer[:] = np.frombuffer(ctypes.string_at(low, high - low), np.uint8)
    return buffer
