"""Figure 2 of the paper, drawn from our table, and accuracy by the number of facts.

Readable in print and by colour-blind people: cividis, which darkens evenly, with the numbers in the
cells; and Okabe and Ito's colours, with a marker for each model. Look-ups and ceilings, which need no model,
are grey.
"""

import io
import math
import re
import statistics
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clutrr import _paper as paper
from clutrr._arguments import public
from clutrr._display import Shown
from clutrr._io.files import replace_files
from clutrr._io.locations import Location, parse_location
from clutrr._report.experiment import Experiment, TableEntry
from clutrr._report.subsets import style_of, trained_lengths
from clutrr._score.result import Result
from clutrr.errors import ArgumentError, ConfigError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK = "#1b1b1b"  # of text and lines: a page can replace it by the colour of its own text
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
_MARKERS = ("o", "s", "^", "D", "v", "P")
_CEILINGS = (
    "label known",
    "rules shown",
)  # which no model of a kind exceeds; the others are look-ups
_GREYS = ("#555555", "#777777", "#999999", "#666666", "#888888")
_GREY_MARKERS = ("x", "+", "1", "2", "3")
_LINES = ("-", "--", ":", "-.")  # of kinds of noise
_SAME = ", the same"  # trained on the style that is tested on
_NO_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")  # what XML cannot hold
_STYLE: dict[Any, Any] = {  # matplotlib types the name of every setting
    "svg.fonttype": "none",
    "font.size": 10,
    "text.parse_math": False,  # a $ in a name is a $
    **{f"{part}.color": INK for part in ("text", "xtick", "ytick")},
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
}
# Of a legend, in inches: the line and its spaces, a letter, the height of a row.
_SAMPLE_WIDTH, _LETTER, _LINE = 0.8, 0.073, 0.19
Point = tuple[int, float, float, float]  # where, accuracy, and from where to where its band is


def draw(figure: "Figure", name: str) -> tuple[str, bytes]:
    """Return the figure as SVG and as PNG: the same bytes each time."""
    import matplotlib

    svg, png = io.StringIO(), io.BytesIO()
    with matplotlib.rc_context({**_STYLE, "svg.hashsalt": name}), warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", UserWarning
        )  # a name may be long, or have letters that no font has
        figure.savefig(svg, format="svg", metadata={"Date": None}, transparent=True)
        figure.savefig(png, format="png", dpi=160, facecolor="white", metadata={"Software": None})
    return _NO_XML.sub("", svg.getvalue()), png.getvalue()


def figure_left(experiment: Experiment) -> "Figure":
    """Draw test accuracy by the subset trained on and the subset tested on, a panel for each model."""
    rows, columns = _grid(len(experiment.models))
    across, down = max(len(experiment.tested_on), 3), len(experiment.trained_on)
    with _new_figure(
        1.2 + columns * (0.62 * across + 0.5), rows * (0.62 * down + 0.8) + 0.4
    ) as figure:
        panels = _panels(figure, len(experiment.models))
        for model, panel in zip(experiment.models, panels, strict=True):
            picture = _heat(experiment, model, panel)
        figure.supxlabel("tested on", fontsize="medium")
        figure.supylabel("trained on", fontsize="medium")
        figure.colorbar(picture, ax=panels, label="test accuracy, %", fraction=0.05, pad=0.02)
    return figure


def _heat(experiment: Experiment, model: str, panel: "Axes") -> Any:
    rows = [
        [experiment.entry(model, train, test) for test in experiment.tested_on]
        for train in experiment.trained_on
    ]
    values = [[math.nan if c.accuracy is None else c.accuracy for c in row] for row in rows]
    picture = panel.imshow(values, cmap="cividis", vmin=0, vmax=100)
    panel.set_title(paper.title(model), fontsize=11)
    panel.set_xticks(range(len(experiment.tested_on)), experiment.tested_on)
    panel.set_yticks(range(len(experiment.trained_on)), experiment.trained_on)
    panel.tick_params(length=0)
    panel.spines[:].set_visible(False)
    for y, row in enumerate(rows):
        for x, entry in enumerate(row):
            _label(panel, x, y, entry)
    return picture


