"""Write docs/published-data.md, an audit of every data set in a folder, and the note that belongs to it.

python tools/published.py FOLDER [DOCS]
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from clutrr import load_world
from clutrr._audit.audit import Audit, examine
from clutrr._audit.rows import RowJudge
from clutrr._cli import main
from clutrr._cli.show import progress, say
from clutrr._data import Dataset, open_dataset
from clutrr._data.part import UNSPLIT
from clutrr._data.read import detect, sources
from clutrr._data.source import DataFile
from clutrr._measure import natural, percent
from clutrr._puzzle import ROLES
from clutrr.errors import DataError
from clutrr.theory import Finding
from page_tables import shown_table

app = typer.Typer(add_completion=False)
_ASSUMPTIONS = ("tree", "open")
_BLOOD, _MARRIAGE = "kinship-v1", "kinship-v1-by-marriage"
_LOOKUPS = ("majority label", "the two names", "first and last relation")
_JUDGED = (Finding.REFUTED, Finding.UNDETERMINED, Finding.CONTRADICTORY)
_PAGE = "published-data.md"
_NOTE = "../experiments/notes/2026-11-17-published-data-by-marriage.md"
_INTRODUCTION = f"""\
# The published data sets, audited

Written by `python tools/published.py FOLDER` from the published files; a test keeps this page current where
they are present. Figures are percentages of the rows of a subset and split.

The solver judges every target by the columns of facts ([the field](field.md) by the text), under both
assumptions: under `tree` no marriage links two families that are already linked, under `open` one may.
*Refuted* (the facts rule the target out), *undetermined* (they leave several answers) and
*contradictory* (no family fits them) are given for `tree` / `open`, or once where both agree. Aunts, uncles,
nieces and nephews are by blood here; there is also
[an audit that counts them by marriage]({_NOTE}).

- *subset*: in v1.0, 2.3 is task 2 with three facts on the route. Task 1 has nothing beside the route, 2 has
  supporting facts, 3 irrelevant and 4 disconnected ones.
- *text agrees*: the story was seen to state exactly the facts of its columns. *text differs*: it states
  something else. The other stories could not be read.
- *pair seen*: the two queried names are queried together in train too.
- What look-ups answer: the *majority* label, the two *names*, and the *first and last* relation. If a set
  has no training rows, they are fitted on every second row of the subset and tried on the others, marked with
  a star.
- *shorter path*: the facts link the two people by fewer facts than the row claims.

Where a set has facts beyond the path, a second table counts facts by role; *not read* counts those that
only the text states and that could not be read.
"""
_NOTE_INTRODUCTION = """\
# 2026-11-17: the published data sets, by marriage

