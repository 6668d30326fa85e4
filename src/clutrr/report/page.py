"""The report as one page that needs nothing else: no network, no other file."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jinja2
from markupsafe import Markup, escape

from clutrr import paper
from clutrr.experiment.matrix_file import matrix_content
from clutrr.measure import natural
from clutrr.report.beliefs import Learnt, in_words
from clutrr.report.compare import Comparison
from clutrr.report.compare import table as compared_table
from clutrr.report.experiment import Experiment
from clutrr.report.figures import INK
from clutrr.report.table import Table
from clutrr.report.text import closing_lines, interval, number, ours, signed
from clutrr.scoring import Result

_PATTERNS = 8  # of a subset that are shown, the most frequent

_LABELS = {
    "about": "what for",
    "data": "stories trained on",
    "train": "training sets, as lengths of the chain",
    "test": "stories tested on",
    "batch": "stories in a step",
    "learning_rate": "learning rate",
}

# What the audit's columns mean; others are shown without an explanation.
LOOKUPS = {
    "label known": "the share of the questions whose answer occurs at all among the training answers; "
    "a model that learns only labels cannot do better",
    "last relation": "guesses from the last relation of the chain",
    "longest known ending": "guesses from the longest ending of the chain that training has shown",
    "longest known beginning": "guesses from the longest beginning of the chain that training has shown",
    "rules shown": "the share of the questions that follow from rules for two relations in a row, of those "
    "that the training chains contain: what a perfect learner of rules would answer",
}


@dataclass(frozen=True)
class PatternRow:
    """How often each model is right on a pattern, over all seeds; none if there is no record."""

    pattern: str
    stories: int
    accuracy: list[float | None]


@dataclass(frozen=True)
class Composer:
    """What a composer learnt: in sentences, as a figure, and where it is wrong."""

    name: str
    summary: list[str]
    svg: Markup
    heights: bool
    wrong: list[tuple[str, str, str]]


def page(experiment: Experiment, table: Table, figures: Mapping[str, str], learnt: Sequence[str]) -> str:
    """The page. figures: as SVG, by name. learnt: those of the composers, in their order."""
    return _template("page").render(
        table=table,
        experiment=experiment,
        settings=list(_settings(matrix_content(experiment.matrix))),
        stories=_stories(experiment),
        ours=ours,
        interval=interval,
        closing=list(closing_lines(experiment, table)),
        lookups={name: LOOKUPS.get(name, "") for name in table.lookups},
        left=_inline(figures["figure-2-left"], "Test accuracy by training set and subset tested on"),
        right=_inline(figures["figure-2-right"], "Mean test accuracy by the subset tested on"),
        lengths=_inline(
            figures["lengths"], "Test accuracy by the length of the chain, for each training set"
        ),
        composers=list(map(_composer, experiment.composers(), learnt)),
        patterns=_patterns(experiment),
        shown_patterns=_PATTERNS,
        made=_made(experiment),
    )


def answers_page(comparison: Comparison, figure: str) -> str:
    """The page on several models' answers. figure: their curves, as SVG."""
    header, *rows = compared_table(comparison)
    return _template("answers").render(
        comparison=comparison,
        figure=_inline(figure, "Accuracy by the length of the chain, for each model"),
        header=header,
        rows=rows,
        lookups={name: LOOKUPS.get(name, "") for name in comparison.lookups},
    )


def _template(name: str) -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("clutrr.report", "."),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters.update(number=number, signed=signed, duration=duration, title=paper.title)
    return environment.get_template(f"{name}.html.jinja")


def _settings(content: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The settings of the experiment, each with its name."""
    for name, value in content.items():
        yield _LABELS.get(name, name), _text(value)


def _text(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_text(inner)}" for name, inner in value.items())
    if isinstance(value, list):
        several = any(isinstance(inner, Mapping | list) for inner in value)
        return ("; " if several else ", ").join(map(_text, value))
    return str(value)


def _stories(experiment: Experiment) -> str:
    """What is trained on, in words."""
    presets = sorted(preset for preset in experiment.matrix.presets if preset is not None)
    if not presets:
        return "those of a given folder"
    wording = ", in the wording of given files" if experiment.matrix.wording is not None else ""
    return f"preset {' and '.join(presets)}{wording}"


def duration(seconds: float) -> str:
    """A time as people say it."""
    if seconds < 90:
        return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


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


def _composer(composer: tuple[Result, Learnt], svg: str) -> Composer:
    result, learnt = composer
    model, train, seed = result.key
    name = f"{paper.title(model)} trained on {train}, seed {seed}"
    figure = _inline(svg, f"What is made of two relations: {name}")
    wrong = [in_words(composition) for composition in learnt.wrong]
    return Composer(name, list(learnt.summary()), figure, learnt.heights is not None, wrong)


def _patterns(experiment: Experiment) -> dict[str, dict[str, list[PatternRow]]]:
    """By the subset trained on and the subset tested on."""
    found = {
        train: {test: list(_pattern_rows(experiment, train, test)) for test in experiment.tested_on}
        for train in experiment.trained_on
    }
    return {train: tests for train, tests in found.items() if any(tests.values())}


def _pattern_rows(experiment: Experiment, train: str, test: str) -> Iterator[PatternRow]:
    """The most frequent patterns, and the others together."""
    tests = {
        model: [r.tested[test].patterns for r in experiment.of(model, train) if test in r.tested]
        for model in experiment.models
    }
    counts = {pattern: n for found in tests.values() for each in found for pattern, (_, n) in each.items()}
    order = sorted(counts, key=lambda pattern: (-counts[pattern], pattern))
    groups = {pattern: [pattern] for pattern in order[:_PATTERNS]}
    if others := order[_PATTERNS:]:
        groups[f"{len(others)} others"] = others
    for name, patterns in groups.items():
        accuracy = []
        for found in tests.values():
            pairs = [each[pattern] for each in found for pattern in patterns if pattern in each]
            right, n = (sum(pair[i] for pair in pairs) for i in range(2))
            accuracy.append(100 * right / n if n else None)
        yield PatternRow(name, sum(counts[pattern] for pattern in patterns), accuracy)


def _made(experiment: Experiment) -> Mapping[str, Any]:
    """Where and with what the trainings ran, and how long each took."""
    trainings = [result.training for result in experiment.results if result.training]
    return {
        "devices": _counted(training.device for training in trainings),
        "versions": _counted(
            ", ".join(f"{name} {version}" for name, version in sorted(result.versions.items()))
            for result in experiment.results
        ),
        "seconds": sum(training.seconds for training in trainings),
        "trainings": {
            model: [
                [r.training for r in experiment.of(model, train) if r.training and r.training.epochs]
                for train in experiment.trained_on
            ]
            for model in experiment.models
        },
        "wanted": len(experiment.results) + len(experiment.missing),
        "missing": sorted((cell.name for cell in experiment.missing), key=natural),
    }


def _counted(values: Iterator[str]) -> list[str]:
    """Each value; if they differ, with the number of trainings that have it."""
    counts = Counter(values)
    if len(counts) == 1:
        return list(counts)
    return [f"{value} ({n} trainings)" for value, n in counts.most_common()]
