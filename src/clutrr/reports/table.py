"""The table of an experiment as text: for a page, a terminal, and Markdown."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from clutrr import paper
from clutrr.measure import numbers
from clutrr.reports.experiment import Experiment, TableEntry

MISSING = "\N{EN DASH}"
_MINUS = "\N{MINUS SIGN}"


def style_of(name: str) -> str:
    """Return the style of a training set or a subset, such as `prose` of `prose M2-3`."""
    found = re.fullmatch(r"(.+) M[\d,-]+", name)
    return found[1] if found else ""


def trained_lengths(train: str) -> tuple[int, ...]:
    """Return the lengths in the name of a training set."""
    name = train.removeprefix(style_of(train)).strip()
    return numbers(name[1:], "train") if re.fullmatch(r"M[\d,-]+", name) else ()


def own_subsets(train: str) -> list[str]:
    """Return the subsets with the style and a length of a training set."""
    return [f"{style_of(train)} M{k}".strip() for k in trained_lengths(train)]


def number(value: float | None) -> str:
    return MISSING if value is None else f"{value:.1f}"


def signed(value: float | None) -> str:
    """Return a difference with its sign."""
    return MISSING if value is None else f"{round(value, 1) + 0.0:+.1f}".replace("-", _MINUS)


def ours(entry: TableEntry) -> str:
    """Return the mean, with the spread over the seeds."""
    return number(entry.accuracy) + ("" if entry.spread is None else f" ±{entry.spread:.1f}")


def bold(entry: TableEntry, text: str | None = None) -> str:
    """Return the figure, in bold if it is the best. text: instead of the mean with its spread."""
    mean, *spread = (text or ours(entry)).split(" ")
    return " ".join([f"**{mean}**" if entry.best else mean, *spread])


def interval(entry: TableEntry) -> str:
    return MISSING if entry.interval is None else "{:.1f} to {:.1f}".format(*entry.interval)


def closing_lines(experiment: Experiment) -> Iterator[str]:
    """Yield what to know when reading the table, one sentence each."""
    if missing := len(experiment.missing):
        finished = len(experiment.results)
        yield f"{finished} of {finished + missing} trainings are finished; {MISSING}: not yet."
    if experiment.near:
        yield experiment.near


def terminal_rows(experiment: Experiment) -> Iterator[list[str]]:
    """Yield the header, and a row for each pair. In a cell: the mean, its interval, the paper's figure."""

    def cell(entry: TableEntry) -> str:
        between = [] if entry.interval is None else [interval(entry)]
        beside = [] if entry.paper is None else [f"paper {entry.paper:g}, {signed(entry.difference)}"]
        return "\n".join([ours(entry), *between, *beside])

    yield from _rows(experiment, cell)


def markdown(experiment: Experiment) -> str:
    """Return the table, and what to know when reading it."""
    beside = " (the paper's, the difference)" if experiment.compared else ""
    spread = " ± the standard deviation over the seeds" if len(experiment.seeds) > 1 else ""
    first = f"Test accuracy in percent{spread}{beside}; best of the models in bold."
    return "\n".join([first, "", *cells_table(experiment), "", *closing_lines(experiment)]) + "\n"


def cells_table(experiment: Experiment, differences: bool = True) -> Iterator[str]:
    """Yield a row for each training set and subset tested on, a column for each model."""

    def cell(entry: TableEntry) -> str:
        known = differences and entry.difference is not None
        beside = f", {signed(entry.difference)}" if known else ""
        return bold(entry) if entry.paper is None else f"{bold(entry)} ({entry.paper:g}{beside})"

    header, *rows = _rows(experiment, cell)
    yield from markdown_table(header, rows)


def _rows(experiment: Experiment, cell: Callable[[TableEntry], str]) -> Iterator[list[str]]:
    yield ["trained on", "tested on", *map(paper.title, experiment.models)]
    for train, test in experiment.pairs:
        yield [train, test, *(cell(experiment.entry(model, train, test)) for model in experiment.models)]


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    for line in (header, ["---"] * len(header), *rows):
        yield f"| {' | '.join(text.replace('|', '¦') for text in line)} |"