Belongs to the page on [the published data](../../docs/published-data.md). Written by
`python tools/published.py FOLDER`: what the solver finds if the husband of an aunt is an uncle too, and the
same for aunts, nieces and nephews; in percent of the rows of a subset and split.
"""


@app.command()
def published(
    folder: Annotated[Path, typer.Argument(help="A folder with a folder for each data set.")],
    docs: Annotated[Path, typer.Argument(help="Where the page is written, and its note.")] = Path(
        "docs"
    ),
) -> None:
    """Audit every data set in a folder, and write the page on them and its note."""
    with progress("stories") as tick:
        written = pages(folder, tick)
    for name, text in written.items():
        (docs / name).parent.mkdir(parents=True, exist_ok=True)
        (docs / name).write_text(text, encoding="utf-8")
        say(docs / name)


def data_sets(folder: Path) -> list[Path]:
    """Return the folders below a folder that hold data files with stories themselves."""
    found = {Path(source.path).parent for source in sources(folder) if _has_stories(source)}
    return sorted(found, key=lambda path: natural(str(path)))


def _has_stories(source: DataFile) -> bool:
    try:
        return detect(source).name != "STaR"  # facts without text, of other worlds
    except DataError:
        return False


def pages(folder: Path, tick: Callable[[int], None] = lambda rows: None) -> dict[str, str]:
    """The page and its note, in Markdown, by their places in docs/."""
    page, note = [_INTRODUCTION], [_NOTE_INTRODUCTION]
    for path in data_sets(folder):
        data = open_dataset(path)
        found = examine(data, True, each=lambda *_: tick(1))
        heading = f"## {path.relative_to(folder)}"
        page += [heading, "", *_set(data, found), ""]
        if data.world.name == _BLOOD:
            note += [heading, "", *_by_marriage(data, found, tick), ""]
    return {
        name: "\n".join(lines).rstrip() + "\n" for name, lines in ((_PAGE, page), (_NOTE, note))
    }


def _set(data: Dataset, found: Audit) -> Iterator[str]:
    rows = sum(group.rows for *_, group in found.groups)
    forms = ", ".join(sorted({form.name for _, form in data.files}))
    yield f"{forms}, {rows:,} rows; {found.world}."
    yield ""
    yield from _worth(found)
    roles = [group.text["roles"] for *_, group in found.groups]
    if any(
        about["facts"] for by_role in roles for role, about in by_role.items() if role != "path"
    ):
        yield ""
        yield from _roles(found)


def _worth(found: Audit) -> list[str]:
    header = [
        "subset",
        "split",
        "rows",
        *map(str, _JUDGED),
        "text agrees",
        "text differs",
        "pair seen",
    ]
    header += ["majority", "names", "first and last", "shorter path"]
    star = "" if found.fitted_on.startswith("the training rows") else "*"
    rows: list[Sequence[object]] = []
    for name, split, group in found.groups:
        shares = [
            _both(*(group.soundness[a][finding] for a in _ASSUMPTIONS)) for finding in _JUDGED
        ]
        text = [group.text["agrees"], group.text["disagrees"]]
        pair = group.leaks.name_pair_in_train
        fitted = [
            f"{group.shortcuts[lookup]}{star}" if group.shortcuts else "-" for lookup in _LOOKUPS
        ]
        rows.append(
            [
                *(name, split, group.rows, *shares, *text, "-" if pair is None else pair),
                *(*fitted, group.leaks.shorter_path),
            ]
        )
    return shown_table(header, rows)


def _both(tree: float, opened: float) -> str:
    return f"{tree}" if tree == opened else f"{tree} / {opened}"


def _by_marriage(data: Dataset, found: Audit, tick: Callable[[int], None]) -> list[str]:
    """What the solver finds if aunts and uncles may be by marriage."""
    other = open_dataset(data.path, load_world(_MARRIAGE))
    judge = RowJudge(other.world, True, _ASSUMPTIONS)
    counts: dict[tuple[str, str], Counter[tuple[Finding, str]]] = {}
    for part in other.parts():
        count = counts.setdefault((part.subset, part.split or UNSPLIT), Counter())
        for judgements in (judge.judge(puzzle)[1] for puzzle in part.puzzles):
            count.update((judgement.finding, assume) for assume, judgement in judgements.items())
            tick(1)
    header = [
        "subset",
        "split",
        "rows",
        *(f"{finding}, {a}" for finding in _JUDGED for a in _ASSUMPTIONS),
    ]
    return shown_table(
        header,
        [
            [name, split, group.rows]
            + [
                percent(counts[name, split][f, a], group.rows)
                for f in _JUDGED
                for a in _ASSUMPTIONS
            ]
            for name, split, group in found.groups
        ],
    )


def _roles(found: Audit) -> list[str]:
    rows: list[Sequence[object]] = []
    for name, split, group in found.groups:
        roles = group.text["roles"].values()
        unread = sum(about["unread"] for about in roles)
        rows.append([name, split, *(about["facts"] for about in roles), unread])
    return shown_table(["subset", "split", *ROLES, "not read"], rows)


if __name__ == "__main__":
    main(app)
