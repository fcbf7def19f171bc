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

from chart import BLUE, VERMILION, Chart, Series, Style
from figures import Bar, Figure, median_of, ratio_text, row, spread, summary, write_figures
from functions import CHAINS, FAMILIES, SHAPES, Cell, cells

ON_PYTHON = "on Python"
LARGEST = max(SHAPES)

STYLES: Mapping[str, Style] = {
    "ours": Style("this repository", BLUE, "o", -0.17),
    "published": Style("rextio-numpy 0.1.3", VERMILION, "D", 0.17),
}


@dataclass(frozen=True)
class Comparison:
    """A cell with what was measured of it; None where the function stayed on Python."""

    cell: Cell
    ours: Mapping[str, Any] | None
    published: Mapping[str, Any] | None

    @property
    def name(self) -> str:
        """The name of the cell."""
        return self.cell.name

    @property
    def family(self) -> str:
        """The family of its operation."""
        return self.cell.function.operation.family

    def quartiles(self, which: str, of: str = "native/numpy") -> list[float] | None:
        """Those of a ratio, of our function or of the published plugin's."""
        figures = self.ours if which == "ours" else self.published
        return None if figures is None else figures["ratio"].get(of)

    def ratio(self, which: str, of: str = "native/numpy") -> float | None:
        """The median of a ratio."""
        quartiles = self.quartiles(which, of)
        return None if quartiles is None else quartiles[1]

    def record(self) -> dict[str, Any]:
        """What the figures file holds."""
        function = self.cell.function
        return {
            "family": self.family,
            "expression": function.expression,
            "dtype": function.dtype,
            "shape": self.cell.shape,
            "size": self.cell.size,
            "layout": self.cell.layout,
            "ours": self.ours or ON_PYTHON,
            "published": self.published or ON_PYTHON,
        }


def ours(of: str) -> Callable[[Comparison], Figure | None]:
    """A ratio of our function."""
    return lambda comparison: median_of(comparison.quartiles("ours", of))


def of_size(size: int) -> Callable[[Comparison], bool]:
    """Cells of one size."""
    return lambda comparison: comparison.cell.size == size


def at_100_000(*families: str, dtype: str = "") -> Callable[[Comparison], bool]:
    """Cells of some families with 100,000 elements."""
    return lambda comparison: (
        comparison.cell.size == 100_000
        and comparison.family in families
        and dtype in comparison.cell.function.dtype
    )


def limit_at(size: int) -> float:
    """At the largest size memory bounds both sides: up to five percent count as equal."""
    return 1.05 if size == LARGEST else 1.0


SUMS = ("row mean", "column sum", "whole sum")
NATIVE = ours("native/numpy")
BARS: tuple[Bar[Comparison], ...] = (
    *(Bar(f"native/NumPy, {size:,}", limit_at(size), NATIVE, of_size(size)) for size in SHAPES),
    *(
        Bar(f"wrapper/NumPy, {size:,}", limit_at(size), ours("wrapper/numpy"), of_size(size))
        for size in (100_000, LARGEST)
    ),
    Bar("chains of 2, 100,000", 0.8, NATIVE, at_100_000("chain of 2")),
    Bar("chains of 4, 100,000", 0.45, NATIVE, at_100_000("chain of 4")),
    Bar("2-D + 1-D, 100,000", 0.6, NATIVE, at_100_000("2-D + 1-D")),
    Bar(
        "row mean, column and whole sum, 100,000", 0.65, NATIVE, at_100_000(*SUMS, dtype="float64")
    ),
    Bar("int64 dot, 100,000", 0.5, NATIVE, at_100_000("dot", dtype="int64")),
    Bar("compare and where, 100,000", 0.2, NATIVE, at_100_000("compare and where")),
    Bar("ours/published", 1.0, ours("native/published"), lambda _: True),
    Bar(
        "chains, native/numba, 1,000 and more",
        1.0,
        ours("native/numba"),
        lambda comparison: comparison.cell.size >= 1_000 and comparison.family in CHAINS,
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


def shown(ratio: float | None, figures: Mapping[str, Any] | None) -> str:
    """A ratio as in the table."""
    return "py" if figures is None else ratio_text(ratio)


def means(comparisons: list[Comparison]) -> Iterator[str]:
    """What the cells have in common."""
    quotients = [
        quotient
        for comparison in comparisons
        if (quotient := comparison.ratio("ours", "native/published")) is not None
    ]
    if quotients:
        mean = statistics.geometric_mean(quotients)
        yield f"ours/published, geometric mean of {len(quotients)} cells: {mean:.3f}"
    for side in ("ours", "published"):
        quartiles = (comparison.quartiles(side) for comparison in comparisons)
        apart = f"{spread(found for found in quartiles if found is not None):.0%}"
        yield f"spread, {side}: the quartiles of native/NumPy are {apart} apart in the median cell"
        names = {
            comparison.cell.function.name
            for comparison in comparisons
            if getattr(comparison, side) is None
        }
        if names:
            yield f"{ON_PYTHON}, {side}: {', '.join(sorted(names))}"


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


def panel(size: int) -> str:
    """The title of a panel of the chart."""
    return f"{size:,} elements"


def series(name: str, comparisons: Iterable[Comparison]) -> Series:
    """The ratios to NumPy by panel and family, for the chart; none for a family on Python."""
    found: Series = {}
    for comparison in comparisons:
        ratios = found.setdefault((panel(comparison.cell.size), comparison.family), [])
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
    parts = (
        table(comparisons),
        circumstances(measured),
        summary(BARS, comparisons),
        means(comparisons),
    )
    for part in parts:
        print(*part, "", sep="\n")
    head = {
        key: {name: answer[key] for name, answer in measured.items()}
        for key in ("machine", "versions", "wrapper")
    }
    write_figures(options.figures, head, (comparison.record() for comparison in comparisons))
    chart = Chart([[panel(size) for size in SHAPES]], FAMILIES, "NumPy", (13, 6.5))
    drawn = [(style, series(name, comparisons)) for name, style in STYLES.items()]
    chart.draw(drawn, options.chart)


if __name__ == "__main__":
    main()
