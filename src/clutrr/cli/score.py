"""clutrr score: anybody's answers, scored."""

from pathlib import Path
from typing import Annotated

import typer

from clutrr.cli.show import print_json, print_table, progress

_SHOWN = 10


def score(
    data: Annotated[Path, typer.Argument(help="A data file or folder.", show_default=False)],
    predictions: Annotated[
        Path,
        typer.Argument(
            metavar="ANSWERS",
            help="CSV or JSON lines with id and answer; or a run, or its predictions.",
            show_default=False,
        ),
    ],
    split: Annotated[
        str | None, typer.Option(help="Only the questions of train or test.", show_default="all")
    ] = None,
    world: Annotated[
        str | None, typer.Option(help="A world by name, or its folder.", show_default="the data's")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Score the answers of any model, by subset, with 95 % intervals.

    An answer is a relation, or a sentence that names just one. What cannot be read counts as wrong
    and is listed; so does a question without an answer.
    """
    import textwrap

    from clutrr.data import open_dataset
    from clutrr.scoring import Score, read_predictions
    from clutrr.scoring import score as run

    answers = read_predictions(predictions)
    with progress("questions", None) as tick:
        scores = run(open_dataset(data, world), answers, split, tick)
    every = [*scores.subsets, scores.total]
    if as_json:

        def content(one: Score) -> dict[str, object]:
            return {
                "rows": one.rows,
                "right": one.right,
                "accuracy": one.accuracy,
                "interval": one.interval,
                "unread": one.unread,
                "missing": one.missing,
            }

        subsets: dict[str, dict[str, object]] = {}
        for one in scores.subsets:
            subsets.setdefault(one.subset, {})[one.split] = content(one)
        unread = [{"id": number, "answer": answer} for number, answer in scores.unread]
        print_json({**content(scores.total), "subsets": subsets, "unread_answers": unread})
        return
    print_table(
        f"{predictions}: answers to {data}",
        ["subset", "split", "questions", "right", "accuracy %", "95 % interval", "not read", "missing"],
        [
            [
                one.subset,
                one.split,
                one.rows,
                one.right,
                f"{one.accuracy:.1f}",
                " to ".join(f"{bound:.1f}" for bound in one.interval),
                one.unread,
                one.missing,
            ]
            for one in every
        ],
    )
    if scores.unread:
        print(f"{len(scores.unread):,} answers were not read:")
        for number, answer in scores.unread[:_SHOWN]:
            print(f"  {number}: {textwrap.shorten(answer, 90, placeholder=' ...') or '(empty)'}")
        if len(scores.unread) > _SHOWN:
            print(f"  and {len(scores.unread) - _SHOWN:,} more; --json lists all")
