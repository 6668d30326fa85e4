"""A report as files: table.md, table.json (the results), the figures, index.html.

Results side by side have the same files, except the paper's figures. The page needs nothing else: no network,
no other file.
"""

import re
from collections.abc import Mapping

import jinja2
import yaml
from markupsafe import Markup, escape

from clutrr import _paper as paper
from clutrr._io.files import is_there, replace_files
from clutrr._io.locations import Location
from clutrr._io.records import load_json
from clutrr._report.experiment import Experiment
from clutrr._report.figures import (
    INK,
    draw,
    figure_left,
    figure_right,
    lengths_figure,
)
from clutrr._report.loading import TABLE
from clutrr._report.subsets import own_subsets
from clutrr._report.table import (
    MISSING,
    closing_lines,
    detail_lines,
    interval,
    label,
    markdown,
    number,
    ours,
    signed,
)
from clutrr._train.learnt import Learnt
from clutrr.errors import OutputError, plain

PAGE = "index.html"
FIGURES = {"figure-2-left": figure_left, "figure-2-right": figure_right, "lengths": lengths_figure}
# What they are for those who do not see them.
ALTERNATIVES = {
    "figure-2-left": "Test accuracy by training set and subset tested on",
    "figure-2-right": "Mean test accuracy by the subset tested on",
    "lengths": "Test accuracy by the number of facts",
}

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


def write_report(experiment: Experiment, folder: Location) -> None:
    """Write the report into the folder."""
    # Figure 2 of the paper is by the subset trained on, which results side by side are not.
    names = list(FIGURES) if experiment.planned else ["lengths"]
    drawn = {name: draw(FIGURES[name](experiment), name) for name in names}
    files: dict[str, str | bytes] = {
        "table.md": markdown(experiment),
        **{f"{name}.svg": svg for name, (svg, _) in drawn.items()},
        **{f"{name}.png": png for name, (_, png) in drawn.items()},
        PAGE: _page(experiment, {name: svg for name, (svg, _) in drawn.items()}),
        TABLE: experiment.to_text(),
    }
    _replace(folder, files)


def _replace(folder: Location, files: Mapping[str, str | bytes]) -> None:
    """Write the files, over those of another report alone; its results, put in place first, show it."""
    taken = [name for name in files if is_there(folder / name)]
    if taken and "results" not in load_json(folder / TABLE):
        raise OutputError(
            "already exists, and not with a report",
            place=folder / taken[0],
            hint="choose another folder",
        )
    replace_files(folder, files)


def _page(experiment: Experiment, figures: Mapping[str, str]) -> str:
    """Return the page. figures: as SVG, by name."""
    trainings = [result.training for result in experiment.results if result.training]
    devices = (training.device for training in trainings if training.device)
    versions = (sorted(result.versions.items()) for result in experiment.results)
    presets = " and ".join(sorted(experiment.presets))
    settings = dict(experiment.settings)
    return _template().render(
        experiment=experiment,
        settings=yaml.safe_dump(settings, sort_keys=False, default_flow_style=None),
        stories=f"preset {presets}" if presets else "those of a given folder",
        ours=ours,
        places=[plain(str(place)) for place in experiment.places],
        interval=interval,
        label=label,
        planned={key[:2] for key in experiment.trainings()},
        own_subsets=own_subsets,
        closing=list(closing_lines(experiment)),
        notes=[line for result in experiment.results for line in detail_lines(result)],
        lookups={name: LOOKUPS.get(name, "") for name in experiment.lookup_names},
        figures={name: _inline(svg, ALTERNATIVES[name]) for name, svg in figures.items()},
        composers=[(*one.key, learnt, _beliefs(learnt)) for one, learnt in experiment.composers()],
        devices=dict.fromkeys(devices),
        versions=dict.fromkeys(", ".join(" ".join(one) for one in found) for found in versions),
        seconds=sum(training.seconds for training in trainings),
    )


def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("clutrr._report", "."),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters.update(number=number, signed=signed, title=paper.title)
    return environment.get_template("page.html.jinja")


def _inline(svg: str, label: str) -> Markup:
    """An SVG file as part of a page, in the colour of its text."""
    svg = svg[svg.index("<svg") :].replace(INK, "currentColor")
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    width = float(re.findall(r' width="([\d.]+)pt"', svg)[0]) * 4 / 3
    svg = re.sub(r' (?:width|height)="[\d.]+pt"', "", svg, count=2)
    used = set(re.findall(r'#([^")]+)', svg))  # other ids are the same in every figure
    svg = re.sub(r' id="([^"]+)"', lambda found: found[0] if found[1] in used else "", svg)
    size = f"--width: {width:.0f}px"
    return Markup(
        svg.replace("<svg", f'<svg role="img" aria-label="{escape(label)}" style="{size}"', 1)
    )


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
