"""The functions that are measured, as a table, and the arrays they are measured with.

    python functions.py FOLDER

writes them as a Rextio project to a new folder, one module an operation.
"""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np

from project import write

Dtype = Literal["float64", "float32", "int64"]
Layout = Literal["C", "F", "strided", "reversed", "mixed"]
Array = np.ndarray[Any, Any]
Argument = Array | float

ALL: tuple[Dtype, ...] = ("float64", "float32", "int64")
FLOATS: tuple[Dtype, ...] = ("float64", "float32")
PREFIXES: Mapping[Dtype, str] = {"float64": "F64", "float32": "F32", "int64": "I64"}
SCALARS: Mapping[Dtype, float] = {"float64": 1.5, "float32": 1.5, "int64": 3}

SHAPES: Mapping[int, tuple[int, int]] = {
    16: (4, 4),
    1_000: (25, 40),
    100_000: (250, 400),
    4_000_000: (2000, 2000),
}
"""The sizes, with the shape of a 2-D array of each."""

SEED = 20_260_727


@dataclass(frozen=True)
class Operation:
    """One expression, over some dtypes and ranks."""

    family: str
    name: str
    expression: str
    """Over arrays `a` to `d` and a scalar `x`; `0` and `1` are literals of the dtype."""
    ranks: tuple[str, ...]
    """For each function the ranks of its parameters in alphabetical order, 0 for a scalar."""
    dtypes: tuple[Dtype, ...] = ALL
    every_layout: bool = True
    """Whether it stands for its family in every layout; the others are measured in C order."""
    result_rank: int | None = None
    """As the operands by default."""


OPERATIONS: tuple[Operation, ...] = (
    Operation("elementwise", "add", "a + b", ("11", "22")),
    Operation("elementwise", "multiply", "a * b", ("11",), every_layout=False),
    Operation("elementwise", "divide", "a / b", ("11",), every_layout=False),
    Operation("ufunc call", "subtract", "numpy.subtract(a, b)", ("11",)),
    Operation("unary", "negative", "numpy.negative(a)", ("1", "2")),
    Operation("unary", "absolute", "numpy.absolute(a)", ("1",), every_layout=False),
    Operation("unary", "square", "numpy.square(a)", ("1",), every_layout=False),
    Operation("chain of 2", "chain2", "a * b + c", ("111", "222")),
    Operation("chain of 4", "chain4", "(a * b + c) * d - a", ("1111", "2222")),
    Operation("chain of 5 with /", "chain5", "(a * b + c) * d - a / b", ("1111",), FLOATS, False),
    Operation("2-D + 1-D", "add_row", "a + b", ("21",)),
    Operation("array and scalar", "scale", "a * x", ("10", "20")),
    Operation("compare and where", "larger", "numpy.where(a > b, a, b)", ("11", "22")),
    Operation("compare and where", "positive", "numpy.where(a > 0, a, 0)", ("1", "2")),
    Operation(
        "where with logical",
        "both",
        "numpy.where(numpy.logical_and(a > 0, b < 1), a, b)",
        ("11",),
    ),
    Operation(
        "where with logical",
        "either",
        "numpy.where(numpy.logical_or(a > 0, b < 1), a, b)",
        ("11",),
        every_layout=False,
    ),
    Operation(
        "where with logical",
        "neither",
        "numpy.where(numpy.logical_not(a > b), a, b)",
        ("11",),
        every_layout=False,
    ),
    Operation("dot", "dot", "numpy.dot(a, b)", ("11",), ("float64", "int64"), result_rank=0),
    # The method is NumPy's quickest spelling: `numpy.sum` goes through a Python function first.
    Operation("whole sum", "sum", "a.sum()", ("1", "2"), ("float64", "int64"), result_rank=0),
    Operation("whole mean", "mean", "a.mean()", ("1", "2"), ("float64",), result_rank=0),
    Operation("whole max and min", "max", "a.max()", ("1", "2"), ("int64",), result_rank=0),
    Operation("whole max and min", "min", "a.min()", ("1",), ("int64",), False, 0),
    Operation("column sum", "sum_0", "a.sum(axis=0)", ("2",), ("float64", "int64"), result_rank=1),
    Operation("row sum", "sum_1", "a.sum(axis=1)", ("2",), ("float64", "int64"), result_rank=1),
    Operation("column mean", "mean_0", "a.mean(axis=0)", ("2",), ("float64",), result_rank=1),
    Operation("row mean", "mean_1", "a.mean(axis=1)", ("2",), ("float64",), result_rank=1),
    Operation("axis max and min", "max_0", "a.max(axis=0)", ("2",), ("int64",), result_rank=1),
    Operation("axis max and min", "max_1", "a.max(axis=1)", ("2",), ("int64",), result_rank=1),
    Operation("axis max and min", "min_0", "a.min(axis=0)", ("2",), ("int64",), False, 1),
    Operation("axis max and min", "min_1", "a.min(axis=1)", ("2",), ("int64",), False, 1),
)

FAMILIES: tuple[str, ...] = tuple(dict.fromkeys(operation.family for operation in OPERATIONS))
CHAINS: tuple[str, ...] = tuple(family for family in FAMILIES if family.startswith("chain"))


