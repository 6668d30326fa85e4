"""A table as text: for a terminal, in Markdown and in LaTeX; the best model in bold."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from clutrr import paper
from clutrr.errors import DataError, plain
from clutrr.measure import natural
from clutrr.report.experiment import Experiment
from clutrr.report.table import Entry, Table, style_of

if TYPE_CHECKING:
    from rich.table import Table as RichTable

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


def terminal_tables(table: Table, width: int) -> list["RichTable"]:
    """All models side by side, with intervals if there is room for them; else one below the other."""
    from rich.console import Console

    beside = ["paper", "+/-"] if table.compared else []
    room = Console(width=1000)
    tables: list[RichTable] = []
    for together in ([table.models], [(model,) for model in table.models]):
        for columns in (["ours", "95 %", *beside], ["ours", *beside]):
            tables = [_terminal_table(table, group, columns) for group in together]
            if all(room.measure(each).maximum <= width for each in tables):
                return tables
    return tables


def _terminal_table(table: Table, models: Sequence[str], columns: list[str]) -> "RichTable":
    from rich.box import SIMPLE_HEAD
    from rich.markup import escape
    from rich.table import Table as RichTable

    title = "Test accuracy, %; trained on, tested on"
    shown = RichTable(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD)
    shown.add_column("train", no_wrap=True)
    shown.add_column("test", no_wrap=True)
    for model in models:
        for i, column in enumerate(columns):
            heading = f"{escape(plain(paper.title(model)))}\n{column}" if i == 0 else f"\n{column}"
            shown.add_column(heading, justify="right", no_wrap=True)
    pairs = table.pairs
    for (train, test), (following, _) in zip(pairs, (*pairs[1:], ("", "")), strict=True):
        row = []
        for model in models:
            entry = table.entry(model, train, test)
            texts = {
                "ours": f"[bold]{ours(entry)}[/]" if entry.best else ours(entry),
                "95 %": interval(entry),
                "paper": "" if entry.paper is None else number(entry.paper),
                "+/-": "" if entry.paper is None else signed(entry.difference),
            }
            row += [texts[column] for column in columns]
        shown.add_row(*(escape(plain(name)) for name in (train, test)), *row, end_section=train != following)
    return shown


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
        row += [_bold(entry), interval(entry)]
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


def lengths_table(tables: Sequence[tuple[Table, str]]) -> Iterator[str]:
    """A row for each training set and model, a column for each subset tested on.

    The tables, one below the other, each with a note for its training sets.
    """
    tested_on = sorted({test for table, _ in tables for test in table.tested_on}, key=natural)
    rows = []
    for table, note in tables:
        for train in table.trained_on:
            for model in table.models:
                entries = {
                    e.test: e for e in table.entries if (e.model, e.train) == (model, train) and e.seeds
                }
                if entries:
                    seeds = max(len(entry.seeds) for entry in entries.values())
                    figures = [ours(entries[test]) if test in entries else "" for test in tested_on]
                    rows.append([f"{train} {note}".strip(), f"`{model}`", str(seeds), *figures])
    yield from markdown_table(["trained on", "model", "seeds", *tested_on], rows)


def models_table(table: Table, train: str) -> Iterator[str]:
    """A row for each model trained on one subset, a column for each subset tested on; only means."""
    if train not in table.trained_on:
        raise DataError(
            f"a table by model: no model is trained on {train!r} (file.json#SUBSET names what is)"
        )
    rows = []
    for model in table.models:
        entries = [table.entry(model, train, test) for test in table.tested_on]
        rows.append([paper.title(model), *(_bold(entry, number(entry.accuracy)) for entry in entries)])
    yield from markdown_table(["model", *table.tested_on], rows)


def styles_table(table: Table) -> Iterator[str]:
    """A row for each style tested on, style trained on and model, a column for each length."""
    lengths = sorted({test.removeprefix(style_of(test)).strip() for test in table.tested_on}, key=natural)
    rows = []
    for tested in table.styles:
        for train in table.trained_on:
            for model in table.models:
                entries = [table.entry(model, train, f"{tested} {length}") for length in lengths]
                if seeds := max(len(entry.seeds) for entry in entries):
                    rows.append([tested, train, f"`{model}`", str(seeds), *map(ours, entries)])
    yield from markdown_table(["tested on", "trained on", "model", "seeds", *lengths], rows)


def _bold(entry: Entry, text: str | None = None) -> str:
    """The figure, in bold if it is the best. text: instead of the mean with its spread."""
    mean, *spread = (text or ours(entry)).split(" ")
    return " ".join([f"**{mean}**" if entry.best else mean, *spread])


def _with_paper(entry: Entry, differences: bool) -> str:
    text = _bold(entry)
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
