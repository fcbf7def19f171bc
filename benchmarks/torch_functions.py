"""The tensor functions that are measured, as a table, and the shapes they are measured with.

    python torch_functions.py FOLDER

writes them as a Rextio project to a new folder. Importing this needs no PyTorch.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from project import write

SHAPES: tuple[tuple[int, int], ...] = ((1, 8), (8, 64), (64, 256), (256, 1024))
"""Rows and width."""

Threads = Literal["one", "all"]
THREADS: tuple[Threads, ...] = ("one", "all")

Parameters = dict[str, str | int]
"""For a tensor its axes: `r` the rows, `w` the width, `h` half of it. For an int its value."""

LAYER: Parameters = {"x": "rw", "weight": "ww", "bias": "w"}


@dataclass(frozen=True)
class Function:
    """One function."""

    family: str
    name: str
    parameters: Parameters
    rank: int
    """Of the result."""
    body: str

    @property
    def source(self) -> str:
        """Its definition."""
        parameters = ", ".join(
            f"{name}: {'int' if isinstance(axes, int) else tensor(len(axes))}"
            for name, axes in self.parameters.items()
        )
        lines = "".join(f"    {line}\n" for line in self.body.splitlines())
        return f"def {self.name}({parameters}) -> {tensor(self.rank)}:\n{lines}"


def tensor(rank: int) -> str:
    """The annotation of a tensor."""
    return f"TensorF32Cpu{rank}D"


def single(family: str, name: str, parameters: Parameters, rank: int, expression: str) -> Function:
    """A function of one operation."""
    return Function(family, name, parameters, rank, f"return {expression}")


def chain(name: str, parameters: Parameters, rank: int, body: str) -> Function:
    """A function of several operations."""
    return Function("chain", name, parameters, rank, body.strip("\n"))


FUNCTIONS: tuple[Function, ...] = (
    single("linear", "linear", LAYER, 2, "F.linear(x, weight, bias)"),
    single(
        "linear",
        "linear_narrow",
        {"x": "rw", "weight": "hw", "bias": "h"},
        2,
        "F.linear(x, weight, bias)",
    ),
    *(
        single("activation", f"{method}_{len(axes)}d", {"x": axes}, len(axes), f"x.{method}()")
        for method in ("relu", "sigmoid", "tanh")
        for axes in ("rw", "w")
    ),
    *(
        single("reduction", method, {"x": "rw"}, 1, f"x.{method}(dim=1, keepdim=False)")
        for method in ("mean", "sum")
    ),
    single("matmul", "matmul_operator", {"a": "rw", "b": "ww"}, 2, "a @ b"),
    single("matmul", "matmul_call", {"a": "rw", "b": "ww"}, 2, "torch.matmul(a, b)"),
    single("matmul", "matmul_method", {"a": "rw", "b": "wh"}, 2, "a.matmul(b)"),
    single("add", "add_2d", {"a": "rw", "b": "rw"}, 2, "a + b"),
    single("add", "add_1d", {"a": "w", "b": "w"}, 1, "a + b"),
    single("add", "add_row", {"a": "rw", "b": "w"}, 2, "a + b"),
    single("add", "row_add", {"a": "w", "b": "rw"}, 2, "a + b"),
    chain(
        "linear_relu_mean",
        LAYER,
        1,
        "return F.linear(x, weight, bias).relu().mean(dim=1, keepdim=False)",
    ),
    chain(
        "alternating_layers",
        LAYER | {"depth": 4, "phase": 1},
        1,
        """
hidden = x
for layer in range(depth):
    if (layer + phase) % 2 == 0:
        even = hidden @ weight + bias
        hidden = even.relu()
    else:
        odd = hidden @ weight + bias
        hidden = odd.sigmoid()
return hidden.mean(dim=1, keepdim=False)
""",
    ),
    chain(
        "every_operation",
        {"x": "rw", "weight": "ww", "offset": "r"},
        1,
        """
hidden = torch.matmul(x, weight)
hidden = hidden.tanh()
hidden = hidden + hidden
hidden = hidden.matmul(weight)
reduced = hidden.sum(dim=1, keepdim=False)
reduced = reduced + offset
return reduced.relu().sigmoid().tanh()
""",
    ),
    chain(
        "perceptron_2",
        {"x": "rw", "w1": "hw", "b1": "h", "w2": "wh", "b2": "w"},
        2,
        """
hidden = F.linear(x, w1, b1).relu()
return F.linear(hidden, w2, b2)
""",
    ),
    chain(
        "perceptron_3",
        {"x": "rw", "w1": "ww", "b1": "w", "w2": "ww", "b2": "w", "w3": "hw", "b3": "h"},
        2,
        """
hidden = F.linear(x, w1, b1).relu()
hidden = F.linear(hidden, w2, b2).relu()
return F.linear(hidden, w3, b3).sigmoid()
""",
    ),
    chain(
        "residual",
        LAYER | {"depth": 4},
        2,
        """
hidden = x
for layer in range(depth):
    step = F.linear(hidden, weight, bias).tanh()
    hidden = hidden + step
return hidden.relu()
""",
    ),
    chain("activations", {"x": "rw"}, 2, "return x.relu().sigmoid().tanh()"),
)

FAMILIES: tuple[str, ...] = tuple(dict.fromkeys(function.family for function in FUNCTIONS))


@dataclass(frozen=True)
class Cell:
    """A function on tensors of one size, with so many threads."""

    function: Function
    rows: int
    width: int
    threads: Threads

    @property
    def name(self) -> str:
        """What it is called in tables."""
        size = size_name(self.rows, self.width, self.threads)
        return f"{self.function.family}: {self.function.name} {size}"

    @property
    def is_small(self) -> bool:
        """Whether calls cost more than arithmetic."""
        return (self.rows, self.width) <= (8, 64)

    def lengths(self, axes: str) -> list[int]:
        """The shape of a parameter."""
        named = {"r": self.rows, "w": self.width, "h": self.width // 2}
        return [named[axis] for axis in axes]


def size_name(rows: int, width: int, threads: Threads) -> str:
    """A shape and a number of threads in words."""
    return f"{rows}x{width}, {'one thread' if threads == 'one' else 'all threads'}"


def cells() -> Iterator[Cell]:
    """Every cell, in the order of the table."""
    for threads in THREADS:
        for function in FUNCTIONS:
            for rows, width in SHAPES:
                yield Cell(function, rows, width, threads)


MODULE = "functions"

WRAPPED = "nothing"
"""The function that does nothing: what is left is the way in and out, and its wrapper."""

HEAD = """\
import torch
import torch.nn.functional as F

from rextio_torch.types import TensorF32Cpu1D, TensorF32Cpu2D
"""


def write_project(root: Path) -> None:
    """Write the functions as a project to a new folder."""
    # A tensor among the parameters: core wraps functions of plain scalars in another way.
    nothing = f"def {WRAPPED}(x: {tensor(2)}, n: int) -> int:\n    return n\n"
    sources = [function.source for function in FUNCTIONS]
    write(root, "rextio-torch", {MODULE: [HEAD, nothing, *sources]})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    write_project(parser.parse_args().folder)
