"""A report as files: table.md, table.json (the results), the figures, index.html.

A report on several models' answers has the same files, except the paper's figures. The page needs nothing
else: no network, no other file.
"""

import json
import re
from collections.abc import Mapping

import jinja2
import yaml
from markupsafe import Markup, escape

from clutrr import paper
from clutrr.errors import OutputError
from clutrr.experiment.learnt import Learnt
from clutrr.files import Where, is_there, load_json, replace_files
from clutrr.reports.comparison import Comparison
from clutrr.reports.experiment import Experiment
from clutrr.reports.figures import INK, compared_figure, draw, figure_left, figure_right, lengths_figure
from clutrr.reports.table import (
    MISSING,
    closing_lines,
    interval,
    markdown,
    markdown_table,
    number,
    ours,
    own_subsets,
    signed,
)

PAGE = "index.html"
_RESULTS = "table.json"
FIGURES = {"figure-2-left": figure_left, "figure-2-right": figure_right, "lengths": lengths_figure}

# What the audit's columns mean; others are shown without an explanation.
LOOKUPS = {
    "label known": "the share of the questions whose answer occurs at all among the training answers; "
    "a model that learns only labels cannot do better",
    "last relation": "guesses from the last relation of the route",
    "longest known ending": "guesses from the longest ending of the route that training has shown",
    "longest known beginning": "guesses from the longest beginning of the route that training has shown",
    "rules shown": "the share of the questions that follow from rules for two relations in a row, of those "
    "that the training routes contain: what a perfect learner of rules would answer",
}


def write_report(experiment: Experiment, folder: Where) -> None:
    """Write the report into the folder."""
    drawn = {name: draw(figure(experiment), name) for name, figure in FIGURES.items()}
    files: dict[str, str | bytes] = {
        "table.md": markdown(experiment),
        **{f"{name}.svg": svg for name, (svg, _) in drawn.items()},
        **{f"{name}.png": png for name, (_, png) in drawn.items()},
        PAGE: _page(experiment, {name: svg for name, (svg, _) in drawn.items()}),
        _RESULTS: experiment.to_text(),
    }
    _replace(folder, files)


def write_comparison(comparison: Comparison, folder: Where) -> None:
    """Write the report on several models' answers into the folder."""
    svg, png = draw(compared_figure(comparison), "lengths")
    header, *rows = comparison.by_length()
    _replace(
        folder,
        {
            "table.md": "\n".join(markdown_table(header, rows)) + "\n",
            "lengths.svg": svg,
            "lengths.png": png,
            PAGE: _answers_page(comparison, svg),
            _RESULTS: json.dumps(comparison.to_json(), indent=1, ensure_ascii=False) + "\n",
        },
    )


def _replace(folder: Where, files: Mapping[str, str | bytes]) -> None:
    """Write the files, over those of another report alone; its results, put in place first, show it."""
    taken = [name for name in files if is_there(folder / name)]
    if taken and "results" not in load_json(folder / _RESULTS):
        raise OutputError(f"{folder / taken[0]} already exists, and not with a report: choose another folder")
    replace_files(folder, files)


def _page(experiment: Experiment, figures: Mapping[str, str]) -> str:
    """Return the page. figures: as SVG, by name."""
    trainings = [result.training for result in experiment.results if result.training]
    versions = (sorted(result.versions.items()) for result in experiment.results)
    presets = " and ".join(sorted(experiment.presets))
    return _template("page").render(
        experiment=experiment,
        settings=yaml.safe_dump(dict(experiment.settings), sort_keys=False, default_flow_style=None),
        stories=f"preset {presets}" if presets else "those of a given folder",
        ours=ours,
        interval=interval,
        own_subsets=own_subsets,
        closing=list(closing_lines(experiment)),
        lookups={name: LOOKUPS.get(name, "") for name in experiment.lookup_names},
        left=_inline(figures["figure-2-left"], "Test accuracy by training set and subset tested on"),
        right=_inline(figures["figure-2-right"], "Mean test accuracy by the subset tested on"),
        lengths=_inline(figures["lengths"], "Test accuracy by the number of facts, for each training set"),
        composers=[(*one.key, learnt, _beliefs(learnt)) for one, learnt in experiment.composers()],
        devices=dict.fromkeys(training.device for training in trainings),
        versions=dict.fromkeys(", ".join(" ".join(one) for one in found) for found in versions),
        seconds=sum(training.seconds for training in trainings),
    )


def _answers_page(comparison: Comparison, figure: str) -> str:
    """Return the page on several models' answers. figure: their curves, as SVG."""
    header, *rows = comparison.by_length()
    return _template("answers").render(
        comparison=comparison,
        figure=_inline(figure, "Accuracy by the number of facts, for each model"),
        header=header,
        rows=rows,
        lookups={name: LOOKUPS.get(name, "") for name in comparison.lookups},
    )


def _template(name: str) -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("clutrr.reports", "."),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters.update(number=number, signed=signed, title=paper.title)
    return environment.get_template(f"{name}.html.jinja")


def _inline(svg: str, label: str) -> Markup:
    """An SVG file as part of a page, in the colour of its text."""
    svg = svg[svg.index("<svg") :].replace(INK, "currentColor")
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    width = float(re.findall(r' width="([\d.]+)pt"', svg)[0]) * 4 / 3
    svg = re.sub(r' (?:width|height)="[\d.]+pt"', "", svg, count=2)
    used = set(re.findall(r'#([^")]+)', svg))  # other ids are the same in every figure
    svg = re.sub(r' id="([^"]+)"', lambda found: found[0] if found[1] in used else "", svg)
    size = f"--width: {width:.0f}px"
    return Markup(svg.replace("<svg", f'<svg role="img" aria-label="{escape(label)}" style="{size}"', 1))


def _beliefs(learnt: Learnt) -> dict[str, list[tuple[str, str]]]:
    """Return what is made of two relations, by the first: a look of the page and a text for each second."""
    rows: dict[str, list[tuple[str, str]]] = {}
    for pair in learnt.compositions:
        text = pair.answer
        if pair.held is not None:
            text = text or (pair.held[0] if len(pair.held) == 1 else f"{len(pair.held)} possible")
        elif pair.verdict == "wrong":
            text += f" ({pair.possible[0]}{'…' * (len(pair.possible) > 1)})"
        elif pair.verdict == "impossible":
            text = MISSING
        elif pair.verdict == "unnamed" and pair.believed.get(text, 0) < 0.5:
            text = ""
        rows.setdefault(pair.first, []).append((pair.verdict, text))
    return rows
