"""Time the functions of one built project beside NumPy, in one process.

    python measure.py PROJECT OUTPUT.json [--rivals] [--quick] [--only PATTERN]

Each cell is timed in rounds; in each round every contestant runs one batch of calls, and the order
rotates. So what disturbs the machine disturbs all of them, and ratios within a round stay true.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import os
import platform
import re
import statistics
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from timeit import Timer
from typing import Any

import numpy as np

from functions import CHAINS, PACKAGE, WRAPPED, Argument, Cell, Function, cells

Call = Callable[..., Any]

TOLERANCES: Mapping[str, float] = {"float64": 1e-9, "float32": 1e-4, "int64": 0.0}
"""Relative and absolute; wide enough for any order of summation, too narrow for a wrong kernel."""

NUMEXPR_TYPES: Mapping[str, type] = {"float64": np.float64, "float32": float, "int64": np.int64}

DISTRIBUTIONS = ("numpy", "rextio", "rextio-numpy", "rextio-wasm", "numba", "numexpr")


@dataclass(frozen=True)
class Effort:
    """How long is measured."""

    batch: float
    """Seconds that one batch of calls lasts at least, unless one call lasts longer."""
    cell: float
    """Seconds for one cell, as far as the number of rounds allows."""
    rounds: tuple[int, int]


FULL = Effort(batch=1e-3, cell=0.25, rounds=(5, 15))
QUICK = Effort(batch=3e-4, cell=0.02, rounds=(2, 5))


@dataclass(frozen=True)
class Contestant:
    """One way to compute a cell."""

    call: Call
    before_batch: Callable[[], object] = lambda: None


class Project:
    """A built project, seen from a process that runs its code."""

    def __init__(self, root: Path) -> None:
        """Import from the project's build output."""
        self._root = root
        sys.path.insert(0, str(root / ".rextio" / "build" / "python"))
        self._extension = importlib.import_module("_rextio_native")
        report = json.loads((root / ".rextio/reports/check.json").read_text(encoding="utf-8"))
        self._accepted = {
            function["qualname"]
            for module in report["modules"]
            for function in module["functions"]
            if function["native_status"] == "accepted"
        }

    def is_native(self, module: str, name: str) -> bool:
        """Whether the function was built."""
        return f"{PACKAGE}.{module}.{name}" in self._accepted

    def native(self, module: str, name: str) -> Call:
        """The generated native function itself."""
        return self._function(self._extension, f"{PACKAGE}__{module}__{name}")

    def wrapper(self, module: str, name: str) -> Call:
        """The function that a program imports: core's wrapper around the native one."""
        return self._function(importlib.import_module(f"{PACKAGE}.{module}"), name)

    def source(self, module: str, name: str) -> Call:
        """The function as it stands in the project, run by CPython.

        Core's output has a copy of each module, but puts its wrappers into that, too.
        """
        path = self._root / PACKAGE / f"{module}.py"
        spec = importlib.util.spec_from_file_location(f"source_of_{module}", path)
        assert spec is not None
        assert spec.loader is not None
        source = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(source)
        return self._function(source, name)

    @staticmethod
    def _function(module: object, name: str) -> Call:
        function: Call = getattr(module, name)
        return function


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


def time_rounds(
    contestants: Mapping[str, Contestant], arguments: Mapping[str, Argument], effort: Effort
) -> dict[str, list[float]]:
    """Seconds a call, for each contestant in each round."""
    batches: dict[str, tuple[Contestant, Timer, int]] = {}
    duration = 0.0
    for name, contestant in contestants.items():
        contestant.before_batch()
        statement = f"call({', '.join(arguments)})"
        timer = Timer(statement, globals={"call": contestant.call, **arguments})
        number, took = calls_per_batch(timer, effort.batch)
        batches[name] = (contestant, timer, number)
        duration += number * took
    least, most = effort.rounds
    rounds = min(max(round(effort.cell / duration), least), most)
    times: dict[str, list[float]] = {name: [] for name in contestants}
    order = list(batches)
    for _ in range(rounds):
        for name in order:
            contestant, timer, number = batches[name]
            contestant.before_batch()
            times[name].append(timer.timeit(number) / number)
        order.append(order.pop(0))
    return times


def calls_per_batch(timer: Timer, batch: float) -> tuple[int, float]:
    """How many calls last as long as a batch, at least one, and how long one lasts."""
    number = 1
    while (took := timer.timeit(number)) < batch / 4:
        number *= 4
    return max(1, round(number * batch / took)), took / number


