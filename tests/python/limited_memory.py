"""Calls one certified function with no more memory than it may have; run as a program.

The arguments: the function, the layouts of its operands one after the other, the bytes that it may
take beyond its result, and a tuple of further arguments for the function.
"""

from __future__ import annotations

import ast
import importlib
import resource
import sys
from collections.abc import Callable
from math import prod
from pathlib import Path

import numpy as np

from kernels import NUMPY_NAMES, Kernel, Lane, kernel
from strategies import laid_out

Shape = tuple[int, int]

SHAPE: Shape = (1448, 1448)
"""Of matrices, and the number of elements of vectors: 16 MiB of float64."""

SMALL: Shape = (200, 200)
"""Of the call without a limit: large enough for all that is prepared once, such as the threads of
the BLAS library."""

UNLIMITED = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)


def operands(function: Kernel, layout: str, shape: Shape) -> list[object]:
    """Arrays and scalars for a function: one array is laid out so, the next in C order."""
    arrays: dict[tuple[Lane, str], np.ndarray] = {}
    values: list[object] = []
    for position, lane in enumerate(function.lanes):
        key = (lane, layout if position % 2 == 0 else "C")
        if lane.rank == 0:
            values.append(3 if lane.dtype == "i64" else 0.5)
        elif key in arrays:
            values.append(arrays[key])
        else:
            own = shape if lane.rank == 2 else (shape[1],)
            if max(other.rank for other in function.lanes) == 1:
                own = (prod(shape),)
            numbers = np.arange(-3, prod(own) - 3, dtype=NUMPY_NAMES[lane.dtype])
            arrays[key] = laid_out(numbers.reshape(own), key[1])
            values.append(arrays[key])
    return values


def result_size(function: Kernel, shape: Shape) -> int:
    """The bytes of a function's result: of all elements, of either axis, or none."""
    if function.result.rank == 0:
        return 0
    reduced = function.result.rank < max(lane.rank for lane in function.lanes)
    elements = shape[0] if reduced else prod(shape)
    return elements * np.dtype(NUMPY_NAMES[function.result.dtype]).itemsize


def occupied() -> int:
    """The size of this process's address space in bytes."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[0]
    return int(pages) * resource.getpagesize()


def call_limited(
    call: Callable[..., object],
    function: Kernel,
    layout: str,
    beyond: int,
    others: tuple[object, ...],
) -> None:
    """Call a function on few elements, and then on many under the limit."""
    call(*operands(function, layout, SMALL), *others)
    values = operands(function, layout, SHAPE)
    allowed = result_size(function, SHAPE) + beyond
    resource.setrlimit(resource.RLIMIT_AS, (occupied() + allowed, resource.RLIM_INFINITY))
    try:
        result = call(*values, *others)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, UNLIMITED)
    if isinstance(result, np.ndarray):
        assert result.nbytes == result_size(function, SHAPE), result.nbytes


def main(name: str, layouts: str, beyond: str, others: str) -> None:
    """Run the program on its arguments; the layouts stand between commas."""
    function = kernel(name)
    module, _, attribute = function.qualname.rpartition(".")
    call = getattr(importlib.import_module(module), attribute)
    for layout in layouts.split(","):
        print(f"{name}: {layout}", flush=True)
        with np.errstate(all="ignore"):
            call_limited(call, function, layout, int(beyond), ast.literal_eval(others))


if __name__ == "__main__":
    main(*sys.argv[1:])
