"""The table, for a terminal, in Markdown and in LaTeX. Best of the models in bold."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from clutrr import paper
from clutrr.report.summary import Cell, Summary

if TYPE_CHECKING:
    from rich.table import Table

MISSING = "\N{EN DASH}"
_MINUS = "\N{MINUS SIGN}"


def number(value: float | None) -> str:
    return MISSING if value is None else f"{value:.1f}"


def signed(value: float | None) -> str:
    """With its sign, as a difference is."""
    return MISSING if value is None else f"{round(value, 1) + 0.0:+.1f}".replace("-", _MINUS)


def ours(cell: Cell) -> str:
    """The mean, with the spread over the seeds."""
    return number(cell.accuracy) + ("" if cell.spread is None else f" ±{cell.spread:.1f}")


def interval(cell: Cell) -> str:
    return MISSING if cell.interval is None else "{:.1f} to {:.1f}".format(*cell.interval)


def closing_lines(summary: Summary) -> Iterator[str]:
    """What to know when reading the table, a sentence each."""
    results = summary.results
    if results.missing:
        yield f"{len(results.records)} of {results.wanted} trainings are finished; {MISSING}: not yet."
    if summary.compared and summary.near().of:
        yield f"{str(summary.near()).capitalize()}."
    if results.reduced:
        yield f"Reduced: {'; '.join(results.reduced)}."


def terminal_tables(summary: Summary, width: int) -> list["Table"]:
    """All models side by side, with intervals where there is room for them; else one below the other."""
    from rich.console import Console

    models = summary.results.models
    beside = ["paper", "+/-"] if summary.compared else []
    room = Console(width=1000)
    tables: list[Table] = []
    for together in ([models], [(model,) for model in models]):
        for columns in (["ours", "95 %", *beside], ["ours", *beside]):
            tables = [_terminal_table(summary, group, columns) for group in together]
            if all(room.measure(table).maximum <= width for table in tables):
                return tables
    return tables


def _terminal_table(summary: Summary, models: Sequence[str], columns: list[str]) -> "Table":
    from rich.box import SIMPLE_HEAD
    from rich.markup import escape
    from rich.table import Table

    results = summary.results
    title = "Test accuracy, %; trained on, tested on"
    table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD)
    table.add_column("train", no_wrap=True)
    table.add_column("test", no_wrap=True)
    for model in models:
        for i, column in enumerate(columns):
            heading = f"{escape(paper.title(model))}\n{column}" if i == 0 else f"\n{column}"
            table.add_column(heading, justify="right", no_wrap=True)
    for train in results.trained_on:
        for test in results.tested_on:
            row = []
            for model in models:
                cell = summary.cell(model, train, test)
                texts = {
                    "ours": f"[bold]{ours(cell)}[/]" if cell.best else ours(cell),
                    "95 %": interval(cell),
                    "paper": "" if cell.paper is None else number(cell.paper),
                    "+/-": "" if cell.paper is None else signed(cell.difference),
                }
                row += [texts[column] for column in columns]
            table.add_row(train, test, *row, end_section=test == results.tested_on[-1])
    return table


def markdown(summary: Summary) -> str:
    """The table, and below it every cell with its interval and the look-ups."""
    results = summary.results
    beside = " (the paper's, the difference)" if summary.compared else ""
    spread = " ± the standard deviation over the seeds" if results.seeds > 1 else ""
    lines = [
        f"Test accuracy in percent{spread}{beside}; best of the models in bold.",
        "",
        *markdown_table(
            ["trained on", "tested on", *map(paper.title, results.models)],
            [
                [train, test, *(_with_paper(summary.cell(model, train, test)) for model in results.models)]
                for train in results.trained_on
                for test in results.tested_on
            ],
        ),
        "",
        *closing_lines(summary),
        "",
        "## Cell by cell",
        "",
    ]
    lookups = list(dict.fromkeys(name for cell in summary.cells for name in cell.lookups))
    header = ["model", "trained on", "tested on", "seeds", "stories", "ours", "95 % interval"]
    if summary.compared:
        header += ["paper", "difference"]
    rows = []
    for cell in summary.cells:
        row = [paper.title(cell.model), cell.train, cell.test, str(cell.seeds), f"{cell.n or MISSING}"]
        row += [_bold(cell), interval(cell)]
        if summary.compared:
            row += [MISSING if cell.paper is None else f"{cell.paper:g}", signed(cell.difference)]
        rows.append([*row, *(number(cell.lookups.get(name)) for name in lookups)])
    lines += markdown_table([*header, *(f"audit: {name}" for name in lookups)], rows)
    return "\n".join(lines) + "\n"


def _bold(cell: Cell) -> str:
    if not cell.best:
        return ours(cell)
    mean, *spread = ours(cell).split(" ")
    return " ".join([f"**{mean}**", *spread])


def _with_paper(cell: Cell) -> str:
    text = _bold(cell)
    if cell.paper is None:
        return text
    difference = "" if cell.difference is None else f", {signed(cell.difference)}"
    return f"{text} ({cell.paper:g}{difference})"


def markdown_table(header: list[str], rows: Iterable[list[str]]) -> Iterator[str]:
    yield f"| {' | '.join(header)} |"
    yield f"|{' --- |' * len(header)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def latex(summary: Summary) -> str:
    """The table in the layout of the paper's Table 1: a column for each pair of subsets."""
    results = summary.results
    tests = results.tested_on
    block = "r" * len(tests)
    names = [_latex_name(test) for test in tests]
    lines = [
        "% Needs \\usepackage{graphicx}.",
        "\\begin{table}[t]",
        f"\\caption{{{_latex_caption(summary)}}}",
        "\\centering",
        "\\resizebox{\\textwidth}{!}{",
        f"\\begin{{tabular}}{{|l|{'|'.join([block] * len(results.trained_on))}|}}",
        "\\hline",
        _latex_row(
            "Training",
            [f"\\multicolumn{{{len(tests)}}}{{c|}}{{{_latex_name(name)}}}" for name in results.trained_on],
        ),
        "\\hline",
        _latex_row("Testing", names * len(results.trained_on)),
        "\\hline",
    ]
    for model in results.models:
        cells = [summary.cell(model, train, test) for train in results.trained_on for test in tests]
        lines.append(_latex_row(_latex_text(paper.title(model)), [_latex_ours(cell) for cell in cells]))
        if any(cell.paper is not None for cell in cells):
            papers = ["--" if cell.paper is None else f"{cell.paper:g}" for cell in cells]
            lines.append(_latex_row("\\quad the paper's", papers))
            differences = [_latex_number(signed(cell.difference)) for cell in cells]
            lines.append(_latex_row("\\quad difference", differences))
        lines.append("\\hline")
    return "\n".join([*lines, "\\end{tabular}", "}", "\\end{table}"]) + "\n"


def _latex_row(name: str, cells: list[str]) -> str:
    return f"{name} & {' & '.join(cells)} \\\\"


def _latex_caption(summary: Summary) -> str:
    results = summary.results
    caption = f"Test accuracy in percent, preset {_latex_text(str(results.settings['preset']))}"
    if results.seeds > 1:
        caption += f", mean and standard deviation over {results.seeds} seeds"
    return _latex_number(f"{caption}. {' '.join(closing_lines(summary))}".replace("%", "\\%").strip())


def _latex_ours(cell: Cell) -> str:
    mean, *spread = ours(cell).split(" ±")
    text = _latex_number(mean)
    if cell.best:
        text = f"\\textbf{{{text}}}"
    return text + "".join(f"{{\\scriptsize$\\pm${value}}}" for value in spread)


def _latex_number(text: str) -> str:
    return text.replace(MISSING, "--").replace(_MINUS, "$-$")


def _latex_name(subset: str) -> str:
    return f"$M_{{{subset[1:]}}}$" if subset[1:].isdecimal() else _latex_text(subset)


def _latex_text(text: str) -> str:
    return "".join(f"\\{character}" if character in "&%$#_{}" else character for character in text)
