"""Test accuracy over the length of the chain, as curves: a panel for each training set.

A line is the mean over the seeds and its band their standard deviation. Beside the models, in grey, how
far one gets without any: look-ups and ceilings.
"""

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from clutrr import paper
from clutrr.measure import numbers
from clutrr.report.figures import COLOURS, MARKERS, new_figure
from clutrr.report.grid import Cell, Grid

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CEILINGS = ("label known", "rules shown")  # no model of a kind can do better; the others are look-ups
_GREYS = ("#555555", "#777777", "#999999", "#666666", "#888888")
_MARKS = ("x", "+", "1", "2", "3")


def lengths_figure(grid: Grid) -> "Figure":
    """The curves of every training set, side by side, three in a row."""
    rows = -(-len(grid.trained_on) // 3)
    columns = -(-len(grid.trained_on) // rows)
    with new_figure(1.0 + 4.2 * columns, 3.4 * rows + 1.0) as figure:
        axes = figure.subplots(rows, columns, squeeze=False, sharey=True)
        panels = [panel for row in axes for panel in row]
        for panel in panels[len(grid.trained_on) :]:
            panel.set_visible(False)
        for i, (train, panel) in enumerate(zip(grid.trained_on, panels, strict=False)):
            _panel(grid, train, panel)
            if i % columns == 0:
                panel.set_ylabel("test accuracy, %")
        named: dict[str, Any] = {}  # what some panel has, once
        for panel in panels:
            handles, names = panel.get_legend_handles_labels()
            named |= {name: handle for handle, name in zip(handles, names, strict=True) if name not in named}
        if named:
            figure.legend(
                named.values(),
                named.keys(),
                frameon=False,
                fontsize=9,
                loc="outside lower center",
                ncols=min(4, len(named)),
            )
    return figure


def _panel(grid: Grid, train: str, panel: "Axes") -> None:
    tests = series(grid.tested_on)
    lengths = sorted({k for group in tests.values() for k in group})
    for k in trained_lengths(train):
        panel.axvspan(k - 0.4, k + 0.4, color="#9a9a9a", alpha=0.18, linewidth=0)
    for label, group in tests.items():
        for i, name in enumerate(grid.lookups):
            cells = [grid.cell(grid.models[0], train, test) for test in group.values()]
            _lookup(panel, group, cells, name, i)
        for i, model in enumerate(grid.models):
            cells = [grid.cell(model, train, test) for test in group.values()]
            _curve(panel, group, cells, f"{paper.title(model)} {label}".strip(), i, label)
    panel.set_title(f"trained on {train}", fontsize=11)
    panel.set_xlabel("facts in the chain tested on")
    if lengths:
        panel.set_xticks(lengths)
        panel.set_xlim(lengths[0] - 0.5, lengths[-1] + 0.5)
    panel.set_ylim(0, 103)
    panel.grid(axis="y", color="#9a9a9a", alpha=0.35, linewidth=0.6)
    panel.spines[["top", "right"]].set_visible(False)


def _curve(
    panel: "Axes", lengths: Iterable[int], cells: Sequence[Cell], name: str, look: int, label: str
) -> None:
    """The mean over the seeds, with a band of a standard deviation where there are several."""
    found = [
        (k, c.accuracy, c.spread or 0.0)
        for k, c in zip(lengths, cells, strict=True)
        if c.accuracy is not None
    ]
    if not found:
        return
    colour, marker = COLOURS[look % len(COLOURS)], MARKERS[look % len(MARKERS)]
    places = [k for k, _, _ in found]
    if any(spread for _, _, spread in found):
        low = [max(0.0, mean - spread) for _, mean, spread in found]
        high = [min(100.0, mean + spread) for _, mean, spread in found]
        panel.fill_between(places, low, high, color=colour, alpha=0.22, linewidth=0)
    style = "-" if not label else "--"
    means = [mean for _, mean, _ in found]
    panel.plot(
        places, means, style, color=colour, marker=marker, markersize=5, linewidth=2, label=name, zorder=3
    )


def _lookup(panel: "Axes", lengths: Iterable[int], cells: Sequence[Cell], name: str, look: int) -> None:
    found = [(k, c.lookups[name]) for k, c in zip(lengths, cells, strict=True) if name in c.lookups]
    if not found:
        return
    kind, style = ("ceiling", "--") if name in CEILINGS else ("look-up", ":")
    colour, mark = _GREYS[look % len(_GREYS)], _MARKS[look % len(_MARKS)]
    places, values = zip(*found, strict=True)
    panel.plot(
        places, values, style, color=colour, marker=mark, markersize=6, linewidth=1.2, label=f"{kind}: {name}"
    )


def series(tested_on: Sequence[str]) -> dict[str, dict[int, str]]:
    """The subsets by length, for each data set that they are from ("" where there is one)."""
    found: dict[str, dict[int, str]] = {}
    for test in tested_on:
        if match := re.fullmatch(r"(?:(.*) )?M(\d+)", test):
            found.setdefault(match[1] or "", {})[int(match[2])] = test
    return {label: dict(sorted(group.items())) for label, group in found.items()}


def trained_lengths(train: str) -> tuple[int, ...]:
    """Those that the name of a training set says."""
    return numbers(train[1:], "train") if re.fullmatch(r"M[\d,-]+", train) else ()
