"""How functions are timed beside each other, and where.

Each cell is timed in rounds; in each round every contestant runs one batch of calls, and the order
rotates. So what disturbs the machine disturbs all of them, and ratios within a round stay true.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import statistics
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from timeit import Timer
from typing import Any

from project import Call


@dataclass(frozen=True)
class Effort:
    """How long is measured."""

    batch: float
    """Seconds that one batch of calls lasts at least, unless one call lasts longer."""
    cell: float
    """Seconds for one cell, as far as the number of rounds allows."""
    rounds: tuple[int, int]


FULL = Effort(batch=1e-3, cell=0.25, rounds=(5, 45))
QUICK = Effort(batch=3e-4, cell=0.02, rounds=(2, 5))


@dataclass(frozen=True)
class Contestant:
    """One way to compute a cell."""

    call: Call
    before_batch: Callable[[], object] = lambda: None


def time_rounds(
    contestants: Mapping[str, Contestant], arguments: Mapping[str, object], effort: Effort
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
            # Not counted: it finds memory and caches as another contestant left them.
            timer.timeit(1)
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


def figures(
    times: Mapping[str, list[float]], ratios: Iterable[tuple[str, str]]
) -> dict[str, dict[str, Any]]:
    """Median times in microseconds, and the quartiles of the ratios of each round."""
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
        },
    }


def described(name: str, measured: Mapping[str, Any] | None, baseline: str) -> str:
    """A cell's figures on one line, relative to a contestant."""
    if measured is None:
        return f"{name}: on Python"
    times = ", ".join(f"{contestant} {time:g}" for contestant, time in measured["us"].items())
    low, median, high = measured["ratio"][f"native/{baseline}"]
    return f"{name}: {median} of {baseline} (quartiles {low} to {high}); us: {times}"


def argument_parser(description: str, full: Effort = FULL) -> argparse.ArgumentParser:
    """The options of a measurement: `effort`, and `only` for the cells."""
    found = argparse.ArgumentParser(description=description)
    found.add_argument(
        "--quick",
        action="store_const",
        const=QUICK,
        default=full,
        dest="effort",
        help="fewer and shorter rounds",
    )
    found.add_argument("--only", default="", metavar="PATTERN", help="cells whose name matches")
    return found


def wrapper_alone(
    native: Call, wrapper: Call, arguments: Mapping[str, object], effort: Effort
) -> dict[str, float]:
    """Microseconds of a native function that does nothing, and of its wrapper around it."""
    both = {"native": Contestant(native), "wrapper": Contestant(wrapper)}
    times = time_rounds(both, arguments, effort)
    pairs = zip(times["wrapper"], times["native"], strict=True)
    times["wrapper alone"] = [wrapped - alone for wrapped, alone in pairs]
    return medians(times)


def machine() -> dict[str, Any]:
    """The machine, and how busy it is."""
    return {"processor": processor(), "cores": os.cpu_count(), "load before": os.getloadavg()[0]}


def processor() -> str:
    """The model of the processor, as well as the system tells."""
    information = Path("/proc/cpuinfo")
    if information.exists():
        model = re.search(r"model name\s*: (.*)", information.read_text(encoding="utf-8"))
        if model:
            return model[1]
    return platform.processor() or platform.machine()


def versions(distributions: Iterable[str]) -> dict[str, str]:
    """Versions of Python and of these distributions, as far as they are installed."""
    found = {"python": platform.python_version()}
    for name in distributions:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
