"""What the reports share: limits that figures should keep, tables, and the figures file."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, NamedTuple, Protocol, TypeVar


class Named(Protocol):
    """What is measured, and named in tables."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...


Measured = TypeVar("Measured", bound=Named)


class Figure(NamedTuple):
    """A figure of a cell; where it is a median of rounds, with the quartile below it."""

    value: float
    low: float | None = None

    def keeps(self, limit: float) -> bool:
        """Whether it is not above the limit."""
        return self.value <= limit

    def is_near(self, limit: float) -> bool:
        """Whether it is above the limit, yet a quarter of its rounds was not."""
        return not self.keeps(limit) and self.low is not None and self.low <= limit

    def __str__(self) -> str:
        """As the summary shows it."""
        low = "" if self.low is None else f"  (a quarter of the rounds at most {self.low:.2f})"
        return f"{self.value:6.2f}{low}"


def median_of(quartiles: Sequence[float] | None) -> Figure | None:
    """A ratio's median as a figure."""
    return None if quartiles is None else Figure(quartiles[1], quartiles[0])


@dataclass(frozen=True)
class Bar(Generic[Measured]):
    """A limit that a figure should keep in the cells it applies to."""

    text: str
    limit: float
    figure: Callable[[Measured], Figure | None]
    applies: Callable[[Measured], bool]


def summary(bars: Iterable[Bar[Measured]], measured: Sequence[Measured]) -> Iterator[str]:
    """The bars with their worst cells, and the cells that miss one."""
    missing: dict[str, dict[str, Figure]] = {}
    yield f"{'bar':40} {'limit':>5} {'cells':>5} {'kept':>5} {'near':>5} {'median':>6} {'worst':>6}"
    for bar in bars:
        found = {
            cell.name: figure
            for cell in measured
            if bar.applies(cell) and (figure := bar.figure(cell)) is not None
        }
        figures = dict(sorted(found.items(), key=lambda item: -item[1].value))
        if not figures:
            yield f"{bar.text:40} {bar.limit:5.2f}     0"
            continue
        above = {name: figure for name, figure in figures.items() if not figure.keeps(bar.limit)}
        missing[bar.text] = above
        near = sum(figure.is_near(bar.limit) for figure in above.values())
        median = statistics.median(figure.value for figure in figures.values())
        worst, figure = next(iter(figures.items()))
        yield (
            f"{bar.text:40} {bar.limit:5.2f} {len(figures):5} {len(figures) - len(above):5} "
            f"{near:5} {median:6.2f} {figure.value:6.2f}  {worst}"
        )
    for text, above in missing.items():
        if above:
            yield f"\nAbove the bar: {text}"
            yield from (f"  {name}: {figure}" for name, figure in above.items())


def spread(quartiles: Iterable[Sequence[float]]) -> float:
    """How far apart the quartiles of a cell's ratio are, relative to it: the median cell's."""
    return statistics.median([0.0, *((high - low) / median for low, median, high in quartiles)])


def ratio_text(ratio: float | None) -> str:
    """A ratio as in tables."""
    return "-" if ratio is None else f"{ratio:.2f}" if ratio < 10 else f"{ratio:.0f}"


def row(widths: Iterable[int], words: Iterable[str], columns: Iterable[str]) -> str:
    """One line of a table."""
    left = (f"{word:{width}}" for word, width in zip(words, widths, strict=True))
    return "  ".join([*left, *(f"{column:>15}" for column in columns)]).rstrip()


def write_figures(
    path: Path, head: Mapping[str, object], records: Iterable[Mapping[str, object]]
) -> None:
    """Write a figures file, one line for each cell."""
    lines = ",\n".join(json.dumps(record, separators=(",", ":")) for record in records)
    text = json.dumps(head, indent=1).removesuffix("\n}")
    path.write_text(f'{text},\n "cells": [\n{lines}\n]}}\n', encoding="utf-8")
