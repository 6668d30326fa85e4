"""A figure of what a composer learnt, beside what is true.

One look shows where the learnt table agrees with the true one, also in print and for colour-blind people:
what is right is dark, what is wrong is hatched and framed, the rest is pale.
"""

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from clutrr.experiment.learnt import Composition, Learnt, Verdict
from clutrr.report.figures import COLOURS, INK, new_figure
from clutrr.report.text import MISSING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_RIGHT, _SEVERAL, _WRONG, _BEHIND_WRONG = "#0072b2", "#8ccbf0", "#d55e00", "#fdeadd"
_BLACK, _WHITE, _SOFT = "#000000", "#ffffff", "#595959"  # not INK: cells keep their colours on a dark page
_PALEST, _DARKEST = 0.94, 0.74  # greys: from no belief in the free states to all of it


def abbreviations(relations: Iterable[str]) -> dict[str, str]:
    """Return short forms that differ: `moth`, `grandm` beside `grandf`, `moth-il` for a mother-in-law."""
    whole = list(relations)
    found = {relation: relation for relation in whole}
    for letters in range(max(map(len, whole), default=0), 3, -1):
        forms = [_short(relation, letters) for relation in whole]
        found |= {r: form for r, form in zip(whole, forms, strict=True) if forms.count(form) == 1}
    return found if len(set(found.values())) == len(whole) else {relation: relation for relation in whole}


def _short(relation: str, letters: int) -> str:
    """The first letters of the first word, and the initials of the others."""
    first, *others = re.split("[- ]", relation)
    return first[:letters] + ("-" + "".join(word[:1] for word in others) if others else "")


def learnt_figure(learnt: Learnt) -> "Figure":
    """The table of compositions, first relation down and second across; beside it the heights."""
    relations = learnt.combined
    short = abbreviations({r for c in learnt.compositions for r in (c.first, *c.possible, *c.believed)})
    n = len(relations)
    beside = [1.9] if learnt.heights else []
    with new_figure(2.0 + 0.52 * n + sum(beside), 1.6 + 0.36 * n) as figure:
        panels = figure.subplots(
            1, 1 + len(beside), squeeze=False, sharey=True, width_ratios=[0.52 * n, *beside]
        )[0]
        table = panels[0]
        table.set_xlim(-0.5, n - 0.5)
        table.set_ylim(n - 0.5, -0.5)
        table.xaxis.set_label_position("top")
        table.set_ylabel("A has a …", fontsize=10)
        table.set_xlabel("… which has a …: what is that to A?", fontsize=10)
        table.set_xticks(range(n), [short[relation] for relation in relations], fontsize=8)
        table.set_yticks(range(n), [_key(relation, short) for relation in relations], fontsize=8)
        table.tick_params(length=0, top=False, labeltop=True, labelbottom=False)
        table.spines[:].set_visible(False)
        for composition in learnt.compositions:
            x, y = relations.index(composition.second), relations.index(composition.first)
            _cell(table, x, y, composition, short)
        if learnt.heights:
            _heights(panels[1], [learnt.heights[relation] for relation in relations])
        figure.legend(handles=_legend(), loc="outside lower center", ncols=3, frameon=False, fontsize=8.5)
    return figure


def _key(relation: str, short: Mapping[str, str]) -> str:
    return relation if relation == short[relation] else f"{relation} ({short[relation]})"


def _look(verdict: Verdict, free: float = 0.0) -> dict[str, Any]:
    """How a cell is filled. free: the share of the belief in the free states."""
    if verdict is Verdict.WRONG:
        return {"facecolor": _BEHIND_WRONG, "edgecolor": _WRONG, "hatch": "/////", "linewidth": 1}
    colours = {
        Verdict.RIGHT: _RIGHT,
        Verdict.ONE_OF_SEVERAL: _SEVERAL,
        Verdict.NO_WORD: str(_PALEST + (_DARKEST - _PALEST) * free),
        Verdict.IMPOSSIBLE: "none",
    }
    return {"facecolor": colours[verdict], "linewidth": 0}


def _cell(panel: "Axes", x: int, y: int, composition: Composition, short: Mapping[str, str]) -> None:
    """What is believed most: a relation, or nothing that has a word."""
    from matplotlib.patches import Rectangle

    verdict, answer = composition.verdict, composition.answer
    panel.add_patch(Rectangle((x - 0.47, y - 0.46), 0.94, 0.92, **_look(verdict, composition.free)))
    middle: dict[str, Any] = {"ha": "center", "va": "center"}
    word = "?" if answer is None else short[answer]
    if verdict is Verdict.WRONG:
        box = {"facecolor": _BEHIND_WRONG, "edgecolor": "none", "pad": 0.6}
        true = short[composition.possible[0]] + "…" * (len(composition.possible) > 1)
        panel.text(x, y - 0.17, word, fontsize=7.5, weight="bold", color=_BLACK, bbox=box, **middle)
        panel.text(x, y + 0.22, f"({true})", fontsize=6.5, color=_BLACK, bbox=box, **middle)
    elif verdict is Verdict.RIGHT:
        panel.text(x, y, word, fontsize=7.5, color=_WHITE, **middle)
    elif verdict is Verdict.ONE_OF_SEVERAL:
        panel.text(x, y, word, fontsize=7.5, color=_BLACK, **middle)
    elif verdict is Verdict.IMPOSSIBLE:
        panel.text(x, y, MISSING, fontsize=7.5, color=INK, **middle)
    elif answer is not None and composition.believed[answer] > composition.free:
        panel.text(x, y, word, fontsize=7.5, style="italic", color=_SOFT, **middle)


def _heights(panel: "Axes", heights: list[float]) -> None:
    """The height of each relation, in line with its row of the table."""
    rows = range(len(heights))
    panel.axvline(0, color=INK, linewidth=0.8)
    panel.hlines(rows, 0, heights, color=COLOURS[0], linewidth=1.5)
    panel.plot(heights, rows, "o", color=COLOURS[0], markersize=5)
    panel.xaxis.set_label_position("top")
    panel.set_xlabel("learnt height", fontsize=10)
    panel.margins(x=0.12)
    panel.grid(axis="x", color="#9a9a9a", alpha=0.35, linewidth=0.6)
    panel.tick_params(length=0, labelleft=False, labeltop=True, labelbottom=False, labelsize=8)
    panel.spines[:].set_visible(False)


def _legend() -> list[Any]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    verdicts = (Verdict.RIGHT, Verdict.ONE_OF_SEVERAL, Verdict.WRONG)
    return [
        *(Patch(**_look(verdict), label=verdict.value) for verdict in verdicts),
        Patch(**_look(Verdict.NO_WORD, 1.0), label="has no word, and none is believed"),
        Patch(**_look(Verdict.NO_WORD), label="has no word, yet one is believed (italic)"),
        Line2D([], [], color=INK, linestyle="", marker="_", label=Verdict.IMPOSSIBLE.value),
    ]
