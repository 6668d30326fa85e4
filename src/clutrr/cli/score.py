"""clutrr score: anybody's answers, scored."""

from typing import TYPE_CHECKING, Annotated

import typer

from clutrr.cli.options import AsJson, Data, DataWorld, Where, path_or_url
from clutrr.cli.show import print_json, print_table, progress, say

if TYPE_CHECKING:
    from clutrr.scoring import Scores

_SHOWN = 10


def score(
    data: Data,
    predictions: Annotated[
        list[Where],
        typer.Argument(
            parser=path_or_url,
            metavar="ANSWERS...",
            help="CSV or JSON lines with id and answer; what `ask` wrote; or a run, or its predictions.",
            show_default=False,
        ),
    ],
    split: Annotated[
        str | None, typer.Option(help="Only the questions of train or test.", show_default="all")
    ] = None,
    answered: Annotated[
        bool, typer.Option("--answered", help="Leave out questions without an answer.")
    ] = False,
    world: DataWorld = None,
    as_json: AsJson = False,
) -> None:
    """Score the answers of any model by subset, with 95 % intervals; several models side by side.

    An answer is a relation, or a reply that gives exactly one. Answers that cannot be read are listed; they
    count as wrong, and so do questions without an answer.
    """
    from clutrr.data import open_dataset
    from clutrr.scoring import named, read_predictions
    from clutrr.scoring import score as run

    opened = open_dataset(data, world)
    found: dict[str, Scores] = {}
    for name, path in named(predictions).items():
        answers = read_predictions(path)
        with progress("questions", None) as tick:
            among = answers.answers.keys() if answered else None
            found[name] = run(opened, answers, split, tick, among=among)
    if len(found) > 1:
        print_side_by_side(str(data), found, as_json)
    elif as_json:
        print_json(content(next(iter(found.values()))))
    else:
        for name, scores in found.items():
            print_scores(f"{name}: answers to {data}", scores)


def content(scores: "Scores") -> dict[str, object]:
    """The scores as plain data, for JSON."""
    subsets: dict[str, dict[str, object]] = {}
    for one in scores.subsets:
        subsets.setdefault(one.subset, {})[one.split] = one.to_json()
    unread = [{"id": number, "answer": answer} for number, answer in scores.unread]
    by_k = {str(k): one.to_json() for k, one in scores.lengths.items()}
    return {**scores.total.to_json(), "subsets": subsets, "by_k": by_k, "unread_answers": unread}


def print_scores(title: str, scores: "Scores") -> None:
    """One model's table, and the answers that were not read."""
    import textwrap

    print_table(
        title,
        ["subset", "split", "questions", "right", "accuracy %", "95 % interval", "not read", "missing"],
        [
            [
                one.subset,
                one.split,
                one.rows,
                one.right if isinstance(one.right, int) else round(one.right, 2),
                f"{one.accuracy:.1f}",
                " to ".join(f"{bound:.1f}" for bound in one.interval),
                one.unread,
                one.missing,
            ]
            for one in [*scores.subsets, scores.total]
        ],
    )
    if scores.unread:
        say(f"{len(scores.unread):,} answers were not read:")
        for number, answer in scores.unread[:_SHOWN]:
            say(f"  {number}: {textwrap.shorten(answer, 90, placeholder=' ...') or '(empty)'}")
        if len(scores.unread) > _SHOWN:
            say(f"  and {len(scores.unread) - _SHOWN:,} more; --json lists all")


def print_side_by_side(data: str, found: "dict[str, Scores]", as_json: bool) -> None:
    """Several models' accuracy with intervals, a column each."""
    if as_json:
        print_json({"answers": {name: content(scores) for name, scores in found.items()}})
        return
    cells = {
        name: {(one.subset, one.split): one for one in [*scores.subsets, scores.total]}
        for name, scores in found.items()
    }
    keys = dict.fromkeys(key for column in cells.values() for key in column if key[0] != "all")
    rows = []
    for key in [*keys, ("all", "")]:
        row = [column.get(key) for column in cells.values()]
        rows.append([*key, max(one.rows for one in row if one), *(one.text if one else "" for one in row)])
    print_table(
        f"Answers to {data}: accuracy in % and its 95 % interval",
        ["subset", "split", "questions", *found],
        rows,
    )
