"""Print docs/published-data.md: every data set in a folder, audited under both assumptions and conventions.

python tools/published.py FOLDER > docs/published-data.md
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from clutrr.auditor.audit import Audit, audit
from clutrr.auditor.rows import RowJudge
from clutrr.cli import main
from clutrr.cli.show import say, spinner
from clutrr.data import Dataset, open_dataset
from clutrr.data.card import table
from clutrr.data.part import UNSPLIT
from clutrr.data.read import detect, sources
from clutrr.data.source import Source
from clutrr.errors import DataError
from clutrr.measure import natural, percent
from clutrr.theory import Finding
from clutrr.world import load_world

app = typer.Typer(add_completion=False)
_ASSUMPTIONS = ("tree", "open")
_BLOOD, _MARRIAGE = "kinship-v1", "kinship-v1-by-marriage"
_JUDGED = (Finding.REFUTED, Finding.UNDETERMINED, Finding.CONTRADICTORY)
_INTRODUCTION = """\
# The published data sets, audited

Made with `tools/published.py FOLDER` from the published files; a test keeps it current wherever these are
present.

The solver judges every target by the facts columns, under both assumptions: under `tree`
no marriage links two families that are already linked, under `open` one may. *By marriage* counts aunts and
uncles, nieces and nephews by marriage as well as by blood. Shares are in percent of the rows of a subset
and split. *Text* says how many stories were seen to state exactly the facts of their columns, and how many
state something else; the rest could not be read. *Names*: the share of the rows whose two queried names are
queried together in train too, and what a look-up of the pair answers. *Words*: what a linear model on the
bag of words answers. If a set has no training rows, look-ups are fitted on every second row of the subset
and tried on the others, marked with a star. *Noise*: facts beyond the path, by role; `not read` counts
those that only the text states and that could not be read.
"""


@app.command()
def published(
    folder: Annotated[Path, typer.Argument(help="A folder with a folder for each data set.")],
) -> None:
    """Audit every data set in a folder, and print the page on them."""
    with spinner("stories") as tick:
        text = page(folder, tick)
    say(text, end="")


def data_sets(folder: Path) -> list[Path]:
    """Return the folders below a folder that hold data files of a known format themselves."""
    found = {Path(source.path).parent for source in sources(folder) if _is_known(source)}
    return sorted(found, key=lambda path: natural(str(path)))


def _is_known(source: Source) -> bool:
    try:
        detect(source)
    except DataError:
        return False
    return True


def page(folder: Path, tick: Callable[[int], None] = lambda rows: None) -> str:
    """The page, in Markdown."""
    lines = [_INTRODUCTION]
    for path in data_sets(folder):
        data = open_dataset(path)
        lines += [f"## {path.relative_to(folder)}", "", *_set(data, audit(data, True, tick), tick), ""]
    return "\n".join(lines).rstrip() + "\n"


def _set(data: Dataset, found: Audit, tick: Callable[[int], None]) -> Iterator[str]:
    rows = sum(group.rows for *_, group in found.groups)
    forms = ", ".join(sorted({form.name for _, form in data.files}))
    yield f"{forms}, {rows:,} rows; {found.world}."
    for spelling, count in found.spelt.items():
        word, _, means = spelling.partition(": ")
        yield f"`{word}` stands for {means} in {count:,} rows."
    yield ""
    yield from _soundness(data, found, tick)
    yield ""
    yield from _given_away(found)
    if any(group.roles[role] for *_, group in found.groups for role in group.roles if role != "path"):
        yield ""
        yield from _noise(found)


def _soundness(data: Dataset, found: Audit, tick: Callable[[int], None]) -> list[str]:
    header = ["subset", "split", "rows", "world"]
    header += [f"{finding}, {assume}" for finding in _JUDGED for assume in _ASSUMPTIONS]
    by_marriage = _by_marriage(data, tick) if data.world.name == _BLOOD else {}
    rows: list[Sequence[object]] = []
    for name, split, group in found.groups:
        shares = [group.soundness[assume][finding] for finding in _JUDGED for assume in _ASSUMPTIONS]
        rows.append([name, split, group.rows, "by blood" if by_marriage else data.world.name, *shares])
        if by_marriage:
            counts = by_marriage[name, split]
            other = [percent(counts[f, a], group.rows) for f in _JUDGED for a in _ASSUMPTIONS]
            rows.append(["", "", "", "by marriage", *other])
    return table(header, rows)


def _by_marriage(
    data: Dataset, tick: Callable[[int], None]
) -> dict[tuple[str, str], Counter[tuple[Finding, str]]]:
    """What the solver finds if aunts and uncles may be by marriage."""
    other = open_dataset(data.path, load_world(_MARRIAGE))
    judge = RowJudge(other.world, True, _ASSUMPTIONS)
    counts: dict[tuple[str, str], Counter[tuple[Finding, str]]] = {}
    for part in other.parts():
        count = counts.setdefault((part.subset, part.split or UNSPLIT), Counter())
        for judgements in (judge.judge(puzzle)[1] for puzzle in part.puzzles):
            count.update((judgement.finding, assume) for assume, judgement in judgements.items())
            tick(1)
    return counts


def _given_away(found: Audit) -> list[str]:
    star = "" if found.fitted_on.startswith("the training rows") else "*"
    rows: list[Sequence[object]] = []
    for name, split, group in found.groups:
        shortcuts = group.shortcuts or {}
        fitted = [
            f"{shortcuts[lookup]}{star}" if shortcuts else "-"
            for lookup in ("majority label", "the two names", "first and last relation", "bag of words")
        ]
        pair = group.leaks.name_pair_in_train
        rows.append(
            [
                name,
                split,
                group.text["agrees"],
                group.text["disagrees"],
                "-" if pair is None else pair,
                *fitted,
                group.leaks.shorter_path,
            ]
        )
    header = ["subset", "split", "text agrees", "text disagrees", "pair of names in train"]
    header += ["majority label", "the two names", "first and last relation", "words", "shorter path"]
    return table(header, rows)


def _noise(found: Audit) -> list[str]:
    rows = [
        [name, split, *group.roles.values(), sum(group.noise_unread.values())]
        for name, split, group in found.groups
    ]
    return table(["subset", "split", *found.groups[0][2].roles, "not read"], rows)


if __name__ == "__main__":
    main(app)
