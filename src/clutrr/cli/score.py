"""clutrr score: anybody's answers, scored."""

from pathlib import Path
from typing import Annotated

import typer

from clutrr.cli.show import print_json, print_table, progress

_SHOWN = 10


def score(
    data: Annotated[Path, typer.Argument(help="A data file or folder.", show_default=False)],
    predictions: Annotated[
        Path, typer.Argument(help="CSV or JSON lines with id and answer.", show_default=False)
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Score the answers of any model, by subset, with 95 % intervals.

    An answer is a relation, or a sentence that names just one. What cannot be read counts as wrong
    and is listed; so does a question without an answer.
    """
    import textwrap

    from clutrr.scoring.score import Score
    from clutrr.scoring.score import score as run

    with progress("questions", None) as tick:
        scores = run(data, predictions, tick)
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
                f"{one.accuracy:.1%}"[:-1],
                " to ".join(f"{bound:.1%}"[:-1] for bound in one.interval),
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