def _label(panel: "Axes", x: int, y: int, entry: TableEntry) -> None:
    """Write the figure of a cell, and the paper's below it; nothing if there is none yet."""
    if entry.accuracy is None:
        return
    look: dict[str, Any] = {"ha": "center", "va": "center"}
    look["color"] = "#ffffff" if entry.accuracy < 47 else "#000000"
    below = 0.13 if entry.paper is not None else 0.0
    weight = "bold" if entry.best else "normal"
    panel.text(x, y - below, f"{entry.accuracy:.0f}", fontsize=11, weight=weight, **look)
    if entry.paper is not None:
        panel.text(x, y + 0.27, f"({entry.paper:.0f})", fontsize=7.5, **look)


def figure_right(experiment: Experiment) -> "Figure":
    """Draw mean test accuracy over the subsets trained on, a line for each model; dashed, the paper's.

    A mean is there when all its trainings are finished.
    """
    with _new_figure(6.4, 4.0) as figure:
        panel = figure.subplots()
        for i, model in enumerate(experiment.models):
            columns = [
                [
                    experiment.entry(model, train, test)
                    for train, other in experiment.combinations
                    if other == test
                ]
                for test in experiment.tested_on
            ]
            name, ours = (
                paper.title(model),
                [[entry.accuracy for entry in column] for column in columns],
            )
            theirs = [[entry.paper for entry in column] for column in columns]
            _curve(panel, _means(ours), name, i)
            _curve(panel, _means(theirs), f"{name}, the paper's", i, "--")
        panel.set_xticks(range(len(experiment.tested_on)), experiment.tested_on)
        _dress(panel, "tested on")
        panel.set_ylabel("mean test accuracy, %")
        _legend(figure, [panel], 3)
    return figure


def _means(columns: Sequence[Sequence[float | None]]) -> list[Point]:
    """Return the mean of each column that has all its figures."""
    known = [[value for value in column if value is not None] for column in columns]
    means = [
        (x, statistics.fmean(one)) for x, one in enumerate(known) if 0 < len(one) == len(columns[x])
    ]
    return [(x, mean, mean, mean) for x, mean in means]


def lengths_figure(experiment: Experiment) -> "Figure":
    """Draw test accuracy by the number of facts: a panel for each training set, or for each style tested on.

    A line is the mean over the seeds, and its band their standard deviation. Models side by side share a panel.
    """
    if not experiment.planned:
        return _side_by_side(experiment)
    drawn = experiment.styles or experiment.trained_on
    rows, columns = _grid(len(drawn))
    with _new_figure(max(6.4, 1.0 + 4.2 * columns), 3.4 * rows + 0.4) as figure:
        panels = _panels(figure, len(drawn))
        for name, panel in zip(drawn, panels, strict=True):
            what = "tested on" if experiment.styles else "trained on"
            panel.set_title(f"{what} {name}" if name else "other answers", fontsize=11)
            lines = list(_lines(experiment, name))
            for train, tests, beside in lines:
                plain = beside in ("", _SAME)
                if plain:
                    _lookups(panel, experiment.lookups_by_length(train, tests))
                for look, model in enumerate(experiment.models):
                    entries = {k: experiment.entry(model, train, test) for k, test in tests.items()}
                    label = f"{paper.title(model)}{beside}"
                    _curve(panel, list(_with_spread(entries)), label, look, "-" if plain else "--")
            trained = {k for train, _, _ in lines for k in trained_lengths(train)}
            _dress_lengths(panel, sorted({k for _, tests, _ in lines for k in tests}), trained)
        figure.supylabel("test accuracy, %", fontsize="medium")
        _legend(figure, panels, 4, title="model, trained on" if experiment.styles else None)
    return figure