def quartiles(values: list[float]) -> list[float]:
    """The three quartiles; the second is the median."""
    return statistics.quantiles(values, n=4, method="inclusive")


def significant(value: float) -> float:
    """As many digits as a measurement has."""
    return float(f"{value:.3g}")


def medians(times: Mapping[str, list[float]]) -> dict[str, float]:
    """Median times in microseconds."""
    return {name: significant(statistics.median(all_) * 1e6) for name, all_ in times.items()}


def figures(times: Mapping[str, list[float]]) -> dict[str, dict[str, Any]]:
    """Median times in microseconds, and the quartiles of the ratios of each round."""
    ratios = [("wrapper", "numpy"), *(("native", name) for name in times)]
    return {
        "us": medians(times),
        "ratio": {
            f"{above}/{below}": [
                significant(value)
                for value in quartiles(
                    [a / b for a, b in zip(times[above], times[below], strict=True)]
                )
            ]
            for above, below in ratios
            if below not in ("native", "wrapper")
        },
    }


def measure(project: Project, effort: Effort, pattern: str, with_rivals: bool) -> dict[str, Any]:
    """The figures of each cell by name; None for a cell that stayed on Python."""
    measured: dict[str, Any] = {}
    known: dict[str, dict[str, Contestant]] = {}
    for cell in cells():
        if not re.search(pattern, cell.name):
            continue
        name = cell.function.name
        if name not in known:
            known[name] = contestants(project, cell.function, with_rivals)
        measured[cell.name] = None
        if "native" in known[name]:
            arguments = cell.arguments()
            check(cell, known[name], arguments)
            measured[cell.name] = figures(time_rounds(known[name], arguments, effort))
        print(described(cell, measured[cell.name]), flush=True)
    return measured


def described(cell: Cell, measured: Mapping[str, Any] | None) -> str:
    """A cell's figures on one line."""
    if measured is None:
        return f"{cell.name}: on Python"
    times = ", ".join(f"{name} {time:g}" for name, time in measured["us"].items())
    low, median, high = measured["ratio"]["native/numpy"]
    return f"{cell.name}: {median} of NumPy (quartiles {low} to {high}); us: {times}"


def contestants(project: Project, function: Function, with_rivals: bool) -> dict[str, Contestant]:
    """All ways to compute the function."""
    key = (function.module, function.name)
    source = project.source(*key)
    found = {"numpy": Contestant(source)}
    if project.is_native(*key):
        found["native"] = Contestant(project.native(*key))
        found["wrapper"] = Contestant(project.wrapper(*key))
        if with_rivals and function.operation.family in CHAINS:
            found |= rivals(function, source)
    return found


def wrapper_alone(project: Project, effort: Effort) -> dict[str, float]:
    """Microseconds of a native function that does nothing, and of its wrapper around it."""
    both = {
        "native": Contestant(project.native(*WRAPPED)),
        "wrapper": Contestant(project.wrapper(*WRAPPED)),
    }
    times = time_rounds(both, {"a": np.zeros(1), "x": 1.5}, effort)
    pairs = zip(times["wrapper"], times["native"], strict=True)
    times["wrapper alone"] = [wrapper - native for wrapper, native in pairs]
    return medians(times)


def processor() -> str:
    """The model of the processor, as well as the system tells."""
    information = Path("/proc/cpuinfo")
    if information.exists():
        model = re.search(r"model name\s*: (.*)", information.read_text(encoding="utf-8"))
        if model:
            return model[1]
    return platform.processor() or platform.machine()


def versions() -> dict[str, str]:
    """Versions of everything that takes part."""
    found = {"python": platform.python_version()}
    for name in DISTRIBUTIONS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    found["BLAS of numpy"] = f"{blas['name']} {blas['version']}"
    return found


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("project", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--rivals", action="store_true", help="numba and numexpr on the chains")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds")
    parser.add_argument("--only", default="", metavar="PATTERN", help="cells whose name matches")
    options = parser.parse_args()
    effort = QUICK if options.quick else FULL
    load = os.getloadavg()[0]
    project = Project(options.project)
    answer = {
        "machine": {"processor": processor(), "cores": os.cpu_count(), "load before": load},
        "versions": versions(),
        "wrapper": wrapper_alone(project, effort),
        "cells": measure(project, effort, options.only, options.rivals),
    }
    options.output.write_text(json.dumps(answer), encoding="utf-8")


if __name__ == "__main__":
    main()
