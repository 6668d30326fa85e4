"""Test accuracy by the number of facts, as curves: a panel for each training set, or for each style
tested on, if stories are told in several.

For an experiment, a line is the mean over the seeds and its band their standard deviation; for somebody's
answers, the band is the 95 % interval. Look-ups and ceilings, which need no model, are
shown in grey.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from clutrr import paper
from clutrr.measure import numbers
from clutrr.report.compare import Comparison
from clutrr.report.figures import COLOURS, MARKERS, new_figure
from clutrr.report.table import Entry, Table, style_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CEILINGS = (
    "label known",
    "rules shown",
)  # ceilings, which no model of a kind exceeds; the others are look-ups
_GREYS = ("#555555", "#777777", "#999999", "#666666", "#888888")
_MARKS = ("x", "+", "1", "2", "3")
Point = tuple[int, float, float, float]  # length, accuracy, and from where to where its band is


def lengths_figure(table: Table) -> "Figure":
    """The curves of every training set or style, side by side, three in a row."""
    drawn = table.styles or table.trained_on
    rows = -(-len(drawn) // 3)
    columns = -(-len(drawn) // rows)
    with new_figure(1.0 + 4.2 * columns, 3.4 * rows + 1.0) as figure:
        axes = figure.subplots(rows, columns, squeeze=False, sharey=True)
        panels = [panel for row in axes for panel in row]
        for panel in panels[len(drawn) :]:
            panel.set_visible(False)
        for i, (name, panel) in enumerate(zip(drawn, panels, strict=False)):
            (_style_panel if table.styles else _panel)(table, name, panel)
            if i % columns == 0:
                panel.set_ylabel("test accuracy, %")
        _legend(figure, panels, title="model, trained on" if table.styles else None)
    return figure


def compared_figure(comparison: Comparison) -> "Figure":
    """The curves of several models' answers to one data set."""
    with new_figure(7.2, 4.6) as figure:
        panel = figure.subplots()
        for i, (name, by_length) in enumerate(comparison.lookups.items()):
            _lookup(panel, sorted(by_length.items()), name, i)
        for i, result in enumerate(comparison.results):
            points = [(k, score.accuracy, *score.interval) for k, score in result.lengths.items()]
            _curve(panel, points, result.model, i)
        _dress(panel, comparison.lengths, comparison.trained)
        panel.set_ylabel("accuracy, %")
        _legend(figure, [panel], columns=3)
    return figure


def _legend(figure: "Figure", panels: Iterable["Axes"], columns: int = 4, title: str | None = None) -> None:
    """One legend for all panels, below them."""
    named: dict[str, Any] = {}
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
            ncols=min(columns, len(named)),
            title=title,
        )


def _panel(table: Table, train: str, panel: "Axes") -> None:
    tests = series(table.tested_on)
    for label, group in tests.items():
        _lookups(table, train, group, panel)
        for i, model in enumerate(table.models):
            entries = {k: table.entry(model, train, test) for k, test in group.items()}
            name = f"{paper.title(model)} {label}".strip()
            _curve(panel, list(_with_spread(entries)), name, i, "--" if label else "-")
    panel.set_title(f"trained on {train}", fontsize=11)
    _dress(panel, sorted({k for group in tests.values() for k in group}), trained_lengths(train))


def _style_panel(table: Table, style: str, panel: "Axes") -> None:
    """Tested on a style: models and look-ups trained on it, and models trained on the first style."""
    group = series(table.tested_on)[style]
    for train in table.trained_on:
        own = style_of(train) == style
        if own:
            _lookups(table, train, group, panel)
        for i, model in enumerate(table.models):
            entries = {k: table.entry(model, train, test) for k, test in group.items()}
            name = f"{paper.title(model)}, {'the same' if own else style_of(train)}"
            _curve(panel, list(_with_spread(entries)), name, i, "-" if own else "--")
    panel.set_title(f"tested on {style}", fontsize=11)
    _dress(panel, list(group), sorted({k for train in table.trained_on for k in trained_lengths(train)}))


def _lookups(table: Table, train: str, group: Mapping[int, str], panel: "Axes") -> None:
    """Look-ups and ceilings, which are the same for every model."""
    entries = {k: table.entry(table.models[0], train, test) for k, test in group.items()}
    for i, name in enumerate(table.lookups):
        _lookup(panel, [(k, e.lookups[name]) for k, e in entries.items() if name in e.lookups], name, i)


def _dress(panel: "Axes", lengths: Sequence[int], trained: Iterable[int]) -> None:
    """Axes, a grid, and a shade over the lengths trained on."""
    for k in trained:
        panel.axvspan(k - 0.4, k + 0.4, color="#9a9a9a", alpha=0.18, linewidth=0)
    panel.set_xlabel("facts of a route tested on")
    if lengths:
        panel.set_xticks(lengths)
        panel.set_xlim(lengths[0] - 0.5, lengths[-1] + 0.5)
    panel.set_ylim(0, 103)
    panel.grid(axis="y", color="#9a9a9a", alpha=0.35, linewidth=0.6)
    panel.spines[["top", "right"]].set_visible(False)


def _with_spread(entries: Mapping[int, Entry]) -> Iterator[Point]:
    """The mean over the seeds, and a standard deviation to both sides if there are several."""
    for k, entry in entries.items():
        if entry.accuracy is not None:
            spread = entry.spread or 0.0
            yield k, entry.accuracy, max(0.0, entry.accuracy - spread), min(100.0, entry.accuracy + spread)


def _curve(panel: "Axes", points: Sequence[Point], name: str, look: int, style: str = "-") -> None:
    if not points:
        return
    colour, marker = COLOURS[look % len(COLOURS)], MARKERS[look % len(MARKERS)]
    places, means, low, high = zip(*points, strict=True)
    if low != high:
        panel.fill_between(places, low, high, color=colour, alpha=0.22, linewidth=0)
    panel.plot(
        places, means, style, color=colour, marker=marker, markersize=5, linewidth=2, label=name, zorder=3
    )


def _lookup(panel: "Axes", points: Sequence[tuple[int, float]], name: str, look: int) -> None:
    if not points:
        return
    kind, style = ("ceiling", "--") if name in CEILINGS else ("look-up", ":")
    colour, mark = _GREYS[look % len(_GREYS)], _MARKS[look % len(_MARKS)]
    places, values = zip(*points, strict=True)
    panel.plot(
        places, values, style, color=colour, marker=mark, markersize=6, linewidth=1.2, label=f"{kind}: {name}"
    )


def series(tested_on: Sequence[str]) -> dict[str, dict[int, str]]:
    """The subsets by length, for each data set that they come from ("" if there is only one).

    CLUTRR v1.0 calls its subsets by the kind of noise and the length: 1.3 has no noise, 2.3 supporting facts.
    """
    found: dict[str, dict[int, str]] = {}
    for ours in (r"(?:(.*) )?M(\d+)", r"(?:1|(\d))\.(\d+)"):
        for test in tested_on if not found else ():
            if match := re.fullmatch(ours, test):
                found.setdefault(match[1] or "", {})[int(match[2])] = test
    return {label: dict(sorted(group.items())) for label, group in found.items()}


def trained_lengths(train: str) -> tuple[int, ...]:
    """The lengths in the name of a training set."""
    name = train.removeprefix(style_of(train)).strip()
    return numbers(name[1:], "train") if re.fullmatch(r"M[\d,-]+", name) else ()
