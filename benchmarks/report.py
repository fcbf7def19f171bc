"""Bring the figures of both plugins together: a table, the bars, a JSON file and a chart.

python report.py OURS.json PUBLISHED.json FIGURES.json CHART.svg
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chart import Series, draw
from functions import CHAINS, SHAPES, Cell, cells

ON_PYTHON = "on Python"
LARGEST = max(SHAPES)


@dataclass(frozen=True)
class Comparison:
    """A cell with what was measured of it; None where the function stayed on Python."""

    cell: Cell
    ours: Mapping[str, Any] | None
    published: Mapping[str, Any] | None

    @property
    def family(self) -> str:
        """The family of its operation."""
        return self.cell.function.operation.family

    def ratio(self, which: str, of: str = "native/numpy") -> float | None:
        """The median of a ratio, of our function or of the published plugin's."""
        figures = self.ours if which == "ours" else self.published
        return None if figures is None or of not in figures["ratio"] else figures["ratio"][of][1]

    def ours_to_published(self) -> float | None:
        """Each is taken relative to the NumPy in its own process."""
        ours, published = self.ratio("ours"), self.ratio("published")
        return None if ours is None or published is None else ours / published

    def record(self) -> dict[str, Any]:
        """What the figures file holds."""
        function = self.cell.function
        quotient = self.ours_to_published()
        return {
            "family": self.family,
            "expression": function.expression,
            "dtype": function.dtype,
            "shape": self.cell.shape,
            "size": self.cell.size,
            "layout": self.cell.layout,
            "ours": self.ours or ON_PYTHON,
            "published": self.published or ON_PYTHON,
            "ours/published": None if quotient is None else float(f"{quotient:.3g}"),
        }


@dataclass(frozen=True)
class Bar:
    """A limit that a figure should keep in the cells it applies to."""

    text: str
    limit: float
    figure: Callable[[Comparison], float | None]
    applies: Callable[[Cell], bool]

    def figures(self, comparisons: Iterable[Comparison]) -> dict[str, float]:
        """The figure of each cell that has one, by the cell's name, the largest first."""
        figures = {
            comparison.cell.name: figure
            for comparison in comparisons
            if self.applies(comparison.cell) and (figure := self.figure(comparison)) is not None
        }
        return dict(sorted(figures.items(), key=lambda item: -item[1]))


def native(comparison: Comparison) -> float | None:
    """Our native function beside NumPy."""
    return comparison.ratio("ours")


def wrapped(comparison: Comparison) -> float | None:
    """Our function through core's wrapper beside NumPy."""
    return comparison.ratio("ours", "wrapper/numpy")


def beside_numba(comparison: Comparison) -> float | None:
    """Our native function beside numba's."""
    return comparison.ratio("ours", "native/numba")


def of_size(size: int) -> Callable[[Cell], bool]:
    """Cells of one size."""
    return lambda cell: cell.size == size


def at_100_000(*families: str, dtype: str = "") -> Callable[[Cell], bool]:
    """Cells of some families with 100,000 elements."""
    return lambda cell: (
        cell.size == 100_000
        and cell.function.operation.family in families
        and dtype in cell.function.dtype
    )


def limit_at(size: int) -> float:
    """At the largest size memory bounds both sides: up to five percent count as equal."""
    return 1.05 if size == LARGEST else 1.0


SUMS = ("row mean", "column sum", "whole sum")
BARS: tuple[Bar, ...] = (
    *(Bar(f"native/NumPy, {size:,}", limit_at(size), native, of_size(size)) for size in SHAPES),
    *(
        Bar(f"wrapper/NumPy, {size:,}", limit_at(size), wrapped, of_size(size))
        for size in (100_000, LARGEST)
    ),
    Bar("chains of 2, 100,000", 0.8, native, at_100_000("chain of 2")),
    Bar("chains of 4, 100,000", 0.45, native, at_100_000("chain of 4")),
    Bar("2-D + 1-D, 100,000", 0.6, native, at_100_000("2-D + 1-D")),
    Bar(
        "row mean, column and whole sum, 100,000", 0.65, native, at_100_000(*SUMS, dtype="float64")
    ),
    Bar("int64 dot, 100,000", 0.5, native, at_100_000("dot", dtype="int64")),
    Bar("compare and where, 100,000", 0.2, native, at_100_000("compare and where")),
    Bar("ours/published", 1.0, Comparison.ours_to_published, lambda _: True),
    Bar(
        "chains, native/numba, 1,000 and more",
        1.0,
        beside_numba,
        lambda cell: cell.size >= 1_000 and cell.function.operation.family in CHAINS,
    ),
)


def joined(ours: Mapping[str, Any], published: Mapping[str, Any]) -> list[Comparison]:
    """The cells that were measured, with both sides' figures."""
    return [
        Comparison(cell, ours["cells"][cell.name], published["cells"][cell.name])
        for cell in cells()
        if cell.name in ours["cells"]
    ]


