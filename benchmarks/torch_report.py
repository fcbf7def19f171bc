"""Bring the figures of the PyTorch plugin together: a table, the bars, a JSON file and a chart.

python torch_report.py MEASURED.json BUILDS.json FIGURES.json CHART.svg
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chart import BLUE, GREEN, VERMILION, Chart, Series, Style
from figures import Bar, Figure, median_of, ratio_text, row, spread, summary, write_figures
from torch_functions import FAMILIES, SHAPES, THREADS, Cell, cells, size_name

ON_PYTHON = "on Python"

COLUMNS = ("native/eager", "wrapper/eager", "published/eager")

STYLES: Mapping[str, Style] = {
    "native/eager": Style("native function", BLUE, "o", -0.24),
    "wrapper/eager": Style("through core's wrapper", GREEN, "s", 0),
    "published/eager": Style("native function, rextio-torch 0.1.0", VERMILION, "D", 0.24),
}


@dataclass(frozen=True)
class Measured:
    """A cell with what was measured of it; None where the function stayed on Python."""

    cell: Cell
    figures: Mapping[str, Any] | None

    @property
    def name(self) -> str:
        """The name of the cell."""
        return self.cell.name

    def quartiles(self, ratio: str) -> list[float] | None:
        """Those of a ratio."""
        return None if self.figures is None else self.figures["ratio"].get(ratio)

    def record(self) -> dict[str, Any]:
        """What the figures file holds."""
        function = self.cell.function
        return {
            "family": function.family,
            "function": function.name,
            "rows": self.cell.rows,
            "width": self.cell.width,
            "threads": self.cell.threads,
            **(self.figures or {"us": ON_PYTHON}),
        }


def ratio(name: str) -> Callable[[Measured], Figure | None]:
    """The figure of a ratio."""
    return lambda measured: median_of(measured.quartiles(name))


def everywhere(_: Measured) -> bool:
    """Every cell."""
    return True


def small_chains(measured: Measured) -> bool:
    """Chains in which calls cost more than arithmetic."""
    return measured.cell.function.family == "chain" and measured.cell.is_small


BARS: tuple[Bar[Measured], ...] = (
    Bar("native/eager", 1.0, ratio("native/eager"), everywhere),
    Bar("native/eager, chains at most 8x64", 0.8, ratio("native/eager"), small_chains),
    Bar("wrapper/eager, chains at most 8x64", 1.0, ratio("wrapper/eager"), small_chains),
    Bar("native/published", 1.0, ratio("native/published"), everywhere),
)


def joined(figures: Mapping[str, Any]) -> list[Measured]:
    """The cells that were measured."""
    return [Measured(cell, figures[cell.name]) for cell in cells() if cell.name in figures]


def table(all_measured: Iterable[Measured]) -> Iterator[str]:
    """A line for each function and number of threads, with a column for each shape."""
    lines: dict[tuple[str, ...], dict[tuple[int, int], str]] = {}
    for measured in all_measured:
        cell = measured.cell
        found = [measured.quartiles(name) for name in COLUMNS]
        medians = [None if quartiles is None else quartiles[1] for quartiles in found]
        text = "py" if measured.figures is None else "/".join(map(ratio_text, medians))
        key: tuple[str, ...] = (cell.function.family, cell.function.name, cell.threads)
        lines.setdefault(key, {})[cell.rows, cell.width] = text
    headings = ("family", "function", "threads")
    widths = [max(map(len, column)) for column in zip(headings, *lines, strict=True)]
    yield "Ratios to eager PyTorch: our native function/through the wrapper/the published plugin's"
    yield row(widths, headings, (f"{rows}x{width}" for rows, width in SHAPES))
    for key, columns in lines.items():
        yield row(widths, key, (columns.get(shape, "") for shape in SHAPES))


def circumstances(answer: Mapping[str, Any], all_measured: Iterable[Measured]) -> Iterator[str]:
    """Where it was measured, how steadily, and what core's wrapper alone costs there."""
    machine, times = answer["machine"], answer["wrapper"]
    yield (
        f"{machine['processor']}, {machine['cores']} cores, {machine['threads of torch']} threads, "
        f"load {machine['load before']:.1f} before it began"
    )
    yield (
        f"wrapper alone {times['wrapper alone']} us (a native function of {times['native']} us "
        f"takes {times['wrapper']} us through it)"
    )
    quartiles = [measured.quartiles("native/eager") for measured in all_measured]
    apart = f"{spread(found for found in quartiles if found is not None):.0%}"
    yield f"spread: the quartiles of native/eager are {apart} apart in the median cell"
    names = sorted({measured.name for measured in all_measured if measured.figures is None})
    if names:
        yield f"{ON_PYTHON}: {', '.join(names)}"


def builds_table(builds: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """How long builds took."""
    yield "rextio build"
    for build in builds:
        yield f"  {build['plugin']:10} {build['build']:7} {build['seconds']:7.1f} s"


def series(name: str, all_measured: Iterable[Measured]) -> Series:
    """A ratio by panel and family, for the chart; none for a family on Python."""
    found: Series = {}
    for measured in all_measured:
        cell = measured.cell
        size = size_name(cell.rows, cell.width, cell.threads)
        ratios = found.setdefault((size, cell.function.family), [])
        quartiles = measured.quartiles(name)
        if quartiles is not None:
            ratios.append(quartiles[1])
    return found


def main() -> None:
    """Read, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("measured", "builds", "figures", "chart"):
        parser.add_argument(name, type=Path)
    options = parser.parse_args()
    answer = json.loads(options.measured.read_text(encoding="utf-8"))
    builds = json.loads(options.builds.read_text(encoding="utf-8"))
    measured = joined(answer["cells"])
    parts = (
        table(measured),
        circumstances(answer, measured),
        summary(BARS, measured),
        builds_table(builds),
    )
    for part in parts:
        print(*part, "", sep="\n")
    head = {key: answer[key] for key in ("machine", "versions", "wrapper")} | {"builds": builds}
    write_figures(options.figures, head, (each.record() for each in measured))
    panels = [[size_name(*shape, threads) for shape in SHAPES] for threads in THREADS]
    drawn = [(style, series(name, measured)) for name, style in STYLES.items()]
    Chart(panels, FAMILIES, "eager PyTorch", (13, 6.5)).draw(drawn, options.chart)


if __name__ == "__main__":
    main()
