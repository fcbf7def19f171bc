"""The chart of ratios to what was there before."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

Series = dict[tuple[str, str], list[float]]
"""Ratios by panel and family."""

INK = "#767676"
"""The grey that stands out as well from white as from black."""


@dataclass(frozen=True)
class Style:
    """How one contestant is drawn: told apart by colour, shape and place."""

    label: str
    colour: str
    marker: str
    offset: float


# Colours of Okabe and Ito, which people tell apart whatever colours they see.
BLUE = "#0072B2"
GREEN = "#009E73"
VERMILION = "#D55E00"


@dataclass(frozen=True)
class Chart:
    """Panels in lines, each with a row for each family."""

    panels: Sequence[Sequence[str]]
    """Their titles."""
    families: Sequence[str]
    baseline: str
    """What a ratio of 1 is."""
    size: tuple[float, float]
    """Inches."""

    def draw(self, measured: Sequence[tuple[Style, Series]], path: Path) -> None:
        """Draw a line from the best to the worst cell of each family, and a mark at the mean."""
        # Text stays text, and the same figures give the same bytes.
        settings = {"svg.fonttype": "none", "svg.hashsalt": path.stem, "text.color": INK}
        with mpl.rc_context(settings):
            figure = Figure(figsize=self.size, layout="constrained")
            shape = (len(self.panels), len(self.panels[0]))
            grid = figure.subplots(*shape, sharex=True, sharey=True, squeeze=False)
            for panels, titles in zip(grid, self.panels, strict=True):
                for panel, title in zip(panels, titles, strict=True):
                    for style, series in measured:
                        for height, family in enumerate(self.families):
                            if (title, family) in series:
                                draw_family(panel, height, series[title, family], style)
                    frame(panel, title, self.families)
            label = f"time relative to {self.baseline} (1 is {self.baseline}, less is quicker)"
            figure.supxlabel(label, fontsize=10)
            marks = [
                Line2D([], [], color=style.colour, marker=style.marker, label=style.label)
                for style, _ in measured
            ]
            figure.legend(
                handles=marks, loc="outside upper center", ncols=len(marks), frameon=False
            )
            figure.savefig(path, transparent=True, metadata={"Date": None})


def draw_family(panel: Axes, height: int, ratios: list[float], style: Style) -> None:
    """Draw one plugin's cells of a family."""
    y = height + style.offset
    if not ratios:
        panel.text(1, y, "on Python", color=style.colour, fontsize=7, va="center")
        return
    panel.plot([min(ratios), max(ratios)], [y, y], color=style.colour, linewidth=1.6)
    mean = statistics.geometric_mean(ratios)
    panel.plot(mean, y, color=style.colour, marker=style.marker, markersize=5)


def frame(panel: Axes, title: str, families: Sequence[str]) -> None:
    """Draw what a panel's figures are read by."""
    panel.set_title(title, fontsize=10)
    panel.set_xscale("log")
    panel.xaxis.set_major_formatter("{x:g}")
    panel.set_yticks(range(len(families)), families)
    panel.set_ylim(len(families) - 0.5, -0.5)
    panel.axvline(1, color=INK, linewidth=1)
    panel.grid(axis="x", color=INK, alpha=0.3, linewidth=0.6)
    panel.tick_params(which="both", color=INK, labelcolor=INK, labelsize=9)
    panel.tick_params(axis="y", length=0)
    for spine in panel.spines.values():
        spine.set_visible(False)
