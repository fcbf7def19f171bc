"""Time the tensor functions of two built projects beside eager PyTorch, in one process.

    python torch_measure.py OURS PUBLISHED OUTPUT.json [--quick] [--only PATTERN]

How is in `rounds.py`. Both projects link the libtorch that Python loaded, so both run in the
process that runs eager PyTorch, with the same threads.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import torch

from project import Project
from rounds import (
    FULL,
    Contestant,
    Effort,
    argument_parser,
    described,
    figures,
    machine,
    time_rounds,
    versions,
    wrapper_alone,
)
from torch_functions import MODULE, WRAPPED, Cell, Function, cells

Argument: TypeAlias = "torch.Tensor | int"

DISTRIBUTIONS = ("torch", "rextio", "rextio-torch", "rextio-wasm")

RATIOS = (
    ("native", "eager"),
    ("wrapper", "eager"),
    ("published", "eager"),
    ("native", "published"),
)

SEED = 20_260_718


def arguments(cell: Cell) -> dict[str, Argument]:
    """The arguments by name."""
    random = torch.Generator().manual_seed(SEED)
    values: dict[str, Argument] = {}
    for name, axes in cell.function.parameters.items():
        if isinstance(axes, int):
            values[name] = axes
            continue
        value = torch.randn(cell.lengths(axes), generator=random)
        # What a product adds up stays as large as its input, through any number of layers.
        values[name] = value / cell.width**0.5 if axes[-2:] in ("ww", "hw", "wh") else value
    return values


def contestants(
    ours: Project, published: Project, function: Function
) -> dict[str, Contestant] | None:
    """All ways to compute the function, if it is native with our plugin."""
    key = (MODULE, function.name)
    if not ours.is_native(*key):
        return None
    found = {
        "eager": Contestant(ours.source(*key)),
        "native": Contestant(ours.native(*key)),
        "wrapper": Contestant(ours.wrapper(*key)),
    }
    if published.is_native(*key):
        found["published"] = Contestant(published.native(*key))
    return found


def check(
    cell: Cell, contestants: Mapping[str, Contestant], arguments: Mapping[str, Argument]
) -> None:
    """Every contestant computes what eager PyTorch computes, bit for bit."""
    values = tuple(arguments.values())
    expected = contestants["eager"].call(*values)
    for name, contestant in contestants.items():
        torch.testing.assert_close(
            contestant.call(*values),
            expected,
            rtol=0,
            atol=0,
            msg=lambda text, name=name: f"{cell.name}: {name}: {text}",
        )


def measure(ours: Project, published: Project, effort: Effort, pattern: str) -> dict[str, Any]:
    """The figures of each cell by name; None for a cell that stayed on Python."""
    measured: dict[str, Any] = {}
    counts = {"one": 1, "all": torch.get_num_threads()}
    known: dict[str, dict[str, Contestant] | None] = {}
    for cell in cells():
        if not re.search(pattern, cell.name):
            continue
        name = cell.function.name
        if name not in known:
            known[name] = contestants(ours, published, cell.function)
        contesting = known[name]
        measured[cell.name] = None
        if contesting is not None:
            torch.set_num_threads(counts[cell.threads])
            values = arguments(cell)
            check(cell, contesting, values)
            times = time_rounds(contesting, values, effort)
            ratios = [(above, below) for above, below in RATIOS if {above, below} <= times.keys()]
            measured[cell.name] = figures(times, ratios)
        print(described(cell.name, measured[cell.name], "eager"), flush=True)
    return measured


def main() -> None:
    """Measure and write."""
    parser = argument_parser(__doc__.splitlines()[0], replace(FULL, cell=1.0))
    for name in ("ours", "published", "output"):
        parser.add_argument(name, type=Path)
    options = parser.parse_args()
    effort: Effort = options.effort
    at = machine() | {"threads of torch": torch.get_num_threads()}
    ours, published = Project(options.ours), Project(options.published)
    ours.put_on_path()
    nothing = (ours.native(MODULE, WRAPPED), ours.wrapper(MODULE, WRAPPED))
    # As native code does; around everything, so that entering it costs no call anything.
    with torch.no_grad():
        answer = {
            "machine": at,
            "versions": versions(DISTRIBUTIONS),
            "wrapper": wrapper_alone(*nothing, {"x": torch.zeros(1, 1), "n": 1}, effort),
            "cells": measure(ours, published, effort, options.only),
        }
    options.output.write_text(json.dumps(answer), encoding="utf-8")


if __name__ == "__main__":
    main()
