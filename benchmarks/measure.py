"""Time the functions of one built project beside NumPy, in one process.

    python measure.py PROJECT OUTPUT.json [--beside PUBLISHED] [--quick] [--only PATTERN]

How is in `rounds.py`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from functions import CHAINS, WRAPPED, Argument, Cell, Function, cells
from project import Call, Project
from rounds import (
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

TOLERANCES: Mapping[str, float] = {"float64": 1e-9, "float32": 1e-4, "int64": 0.0}
"""Relative and absolute; wide enough for any order of summation, too narrow for a wrong kernel."""

NUMEXPR_TYPES: Mapping[str, type] = {"float64": np.float64, "float32": float, "int64": np.int64}

DISTRIBUTIONS = ("numpy", "rextio", "rextio-numpy", "rextio-wasm", "numba", "numexpr")


def rivals(function: Function, source: Call) -> dict[str, Contestant]:
    """What else fuses a chain: numba, and numexpr with one thread and with its default."""
    import numba
    import numexpr

    # Compiled beforehand, too: `numexpr.evaluate` would look the expression up at every call.
    signature = [(name, NUMEXPR_TYPES[function.dtype]) for name in function.ranks]
    compiled = numexpr.NumExpr(function.expression, signature)
    return {
        "numba": Contestant(numba.njit(error_model="numpy")(source)),
        "numexpr, 1 thread": Contestant(compiled, partial(numexpr.set_num_threads, 1)),
        "numexpr": Contestant(
            compiled, partial(numexpr.set_num_threads, numexpr.detect_number_of_cores())
        ),
    }


def check(
    cell: Cell, contestants: Mapping[str, Contestant], arguments: Mapping[str, Argument]
) -> None:
    """Every contestant computes what NumPy computes; it has run, and compiled, once after this."""
    values = tuple(arguments.values())
    expected = np.asarray(contestants["numpy"].call(*values))
    tolerance = TOLERANCES[cell.function.dtype]
    for name, contestant in contestants.items():
        contestant.before_batch()
        result = np.asarray(contestant.call(*values))
        if (result.dtype, result.shape) != (expected.dtype, expected.shape):
            raise AssertionError(f"{cell.name}: {name} gives {result.dtype}{result.shape}")
        if not np.array_equal(result, expected):
            np.testing.assert_allclose(
                result, expected, rtol=tolerance, atol=tolerance, err_msg=f"{cell.name}: {name}"
            )


def measure(
    project: Project, published: Project | None, effort: Effort, pattern: str
) -> dict[str, Any]:
    """The figures of each cell by name; None for a cell that stayed on Python."""
    measured: dict[str, Any] = {}
    known: dict[str, dict[str, Contestant]] = {}
    for cell in cells():
        if not re.search(pattern, cell.name):
            continue
        name = cell.function.name
        if name not in known:
            known[name] = contestants(project, published, cell.function)
        measured[cell.name] = None
        if "native" in known[name]:
            arguments = cell.arguments()
            check(cell, known[name], arguments)
            times = time_rounds(known[name], arguments, effort)
            ratios = [("native", name) for name in times if name not in ("native", "wrapper")]
            measured[cell.name] = figures(times, [("wrapper", "numpy"), *ratios])
        print(described(cell.name, measured[cell.name], "numpy"), flush=True)
    return measured


def contestants(
    project: Project, published: Project | None, function: Function
) -> dict[str, Contestant]:
    """All ways to compute the function; what it is compared with beside a published project."""
    key = (function.module, function.name)
    source = project.source(*key)
    found = {"numpy": Contestant(source)}
    if project.is_native(*key):
        found["native"] = Contestant(project.native(*key))
        found["wrapper"] = Contestant(project.wrapper(*key))
        if published is not None:
            if published.is_native(*key):
                found["published"] = Contestant(published.native(*key))
            if function.operation.family in CHAINS:
                found |= rivals(function, source)
    return found


def main() -> None:
    """Measure and write."""
    parser = argument_parser(__doc__.splitlines()[0])
    parser.add_argument("project", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument(
        "--beside",
        type=Path,
        metavar="PUBLISHED",
        help="time the native functions of this project, too, and numba and numexpr on the chains",
    )
    options = parser.parse_args()
    effort: Effort = options.effort
    at = machine()
    published = Project(options.beside) if options.beside else None
    project = Project(options.project)
    project.put_on_path()
    nothing = {"a": np.zeros(1), "x": 1.5}
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    answer = {
        "machine": at,
        "versions": versions(DISTRIBUTIONS)
        | {"BLAS of numpy": f"{blas['name']} {blas['version']}"},
        "wrapper": wrapper_alone(
            project.native(*WRAPPED), project.wrapper(*WRAPPED), nothing, effort
        ),
        "cells": measure(project, published, effort, options.only),
    }
    options.output.write_text(json.dumps(answer), encoding="utf-8")


if __name__ == "__main__":
    main()