def table(comparisons: Iterable[Comparison]) -> Iterator[str]:
    """A line for each function and layout, with a column for each size."""
    lines: dict[tuple[str, ...], dict[int, str]] = {}
    for comparison in comparisons:
        function = comparison.cell.function
        key: tuple[str, ...] = (
            comparison.family,
            function.expression,
            function.dtype,
            f"{function.rank}-D",
            comparison.cell.layout,
        )
        cell = "/".join(
            [
                shown(comparison.ratio("ours"), comparison.ours),
                shown(comparison.ratio("ours", "wrapper/numpy"), comparison.ours),
                shown(comparison.ratio("published"), comparison.published),
            ]
        )
        lines.setdefault(key, {})[comparison.cell.size] = cell
    headings = ("family", "expression", "dtype", "rank", "layout")
    widths = [max(map(len, column)) for column in zip(headings, *lines, strict=True)]
    yield "Ratios to NumPy: our native function/through the wrapper/the published plugin's function"
    yield row(widths, headings, (f"{size:,}" for size in SHAPES))
    for key, columns in lines.items():
        yield row(widths, key, (columns.get(size, "") for size in SHAPES))


def row(widths: Iterable[int], words: Iterable[str], columns: Iterable[str]) -> str:
    """One line of the table."""
    left = (f"{word:{width}}" for word, width in zip(words, widths, strict=True))
    return "  ".join([*left, *(f"{column:>15}" for column in columns)]).rstrip()


def shown(ratio: float | None, figures: Mapping[str, Any] | None) -> str:
    """A ratio as in the table."""
    if figures is None:
        return "py"
    return "-" if ratio is None else f"{ratio:.2f}" if ratio < 10 else f"{ratio:.0f}"


def summary(comparisons: list[Comparison]) -> Iterator[str]:
    """The bars with their worst cells, the cells that miss one, and the means."""
    missing: dict[str, dict[str, float]] = {}
    yield f"{'bar':40} {'limit':>5} {'cells':>5} {'kept':>5} {'median':>6} {'worst':>6}"
    for bar in BARS:
        figures = bar.figures(comparisons)
        if not figures:
            yield f"{bar.text:40} {bar.limit:5.2f}     0"
            continue
        above = {name: figure for name, figure in figures.items() if figure > bar.limit}
        missing[bar.text] = above
        worst = next(iter(figures))
        yield (
            f"{bar.text:40} {bar.limit:5.2f} {len(figures):5} {len(figures) - len(above):5} "
            f"{statistics.median(figures.values()):6.2f} {figures[worst]:6.2f}  {worst}"
        )
    for text, above in missing.items():
        if above:
            yield f"\nAbove the bar: {text}"
            yield from (f"  {figure:6.2f}  {name}" for name, figure in above.items())
    yield ""
    quotients = [
        quotient
        for comparison in comparisons
        if (quotient := comparison.ours_to_published()) is not None
    ]
    if quotients:
        mean = statistics.geometric_mean(quotients)
        yield f"ours/published, geometric mean of {len(quotients)} cells: {mean:.3f}"
    for side in ("ours", "published"):
        apart = f"{spread(comparisons, side):.0%}"
        yield f"spread, {side}: the quartiles of native/NumPy are {apart} apart in the median cell"
        names = {
            comparison.cell.function.name
            for comparison in comparisons
            if getattr(comparison, side) is None
        }
        if names:
            yield f"{ON_PYTHON}, {side}: {', '.join(sorted(names))}"


def spread(comparisons: Iterable[Comparison], side: str) -> float:
    """How far apart the quartiles of a cell's ratio are, relative to it: the median cell's."""
    widths = [0.0]
    for comparison in comparisons:
        figures = getattr(comparison, side)
        if figures is not None:
            low, median, high = figures["ratio"]["native/numpy"]
            widths.append((high - low) / median)
    return statistics.median(widths)


def circumstances(measured: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Where it was measured, and what core's wrapper alone costs there."""
    for name, answer in measured.items():
        machine, times = answer["machine"], answer["wrapper"]
        yield (
            f"{name}: {machine['processor']}, {machine['cores']} cores, "
            f"load {machine['load before']:.1f} before it began; wrapper alone "
            f"{times['wrapper alone']} us (a native function of {times['native']} us takes "
            f"{times['wrapper']} us through it)"
        )


def write_figures(
    path: Path, measured: Mapping[str, Mapping[str, Any]], comparisons: Iterable[Comparison]
) -> None:
    """Write the figures file, one line for each cell."""
    head = {
        key: {name: answer[key] for name, answer in measured.items()}
        for key in ("machine", "versions", "wrapper")
    }
    lines = ",\n".join(
        json.dumps(comparison.record(), separators=(",", ":")) for comparison in comparisons
    )
    text = json.dumps(head, indent=1).removesuffix("\n}")
    path.write_text(f'{text},\n "cells": [\n{lines}\n]}}\n', encoding="utf-8")


def series(name: str, comparisons: Iterable[Comparison]) -> Series:
    """The ratios to NumPy by size and family, for the chart; none for a family on Python."""
    found: Series = {}
    for comparison in comparisons:
        ratios = found.setdefault((comparison.cell.size, comparison.family), [])
        ratio = comparison.ratio(name)
        if ratio is not None:
            ratios.append(ratio)
    return found


def main() -> None:
    """Read, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("ours", "published", "figures", "chart"):
        parser.add_argument(name, type=Path)
    options = parser.parse_args()
    measured = {
        name: json.loads(getattr(options, name).read_text(encoding="utf-8"))
        for name in ("ours", "published")
    }
    comparisons = joined(measured["ours"], measured["published"])
    for line in (*table(comparisons), "", *circumstances(measured), "", *summary(comparisons)):
        print(line)
    write_figures(options.figures, measured, comparisons)
    draw({name: series(name, comparisons) for name in measured}, options.chart)


if __name__ == "__main__":
    main()