@dataclass(frozen=True)
class Function:
    """An operation over one dtype and operands of given ranks."""

    operation: Operation
    dtype: Dtype
    ranks: Mapping[str, int]

    @property
    def module(self) -> str:
        """The module of the project in which it stands."""
        return self.operation.name

    @property
    def name(self) -> str:
        """Its name in the module."""
        ranks = "".join(map(str, self.ranks.values()))
        return f"{self.operation.name}_{self.dtype}_{ranks}"

    @property
    def rank(self) -> int:
        """The rank of its largest operand."""
        return max(self.ranks.values())

    @property
    def expression(self) -> str:
        """The returned expression."""
        if self.dtype == "int64":
            return self.operation.expression
        return re.sub(r"(?<=[<>,] )(\d)", r"\1.0", self.operation.expression)

    @property
    def source(self) -> str:
        """Its definition."""
        parameters = ", ".join(
            f"{name}: {annotation(self.dtype, rank)}" for name, rank in self.ranks.items()
        )
        quotient = self.dtype == "int64" and "/" in self.expression
        dtype: Dtype = "float64" if quotient else self.dtype
        result_rank = self.operation.result_rank
        result = annotation(dtype, self.rank if result_rank is None else result_rank)
        return f"def {self.name}({parameters}) -> {result}:\n    return {self.expression}\n"

    @property
    def layouts(self) -> Iterator[Layout]:
        """The layouts that tell something of it."""
        yield "C"
        if not self.operation.every_layout:
            return
        if self.rank == 2:
            yield "F"
            if list(self.ranks.values()).count(2) > 1:
                yield "mixed"
        yield from ("strided", "reversed")


@dataclass(frozen=True)
class Cell:
    """A function on arrays of one size and layout."""

    function: Function
    size: int
    layout: Layout

    @property
    def name(self) -> str:
        """What it is called in tables."""
        function = self.function
        return (
            f"{function.operation.family}: {function.operation.name} {function.dtype} "
            f"{function.rank}-D {self.layout} {self.size}"
        )

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of its largest operand."""
        return (self.size,) if self.function.rank == 1 else SHAPES[self.size]

    def arguments(self) -> dict[str, Argument]:
        """The arguments by name."""
        return {
            name: operand(self.function.dtype, self.shape[-rank:], self.layout, index)
            if rank
            else SCALARS[self.function.dtype]
            for index, (name, rank) in enumerate(self.function.ranks.items())
        }


def annotation(dtype: Dtype, rank: int) -> str:
    """How a parameter or a result is annotated."""
    if rank:
        return f"{PREFIXES[dtype]}Arr{rank}"
    return "int" if dtype == "int64" else "float"


@cache
def values(dtype: Dtype, count: int, index: int) -> Array:
    """Random values for the operand with this index: of both signs, and without an integer zero."""
    random = np.random.default_rng([SEED, count, index])
    if dtype == "int64":
        integers: Array = random.integers(1, 1000, count) * random.choice([-1, 1], count)
        return integers
    return random.standard_normal(count, np.dtype(dtype).type)


def operand(dtype: Dtype, shape: tuple[int, ...], layout: Layout, index: int) -> Array:
    """An array in this layout; of a mixed cell's operands the first is in C order."""
    array = values(dtype, math.prod(shape), index).reshape(shape)
    every_second = (slice(None, None, 2),) * len(shape)
    match layout:
        case "strided":
            space = np.zeros([2 * length for length in shape], dtype)
            space[every_second] = array
            return space[every_second]
        case "reversed":
            return np.flip(array)
        case "F":
            return np.asfortranarray(array)
        case "mixed" if index > 0:
            return np.asfortranarray(array)
        case _:
            return array


def functions() -> Iterator[Function]:
    """Every function, in the order of the table."""
    for operation in OPERATIONS:
        names = sorted(set(re.findall(r"\b[a-dx]\b", operation.expression)))
        for ranks in operation.ranks:
            for dtype in operation.dtypes:
                yield Function(operation, dtype, dict(zip(names, map(int, ranks), strict=True)))


def cells() -> Iterator[Cell]:
    """Every cell, in the order of the table."""
    for function in functions():
        for layout in function.layouts:
            for size in SHAPES:
                yield Cell(function, size, layout)


WRAPPED = ("wrapper", "scalar")
"""The module and name of a function that does nothing: what is left is its wrapper."""

HEAD = """\
import numpy

from rextio_numpy.types import F32Arr1, F32Arr2, F64Arr1, F64Arr2, I64Arr1, I64Arr2
"""


def write_project(root: Path) -> None:
    """Write the functions as a project to a new folder."""
    module, name = WRAPPED
    # An array among the parameters: core wraps functions of plain scalars in another way.
    wrapped = f"def {name}(a: F64Arr1, x: float) -> float:\n    return x\n"
    modules = {module: [HEAD, wrapped]}
    for function in functions():
        modules.setdefault(function.module, [HEAD]).append(function.source)
    write(root, "rextio-numpy", modules)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    write_project(parser.parse_args().folder)