def _lines(experiment: Experiment, name: str) -> Iterator[tuple[str, Mapping[int, str], str]]:
    """Yield the lines of a panel: what is trained on, what is tested on by length, and what is put after the
    names of the models. On a style, models trained on it are tested, and those trained on the first."""
    groups = experiment.by_length()
    if experiment.styles:
        for train in experiment.trained_on:
            style = style_of(train)
            yield train, groups[name], _SAME if style == name else f", {style}"
    else:
        for label, tests in groups.items():
            yield name, tests, f" {label}".rstrip()


def _with_interval(entries: Mapping[int, TableEntry]) -> Iterator[Point]:
    """Yield the accuracy, with its 95 % interval."""
    for k, entry in entries.items():
        if entry.accuracy is not None and entry.interval is not None:
            yield (k, entry.accuracy, *entry.interval)


def _with_spread(entries: Mapping[int, TableEntry]) -> Iterator[Point]:
    """Yield the mean over the seeds, and a standard deviation to both sides if there are several."""
    for k, entry in entries.items():
        if entry.accuracy is not None:
            spread = entry.spread or 0.0
            yield (
                k,
                entry.accuracy,
                max(0.0, entry.accuracy - spread),
                min(100.0, entry.accuracy + spread),
            )


def _side_by_side(experiment: Experiment) -> "Figure":
    """Draw a line for each model; its band is the 95 % interval."""
    with _new_figure(7.2, 4.0) as figure:
        panel = figure.subplots()
        groups = experiment.by_length()
        for number, (label, tests) in enumerate(groups.items()):
            if number == 0:
                _lookups(panel, experiment.lookups_by_length("", tests))
            for look, model in enumerate(experiment.models):
                entries = {k: experiment.entry(model, "", test) for k, test in tests.items()}
                points = list(_with_interval(entries))
                _curve(
                    panel, points, f"{model} {label}".strip(), look, _LINES[number % len(_LINES)]
                )
        lengths = sorted({k for tests in groups.values() for k in tests})
        _dress_lengths(panel, lengths, experiment.lengths_trained_on)
        panel.set_ylabel("accuracy, %")
        _legend(figure, [panel], 3)
    return figure


# Results that draw themselves


class Plot:
    """A figure that a notebook shows."""

    def __init__(self, figure: "Figure") -> None:
        self.figure = figure

    def _repr_png_(self) -> bytes:
        return draw(self.figure, "figure")[1]

    def save(self, path: str | Location) -> None:
        """Write it to a file: .svg, .png or .pdf."""
        place, pdf = parse_location(path), io.BytesIO()
        svg, png = draw(self.figure, "figure")
        self.figure.savefig(pdf, format="pdf", metadata={"CreationDate": None})
        files: dict[str, str | bytes] = {".svg": svg, ".png": png, ".pdf": pdf.getvalue()}
        if place.suffix not in files:
            raise ConfigError("a figure is written as .svg, .png or .pdf", place=place)
        replace_files(place.parent, {place.name: files[place.suffix]})


@public
def plot(shown: Shown) -> Plot:
    """Return a drawing of a result, or of an experiment.

    A notebook shows it, `save("FILE.png")` keeps it, `figure` is Matplotlib's.
    """
    result = getattr(shown, "result", shown)
    experiment = Experiment((result,)) if isinstance(result, Result) else shown
    if not isinstance(experiment, Experiment):
        raise ArgumentError(f"there is no drawing of {type(shown).__name__}", setting="shown")
    return Plot(lengths_figure(experiment))


# Parts of figures


