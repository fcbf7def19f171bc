"""The chart of ratios to NumPy."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from functions import FAMILIES, SHAPES

Series = dict[tuple[int, str], list[float]]
"""Ratios by size and family."""

INK = "#767676"
"""The grey that stands out as well from white as from black."""


@dataclass(frozen=True)
class Style:
    """How one plugin is drawn: told apart by colour, shape and place."""

    label: str
    colour: str
    marker: str
    offset: float


# Colours of Okabe and Ito, which people tell apart whatever colours they see.
STYLES: Mapping[str, Style] = {
    "ours": Style("this repository", "#0072B2", "o", -0.17),
    "published": Style("rextio-numpy 0.1.3", "#D55E00", "D", 0.17),
}


def draw(measured: Mapping[str, Series], path: Path) -> None:
    """Draw a panel for each size: a line from the best to the worst cell, a mark at the mean."""
    # Text stays text, and the same figures give the same bytes.
    settings = {"svg.fonttype": "none", "svg.hashsalt": "kernels", "text.color": INK}
    with mpl.rc_context(settings):
        figure = Figure(figsize=(13, 6.5), layout="constrained")
        panels = figure.subplots(1, len(SHAPES), sharex=True, sharey=True)
        for panel, size in zip(panels, SHAPES, strict=True):
            for name, series in measured.items():
                for height, family in enumerate(FAMILIES):
                    if (size, family) in series:
                        draw_family(panel, height, series[size, family], STYLES[name])
            frame(panel, f"{size:,} elements")
        figure.supxlabel("time relative to NumPy (1 is NumPy, less is quicker)", fontsize=10)
        marks = [
            Line2D([], [], color=style.colour, marker=style.marker, label=style.label)
            for style in STYLES.values()
        ]
        figure.legend(handles=marks, loc="outside upper center", ncols=2, frameon=False)
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


def frame(panel: Axes, title: str) -> None:
    """Draw what a panel's figures are read by."""
    panel.set_title(title, fontsize=10)
    panel.set_xscale("log")
    panel.xaxis.set_major_formatter("{x:g}")
    panel.set_yticks(range(len(FAMILIES)), FAMILIES)
    panel.set_ylim(len(FAMILIES) - 0.5, -0.5)
    panel.axvline(1, color=INK, linewidth=1)
    panel.grid(axis="x", color=INK, alpha=0.3, linewidth=0.6)
    panel.tick_params(which="both", color=INK, labelcolor=INK, labelsize=9)
    panel.tick_params(axis="y", length=0)
    for spine in panel.spines.values():
        spine.set_visible(False)
