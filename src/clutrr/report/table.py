"""The table, for a terminal, in Markdown and in LaTeX; the best model in bold."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from clutrr import paper
from clutrr.errors import DataError, plain
from clutrr.measure import natural
from clutrr.report.grid import Cell, Grid, style_of
from clutrr.report.summary import Summary

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
    """What to know when reading the table, one sentence each."""
    results = summary.results
    if results.missing:
        yield f"{len(results.records)} of {results.wanted} trainings are finished; {MISSING}: not yet."
    if summary.grid.compared and summary.grid.near().of:
        yield f"{str(summary.grid.near()).capitalize()}."
    if results.reduced:
        yield f"Reduced: {'; '.join(results.reduced)}."


def terminal_tables(summary: Summary, width: int) -> list["Table"]:
    """All models side by side, with intervals if there is room for them; else one below the other."""
    from rich.console import Console

    models = summary.results.models
    beside = ["paper", "+/-"] if summary.grid.compared else []
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

    title = "Test accuracy, %; trained on, tested on"
    table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD)
    table.add_column("train", no_wrap=True)
    table.add_column("test", no_wrap=True)
    for model in models:
        for i, column in enumerate(columns):
            heading = f"{escape(plain(paper.title(model)))}\n{column}" if i == 0 else f"\n{column}"
            table.add_column(heading, justify="right", no_wrap=True)
    pairs = summary.grid.pairs
    for (train, test), (following, _) in zip(pairs, (*pairs[1:], ("", "")), strict=True):
        row = []
        for model in models:
            cell = summary.grid.cell(model, train, test)
            texts = {
                "ours": f"[bold]{ours(cell)}[/]" if cell.best else ours(cell),
                "95 %": interval(cell),
                "paper": "" if cell.paper is None else number(cell.paper),
                "+/-": "" if cell.paper is None else signed(cell.difference),
            }
            row += [texts[column] for column in columns]
        table.add_row(*(escape(plain(name)) for name in (train, test)), *row, end_section=train != following)
    return table


def markdown(summary: Summary) -> str:
    """The table, and below it every cell with its interval and the look-ups."""
    results = summary.results
    beside = " (the paper's, the difference)" if summary.grid.compared else ""
    spread = " ± the standard deviation over the seeds" if results.seeds > 1 else ""
    lines = [
        f"Test accuracy in percent{spread}{beside}; best of the models in bold.",
        "",
        *cells_table(summary.grid),
        "",
        *closing_lines(summary),
        "",
        "## Cell by cell",
        "",
    ]
    lookups = summary.grid.lookups
    header = ["model", "trained on", "tested on", "seeds", "stories", "ours", "95 % interval"]
    if summary.grid.compared:
        header += ["paper", "difference"]
    rows = []
    for cell in summary.grid.cells:
        row = [paper.title(cell.model), cell.train, cell.test, str(cell.seeds), f"{cell.n or MISSING}"]
        row += [_bold(cell), interval(cell)]
        if summary.grid.compared:
            row += [MISSING if cell.paper is None else f"{cell.paper:g}", signed(cell.difference)]
        rows.append([*row, *(number(cell.lookups.get(name)) for name in lookups)])
    lines += markdown_table([*header, *(f"audit: {name}" for name in lookups)], rows)
    return "\n".join(lines) + "\n"


def cells_table(grid: Grid, differences: bool = True) -> Iterator[str]:
    """A row for each training set and subset tested on, a column for each model."""
    yield from markdown_table(
        ["trained on", "tested on", *map(paper.title, grid.models)],
        [
            [train, test, *(_with_paper(grid.cell(model, train, test), differences) for model in grid.models)]
            for train, test in grid.pairs
        ],
    )


def lengths_table(grids: Sequence[tuple[Grid, str]]) -> Iterator[str]:
    """A row for each training set and model, a column for each subset tested on.

    The grids, one below the other, each with a note for its training sets.
    """
    tested_on = sorted({test for grid, _ in grids for test in grid.tested_on}, key=natural)
    rows = []
    for grid, note in grids:
        for train in grid.trained_on:
            for model in grid.models:
                cells = {c.test: c for c in grid.cells if (c.model, c.train) == (model, train) and c.seeds}
                if cells:
                    seeds = max(cell.seeds for cell in cells.values())
                    figures = [ours(cells[test]) if test in cells else "" for test in tested_on]
                    rows.append([f"{train} {note}".strip(), f"`{model}`", str(seeds), *figures])
    yield from markdown_table(["trained on", "model", "seeds", *tested_on], rows)


def models_table(grid: Grid, train: str) -> Iterator[str]:
    """A row for each model trained on one subset, a column for each subset tested on; only means."""
    if train not in grid.trained_on:
        raise DataError(
            f"a table by model: no model is trained on {train!r} (file.json#SUBSET names what is)"
        )
    rows = []
    for model in grid.models:
        cells = [grid.cell(model, train, test) for test in grid.tested_on]
        rows.append([paper.title(model), *(_bold(replace(cell, spread=None)) for cell in cells)])
    yield from markdown_table(["model", *grid.tested_on], rows)


def styles_table(grid: Grid) -> Iterator[str]:
    """A row for each style tested on, style trained on and model, a column for each length."""
    lengths = sorted({test.removeprefix(style_of(test)).strip() for test in grid.tested_on}, key=natural)
    rows = []
    for tested in grid.styles:
        for train in grid.trained_on:
            for model in grid.models:
                cells = [grid.cell(model, train, f"{tested} {length}") for length in lengths]
                if seeds := max(cell.seeds for cell in cells):
                    rows.append([tested, train, f"`{model}`", str(seeds), *map(ours, cells)])
    yield from markdown_table(["tested on", "trained on", "model", "seeds", *lengths], rows)


def _bold(cell: Cell) -> str:
    if not cell.best:
        return ours(cell)
    mean, *spread = ours(cell).split(" ")
    return " ".join([f"**{mean}**", *spread])


def _with_paper(cell: Cell, differences: bool) -> str:
    text = _bold(cell)
    if cell.paper is None:
        return text
    difference = f", {signed(cell.difference)}" if differences and cell.difference is not None else ""
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
        cells = [summary.grid.cell(model, train, test) for train in results.trained_on for test in tests]
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
    presets = sorted(preset or "given files" for preset in results.matrix.presets)
    caption = f"Test accuracy in percent, {_latex_text(' and '.join(presets))} stories"
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
    return f"$M_{{{subset[1:]}}}$" if re.fullmatch(r"M[\d,-]+", subset) else _latex_text(subset)


def _latex_text(text: str) -> str:
    return "".join(f"\\{character}" if character in "&%$#_{}" else character for character in text)