def _grid(count: int) -> tuple[int, int]:
    """Return rows and columns for so many panels, at most three in a row."""
    rows = -(-count // 3)
    return rows, -(-count // rows)


def _panels(figure: "Figure", count: int) -> list["Axes"]:
    axes = figure.subplots(*_grid(count), squeeze=False, sharey=True)
    panels = [panel for row in axes for panel in row]
    for panel in panels[count:]:
        panel.set_visible(False)
    return panels[:count]


def _curve(panel: "Axes", points: Sequence[Point], name: str, look: int, style: str = "-") -> None:
    if not points:
        return
    colour, marker = _COLOURS[look % len(_COLOURS)], _MARKERS[look % len(_MARKERS)]
    places, means, low, high = zip(*points, strict=True)
    if low != high:
        panel.fill_between(places, low, high, color=colour, alpha=0.22, linewidth=0)
    line: dict[str, Any] = {
        "color": colour,
        "marker": marker,
        "markersize": 5,
        "linewidth": 2,
        "zorder": 3,
    }
    panel.plot(places, means, style, label=name, **line)


def _lookups(panel: "Axes", lookups: Mapping[str, Mapping[int, float]]) -> None:
    """Draw look-ups and ceilings, by name and length."""
    for look, (name, by_length) in enumerate(lookups.items()):
        if by_length:
            kind, style = ("ceiling", "--") if name in _CEILINGS else ("look-up", ":")
            line: dict[str, Any] = {
                "color": _GREYS[look % len(_GREYS)],
                "linewidth": 1.2,
                "markersize": 6,
            }
            line["marker"] = _GREY_MARKERS[look % len(_GREY_MARKERS)]
            places, shares = zip(*sorted(by_length.items()), strict=True)
            panel.plot(places, shares, style, label=f"{kind}: {name}", **line)


def _dress_lengths(panel: "Axes", lengths: Sequence[int], trained: Iterable[int]) -> None:
    """Put a shade over the lengths trained on."""
    for number, k in enumerate(trained):
        label = "" if number else "lengths trained on"
        panel.axvspan(k - 0.4, k + 0.4, color="#9a9a9a", alpha=0.18, linewidth=0, label=label)
    if lengths:
        panel.set_xticks(lengths)
        panel.set_xlim(lengths[0] - 0.5, lengths[-1] + 0.5)
    _dress(panel, "length of the route, in facts")


def _dress(panel: "Axes", across: str) -> None:
    """Name the axis below, and draw a grid of percents."""
    panel.set_xlabel(across)
    panel.set_ylim(0, 103)
    panel.grid(axis="y", color="#9a9a9a", alpha=0.35, linewidth=0.6)
    panel.spines[["top", "right"]].set_visible(False)


def _legend(
    figure: "Figure", panels: Iterable["Axes"], columns: int, title: str | None = None
) -> None:
    """Put one legend for all panels below them."""
    named: dict[str, Any] = {}
    for panel in panels:
        handles, names = panel.get_legend_handles_labels()
        named = {**dict(zip(names, handles, strict=True)), **named}
    if named:
        look: dict[str, Any] = {"frameon": False, "fontsize": 9, "loc": "outside lower center"}
        look["handlelength"] = 3.5  # room for dashes beside the marker
        widest = _SAMPLE_WIDTH + _LETTER * max(map(len, named))
        columns = max(1, min(columns, len(named), int(figure.get_figwidth() / widest)))
        figure.set_figheight(figure.get_figheight() + _LINE * -(-len(named) // columns))
        figure.legend(named.values(), named.keys(), ncols=columns, title=title, **look)


@contextmanager
def _new_figure(width: float, height: float) -> Iterator["Figure"]:
    """Yield a figure in our style, without the global state of pyplot."""
    check_installed()
    with chdir(Path(__file__).parent):  # settings in the current folder would be obeyed
        import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_STYLE):
        yield Figure(figsize=(width, height), layout="constrained")


def check_installed() -> None:
    if find_spec("matplotlib") is None:
        raise ConfigError("the figures need matplotlib", hint="pip install 'clutrr[plots]'")
