"""clutrr score: anybody's answers, scored; several models side by side."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from clutrr.cli.options import AsJson, Data, DataWorld, Where, flag, option, path_or_url, place
from clutrr.cli.show import command_line, print_json, print_records, print_table, say

if TYPE_CHECKING:
    from clutrr.reports.comparison import Comparison
    from clutrr.scoring.result import Result

_SHOWN = 10
_ENDING = 90  # characters of an answer that was not read: where the answer should be


def score(
    data: Data,
    answers: Annotated[
        list[Where],
        place(
            "CSV or JSON lines with id and answer; what `ask` wrote; or a run, or its answers.",
            metavar="ANSWERS...",
        ),
    ],
    split: Annotated[str | None, option("Score train, test or all.", "test, or all without one")] = None,
    steps: Annotated[
        bool, flag("--steps", "Judge what replies claim on their way to the answer, too.")
    ] = False,
    to: Annotated[
        Where | None,
        option("Write a table, curves over length and a page into this folder.", False, parser=path_or_url),
    ] = None,
    world: DataWorld = None,
    as_json: AsJson = False,
) -> None:
    """Score the answers of any model by subset, with 95 % intervals; several models side by side.

    An answer is a relation, or a reply that gives exactly one. Answers that cannot be read are listed; they
    count as wrong. So do questions without an answer, except those that `ask` has not asked. Any two models
    are compared on the questions that both answered (McNemar's exact test). With --to, look-ups and ceilings
    that need no model are shown beside the models.
    """
    from clutrr.data import open_dataset
    from clutrr.reports.comparison import compare, with_lookups
    from clutrr.scoring.predictions import read_predictions

    opened = open_dataset(data, world)
    found = compare(opened, [*map(read_predictions, answers)], split, steps, command_line())
    files: list[Where] = []
    if to is not None:
        from clutrr.reports.write import write_comparison

        found = with_lookups(found, opened)
        files = write_comparison(found, to)
    if as_json:
        written = {"files": [str(file) for file in files]} if files else {}
        alone = len(found.results) == 1 and not files
        print_json(found.results[0].to_json() if alone else {**found.to_json(), **written})
        return
    if len(found.results) == 1:
        print_result(f"{found.results[0].model}: answers to {data}", found.results[0])
    else:
        _print_side_by_side(found)
    if to is not None:
        say(f"The page: {to / 'index.html'}")


def _print_side_by_side(found: "Comparison") -> None:
    """Several models' accuracy with intervals, a column each; and any two of them on the same questions."""
    header, *rows = found.rows()
    print_table(found.caption, header, rows)
    for (first, second), one in found.pairs.items():
        if not one.both + one.neither + len(one.first) + len(one.second):
            say(f"{first} and {second} were not asked the same questions.")
            continue
        say(
            f"{first} and {second}: {one.both:,} both right, {len(one.first):,} only {first}, "
            f"{len(one.second):,} only {second}, {one.neither:,} neither; p = {one.p:.2g} (McNemar)."
        )
        for name, ids in ((first, one.first), (second, one.second)):
            if ids:
                say(f"  only {name}: {', '.join(ids[:_SHOWN])}{_more(ids)}")
    for result in found.results:
        _say_details(result)


def print_result(title: str, result: "Result") -> None:
    """One model's table, and the answers that were not read."""
    header, *rows = result.rows()
    print_table(title, header, rows)
    _say_details(result)
    if result.unread:
        known = result.details.get("not_read", {})
        why = ", ".join(f"{count:,} {reason}" for reason, count in known.items())
        say(f"{len(result.unread):,} answers were not read{f' ({why})' if why else ''}:")
        for number, answer in result.unread[:_SHOWN]:
            text = " ".join(answer.split()) or "(empty)"
            say(f"  {number}: {text if len(text) <= _ENDING else f'... {text[-_ENDING:]}'}")
        if len(result.unread) > _SHOWN:
            say(f" {_more(result.unread)}")
        if "truncated" in known:
            say("Truncated replies need more room: --sampling max-tokens=N, and the limits of the service.")


def _more(listed: Sequence[object]) -> str:
    return f" and {len(listed) - _SHOWN:,} more; --json lists all" if len(listed) > _SHOWN else ""


def _say_details(result: "Result") -> None:
    """What was not asked, how "cannot be told" went wrong, and how replies came to their answers."""
    if left_out := result.questions.get("not_asked"):
        say(f"{result.model}: {left_out:,} questions were not asked or not answered, and do not count.")
    if false := result.details.get("cannot_be_told"):
        say(
            f"{result.model}: {false['false_abstention']:,} wrong answers say that it cannot be told "
            f"(false abstention); {false['false_certainty']:,} name one where it cannot (false certainty)."
        )
    if steps := result.details.get("steps"):
        by_k = steps["by_k"].items()
        rows = [{"k": k, **{name.replace("_", " "): n for name, n in one.items()}} for k, one in by_k]
        print_records(f"{result.model}: the steps of replies", rows)
        if steps["breaks"]:
            listed = ", ".join(f"{at} ({times:,})" for at, times in list(steps["breaks"].items())[:_SHOWN])
            say(f"First wrong claims, most often at: {listed}.")
            say("One kind is a fact misread; two are what holds up to the last fact, and that fact.")
