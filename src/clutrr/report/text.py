"""A table as text: for a terminal, in Markdown and in LaTeX; the best model in bold."""

import re
from collections.abc import Iterable, Iterator

from clutrr import paper
from clutrr.report.experiment import Experiment
from clutrr.report.table import Entry, Table

MISSING = "\N{EN DASH}"
_MINUS = "\N{MINUS SIGN}"


def number(value: float | None) -> str:
    return MISSING if value is None else f"{value:.1f}"


def signed(value: float | None) -> str:
    """With its sign, as a difference is."""
    return MISSING if value is None else f"{round(value, 1) + 0.0:+.1f}".replace("-", _MINUS)


def ours(entry: Entry) -> str:
    """The mean, with the spread over the seeds."""
    return number(entry.accuracy) + ("" if entry.spread is None else f" ±{entry.spread:.1f}")


def interval(entry: Entry) -> str:
    return MISSING if entry.interval is None else "{:.1f} to {:.1f}".format(*entry.interval)


def closing_lines(experiment: Experiment, table: Table) -> Iterator[str]:
    """What to know when reading the table, one sentence each."""
    if missing := len(experiment.missing):
        finished = len(experiment.results)
        yield f"{finished} of {finished + missing} trainings are finished; {MISSING}: not yet."
    if table.compared and table.near().of:
        yield f"{str(table.near()).capitalize()}."
    if experiment.reduced:
        yield f"Reduced: {'; '.join(experiment.reduced)}."


def terminal_rows(table: Table) -> Iterator[list[str]]:
    """The header, and a row for each pair. In a cell: the mean, its interval, the paper's figure."""
    yield ["trained on", "tested on", *map(paper.title, table.models)]
    for train, test in table.pairs:
        entries = [table.entry(model, train, test) for model in table.models]
        yield [train, test, *map(_terminal_cell, entries)]


def _terminal_cell(entry: Entry) -> str:
    between = [] if entry.interval is None else [interval(entry)]
    beside = [] if entry.paper is None else [f"paper {entry.paper:g}, {signed(entry.difference)}"]
    return "\n".join([ours(entry), *between, *beside])


def markdown(experiment: Experiment, table: Table) -> str:
    """The table, and below it every cell with its interval and the look-ups."""
    beside = " (the paper's, the difference)" if table.compared else ""
    spread = " ± the standard deviation over the seeds" if experiment.seeds > 1 else ""
    lines = [
        f"Test accuracy in percent{spread}{beside}; best of the models in bold.",
        "",
        *cells_table(table),
        "",
        *closing_lines(experiment, table),
        "",
        "## Cell by cell",
        "",
    ]
    lookups = table.lookups
    header = ["model", "trained on", "tested on", "seeds", "stories", "ours", "95 % interval"]
    if table.compared:
        header += ["paper", "difference"]
    rows = []
    for entry in table.entries:
        row = [
            paper.title(entry.model),
            entry.train,
            entry.test,
            str(len(entry.seeds)),
            f"{entry.rows or MISSING}",
        ]
        row += [bold(entry), interval(entry)]
        if table.compared:
            row += [MISSING if entry.paper is None else f"{entry.paper:g}", signed(entry.difference)]
        rows.append([*row, *(number(entry.lookups.get(name)) for name in lookups)])
    lines += markdown_table([*header, *(f"audit: {name}" for name in lookups)], rows)
    return "\n".join(lines) + "\n"


def cells_table(table: Table, differences: bool = True) -> Iterator[str]:
    """A row for each training set and subset tested on, a column for each model."""
    yield from markdown_table(
        ["trained on", "tested on", *map(paper.title, table.models)],
        [
            [
                train,
                test,
                *(_with_paper(table.entry(model, train, test), differences) for model in table.models),
            ]
            for train, test in table.pairs
        ],
    )


def bold(entry: Entry, text: str | None = None) -> str:
    """The figure, in bold if it is the best. text: instead of the mean with its spread."""
    mean, *spread = (text or ours(entry)).split(" ")
    return " ".join([f"**{mean}**" if entry.best else mean, *spread])


def _with_paper(entry: Entry, differences: bool) -> str:
    text = bold(entry)
    if entry.paper is None:
        return text
    difference = f", {signed(entry.difference)}" if differences and entry.difference is not None else ""
    return f"{text} ({entry.paper:g}{difference})"


def markdown_table(header: list[str], rows: Iterable[list[str]]) -> Iterator[str]:
    yield f"| {' | '.join(header)} |"
    yield f"|{' --- |' * len(header)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def latex(experiment: Experiment, table: Table) -> str:
    """The table in the layout of the paper's Table 1: a column for each pair of subsets."""
    tests = table.tested_on
    block = "r" * len(tests)
    names = [_latex_name(test) for test in tests]
    lines = [
        "% Needs \\usepackage{graphicx}.",
        "\\begin{table}[t]",
        f"\\caption{{{_latex_caption(experiment, table)}}}",
        "\\centering",
        "\\resizebox{\\textwidth}{!}{",
        f"\\begin{{tabular}}{{|l|{'|'.join([block] * len(table.trained_on))}|}}",
        "\\hline",
        _latex_row(
            "Trained",
            [f"\\multicolumn{{{len(tests)}}}{{c|}}{{{_latex_name(name)}}}" for name in table.trained_on],
        ),
        "\\hline",
        _latex_row("Testing", names * len(table.trained_on)),
        "\\hline",
    ]
    for model in table.models:
        entries = [table.entry(model, train, test) for train in table.trained_on for test in tests]
        lines.append(_latex_row(_latex_text(paper.title(model)), [_latex_ours(entry) for entry in entries]))
        if any(entry.paper is not None for entry in entries):
            papers = ["--" if entry.paper is None else f"{entry.paper:g}" for entry in entries]
            lines.append(_latex_row("\\quad the paper's", papers))
            differences = [_latex_number(signed(entry.difference)) for entry in entries]
            lines.append(_latex_row("\\quad difference", differences))
        lines.append("\\hline")
    return "\n".join([*lines, "\\end{tabular}", "}", "\\end{table}"]) + "\n"


def _latex_row(name: str, cells: list[str]) -> str:
    return f"{name} & {' & '.join(cells)} \\\\"


def _latex_caption(experiment: Experiment, table: Table) -> str:
    presets = sorted(preset or "given files" for preset in experiment.matrix.presets)
    caption = f"Test accuracy in percent, {_latex_text(' and '.join(presets))} stories"
    if experiment.seeds > 1:
        caption += f", mean and standard deviation over {experiment.seeds} seeds"
    return _latex_number(
        f"{caption}. {' '.join(closing_lines(experiment, table))}".replace("%", "\\%").strip()
    )


def _latex_ours(entry: Entry) -> str:
    mean, *spread = ours(entry).split(" ±")
    text = _latex_number(mean)
    if entry.best:
        text = f"\\textbf{{{text}}}"
    return text + "".join(f"{{\\scriptsize$\\pm${value}}}" for value in spread)


def _latex_number(text: str) -> str:
    return text.replace(MISSING, "--").replace(_MINUS, "$-$")


def _latex_name(subset: str) -> str:
    return f"$M_{{{subset[1:]}}}$" if re.fullmatch(r"M[\d,-]+", subset) else _latex_text(subset)


def _latex_text(text: str) -> str:
    return "".join(f"\\{character}" if character in "&%$#_{}" else character for character in text)
