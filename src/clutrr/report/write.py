"""A report as files: table.md, table.tex, table.json (the results), the figures, index.html.

A report on several models' answers has the same files, except the LaTeX and the paper's figures.
If composers were trained, there is a figure of what each learnt: learnt-MODEL-SUBSET.
"""

import json
from collections.abc import Iterator

from clutrr.files import replace_files
from clutrr.report import compare
from clutrr.report.compare import Comparison
from clutrr.report.experiment import Experiment
from clutrr.report.figures import draw, figure_left, figure_right
from clutrr.report.learnt import learnt_figure
from clutrr.report.lengths import compared_figure, lengths_figure
from clutrr.report.page import answers_page, page
from clutrr.report.table import table_of
from clutrr.report.text import latex, markdown
from clutrr.storage import Where

PAGE = "index.html"
FIGURES = {"figure-2-left": figure_left, "figure-2-right": figure_right, "lengths": lengths_figure}


def write_report(experiment: Experiment, folder: Where, own: bool = False) -> list[Where]:
    """Write the report into the folder, and return its files. own: whether the folder is ours."""
    table = table_of(experiment)
    drawn = {name: draw(figure(table), name) for name, figure in FIGURES.items()}
    learnt = dict(_learnt(experiment))
    every = {**drawn, **learnt}
    files: dict[str, str | bytes] = {
        "table.md": markdown(experiment, table),
        "table.tex": latex(experiment, table),
        "table.json": experiment.to_text(),
        **{f"{name}.svg": svg for name, (svg, _) in every.items()},
        **{f"{name}.png": png for name, (_, png) in every.items()},
        PAGE: page(
            experiment,
            table,
            {name: svg for name, (svg, _) in drawn.items()},
            [svg for svg, _ in learnt.values()],
        ),
    }
    return replace_files(folder, files, own)


def write_comparison(comparison: Comparison, folder: Where) -> list[Where]:
    """Write the report on several models' answers into the folder, and return its files."""
    svg, png = draw(compared_figure(comparison), "lengths")
    return replace_files(
        folder,
        {
            "table.md": compare.markdown(comparison),
            "table.json": json.dumps(comparison.to_json(), indent=1, ensure_ascii=False) + "\n",
            "lengths.svg": svg,
            "lengths.png": png,
            PAGE: answers_page(comparison, svg),
        },
    )


def _learnt(experiment: Experiment) -> Iterator[tuple[str, tuple[str, bytes]]]:
    """By the name of the figure."""
    for result, learnt in experiment.composers():
        name = f"learnt-{result.name.rpartition('-seed')[0]}"
        yield name, draw(learnt_figure(learnt), name)
