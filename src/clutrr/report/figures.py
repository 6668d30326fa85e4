"""Figure 2 of the paper, drawn from our table.

Readable in print and by colour-blind people: cividis, which darkens evenly, with the numbers in the
cells; and Okabe and Ito's colours, with a hatch and a marker for each model.
"""

import io
import math
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from clutrr import paper
from clutrr.errors import ConfigError
from clutrr.report.table import Entry, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK = "#1b1b1b"  # of text and lines: a page can replace it by the colour of its own text
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
_HATCHES = ("//", "\\\\", "||", "--", "x", "+")
MARKERS = ("o", "s", "^", "D", "v", "P")
_NO_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")  # what XML cannot hold
_STYLE: dict[Any, Any] = {  # matplotlib types the name of every setting
    "svg.fonttype": "none",
    "font.size": 10,
    "text.parse_math": False,  # a $ in a name is a $
    "hatch.linewidth": 0.6,
    **{f"{part}.color": INK for part in ("text", "xtick", "ytick")},
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
}


def draw(figure: "Figure", name: str) -> tuple[str, bytes]:
    """The figure as SVG and as PNG: the same bytes each time."""
    import matplotlib

    svg, png = io.StringIO(), io.BytesIO()
    with matplotlib.rc_context({**_STYLE, "svg.hashsalt": name}), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a name may be long, or have letters that no font has
        figure.savefig(svg, format="svg", metadata={"Date": None}, transparent=True)
        figure.savefig(png, format="png", dpi=160, facecolor="white", metadata={"Software": None})
    return _NO_XML.sub("", svg.getvalue()), png.getvalue()


def figure_left(table: Table) -> "Figure":
    """Test accuracy by the subset trained on and the subset tested on, a panel for each model."""
    rows = -(-len(table.models) // 3)
    columns = -(-len(table.models) // rows)
    across, down = len(table.tested_on), len(table.trained_on)
    with new_figure(1.2 + columns * (0.62 * across + 0.5), rows * (0.62 * down + 0.8) + 0.4) as figure:
        axes = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
        panels = [panel for row in axes for panel in row]
        for panel in panels[len(table.models) :]:
            panel.set_visible(False)
        for i, (model, panel) in enumerate(zip(table.models, panels, strict=False)):
            picture = _heat(table, model, panel)
            if i + columns >= len(table.models):
                panel.set_xlabel("tested on")
                panel.tick_params(labelbottom=True)
            if i % columns == 0:
                panel.set_ylabel("trained on")
        figure.colorbar(picture, ax=panels, label="test accuracy, %", fraction=0.05, pad=0.02)
    return figure


def _heat(table: Table, model: str, panel: "Axes") -> Any:
    rows = [[table.entry(model, train, test) for test in table.tested_on] for train in table.trained_on]
    values = [[math.nan if c.accuracy is None else c.accuracy for c in row] for row in rows]
    picture = panel.imshow(values, cmap="cividis", vmin=0, vmax=100)
    panel.set_title(paper.title(model), fontsize=11)
    panel.set_xticks(range(len(table.tested_on)), table.tested_on)
    panel.set_yticks(range(len(table.trained_on)), table.trained_on)
    panel.tick_params(length=0)
    for spine in panel.spines.values():
        spine.set_visible(False)
    for y, row in enumerate(rows):
        for x, entry in enumerate(row):
            _label(panel, x, y, entry)
    return picture


def _label(panel: "Axes", x: int, y: int, entry: Entry) -> None:
    """The figure of a cell, and the paper's below it; a hatch if there is none yet."""
    if entry.accuracy is None:
        from matplotlib.patches import Rectangle

        corner = (x - 0.5, y - 0.5)
        panel.add_patch(Rectangle(corner, 1, 1, fill=False, hatch="////", edgecolor="#9a9a9a", linewidth=0))
        return
    colour = "#ffffff" if entry.accuracy < 47 else "#000000"
    below = 0.13 if entry.paper is not None else 0.0
    weight = "bold" if entry.best else "normal"
    panel.text(
        x,
        y - below,
        f"{entry.accuracy:.0f}",
        ha="center",
        va="center",
        color=colour,
        fontsize=11,
        weight=weight,
    )
    if entry.paper is not None:
        panel.text(x, y + 0.27, f"({entry.paper:.0f})", ha="center", va="center", color=colour, fontsize=7.5)


def figure_right(table: Table) -> "Figure":
    """Mean test accuracy over the subsets trained on, as an area for each model."""
    tests = table.tested_on
    with new_figure(6.4, 4.4) as figure:
        panel = figure.subplots()
        drawn = [_area(table, model, panel, i % len(COLOURS)) for i, model in enumerate(table.models)]
        panel.set_xticks(range(len(tests)), tests)
        panel.set_xlabel("tested on")
        panel.set_ylabel("mean test accuracy, %")
        panel.set_ylim(0, 100)
        panel.set_xlim(-0.15, len(tests) - 0.85)
        panel.grid(axis="y", color="#9a9a9a", alpha=0.35, linewidth=0.6)
        panel.spines[["top", "right"]].set_visible(False)
        if any(drawn):
            columns = min(3, sum(drawn))  # a model each, the paper's below ours
            figure.legend(frameon=False, fontsize=9, loc="outside upper center", ncols=columns)
    return figure


def _area(table: Table, model: str, panel: "Axes", look: int) -> bool:
    """Draw a model, and the paper's dashed; return whether there was anything to draw."""
    means = [table.mean(model, test) for test in table.tested_on]
    if not any(mean.of for mean in means):
        return False
    places = range(len(means))
    ours = [math.nan if mean.ours is None else mean.ours for mean in means]
    trained, wanted = min(mean.of for mean in means), len(table.trained_on)
    name = paper.title(model)
    label = name if trained == wanted else f"{name} ({trained} of {wanted} subsets)"
    colour, marker = COLOURS[look], MARKERS[look]
    # Two layers, since SVG would make the hatch as faint as the area.
    panel.fill_between(places, ours, color=colour, alpha=0.15, linewidth=0)
    panel.fill_between(places, ours, facecolor="none", edgecolor=colour, hatch=_HATCHES[look], linewidth=0)
    panel.plot(places, ours, color=colour, marker=marker, linewidth=2, label=label, zorder=3)
    if any(mean.paper is not None for mean in means):
        theirs = [math.nan if mean.paper is None else mean.paper for mean in means]
        style: dict[str, Any] = {
            "marker": marker,
            "markerfacecolor": "none",
            "linestyle": "--",
            "linewidth": 1.2,
        }
        panel.plot(places, theirs, color=colour, label=f"{name}, the paper's", zorder=3, **style)
    return True


@contextmanager
def new_figure(width: float, height: float) -> Iterator["Figure"]:
    """A figure in our style, without the global state of pyplot."""
    check_installed()
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_STYLE):
        yield Figure(figsize=(width, height), layout="constrained")


def check_installed() -> None:
    if find_spec("matplotlib") is None:
        raise ConfigError("the figures need matplotlib: pip install 'clutrr[plots]'")
