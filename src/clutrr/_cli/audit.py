"""clutrr audit: examine a data set; clutrr solve: one question, with a proof."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import clutrr
from clutrr._books.audit import BookAudit
from clutrr._cli.options import (
    ASSUME,
    FACTS,
    AsJson,
    Cluster,
    Data,
    DataWorld,
    Location,
    flag,
    option,
    path_or_url,
)
from clutrr._cli.show import print_json, print_notes, print_records, print_table, progress, say
from clutrr._measure import counted

if TYPE_CHECKING:
    from clutrr._audit import Audit

_SHOWN = 4  # labels or patterns in a cell
_FAILED = {
    "disagrees": "story that disagrees with its facts",
    "not read": "story that was not understood",
    "refuted": "target that is refuted",
}
_LISTED = ("first", "roles")  # of a text: below its table
_NO_TEXT = "No text: use --facts to judge by the facts columns."
_WRONG = 20  # questions that are listed
_Table = tuple[str, Sequence[Mapping[str, object]]]  # a title, or a line if there are no rows


def audit(
    data: Data,
    world: DataWorld = None,
    facts: Annotated[bool, flag("--facts", FACTS)] = False,
    assume: Annotated[
        str | None, option(ASSUME, "what the data was made under, or each in turn")
    ] = None,
    train_on: Annotated[
        str | None,
        option("Fit look-ups and rules on training rows of these lengths: 1-3, or 2,3.", "all"),
    ] = None,
    rows: Annotated[
        Location | None,
        option(
            "Write the finding for each row to this .parquet or .jsonl file.",
            False,
            metavar="OUT",
            parser=path_or_url,
        ),
    ] = None,
    skip_bad: Annotated[
        bool,
        flag(
            "--skip-bad",
            "Leave out rows and files that cannot be read, instead of counting such rows as unusable.",
        ),
    ] = False,
    cluster: Cluster = None,
    as_json: AsJson = False,
) -> None:
    """Examine a data set by subset and split: soundness, balance, leaks, shortcuts, ceilings.

    Proved: of the relations in the label set only the target is possible in the scenes that agree with
    the story; entailed: nothing outside the label set is possible either. Refuted: the target is impossible.
    Not decided: it would take too much work. Unusable: the row cannot be read.

    Look-ups and rules are fitted on the training rows of all subsets and tried on all other rows. Without
    training rows they are fitted on every second row of a subset, and the output shows it.
    """
    settings = {name: value for name, value in locals().items() if name != "as_json"}
    with progress("stories") as tick:
        result = clutrr.audit(**settings, tick=tick)
    if as_json:
        print_json(result.to_json())
        return
    if isinstance(result, BookAudit):
        _print_book(result)
        return
    opened = result.data
    rows_there = sum(group.rows for *_, group in result.groups)
    made = f", made assuming {opened.assume}" if opened.assume else ""
    say(f"Verdict: {result.good_for}")
    say(f"Judged: {data}: {opened.kinds}, {result.world}, {counted(rows_there, 'row')}{made}")
    more = len(result.verdicts) > len(result.worst)
    for problem in result.worst:
        say(f"- {problem}")
    if more:
        say(f"All {len(result.verdicts)} problems are listed at the end.")
    if not result.unusable:
        print_notes(opened.notes)
    say()
    for title, records in _tables(result):
        if records:
            print_records(title, records)
        else:
            say(title)
    if more:
        say("\n- ".join(("Every problem, by subset:", *result.verdicts)))


def _print_book(found: BookAudit) -> None:
    """Print what was found of a book."""
    header, *rows = found.rows()
    print_table(found.caption, header, rows)
    for verdict in found.verdicts or ["Every answer is proved, or shown to be open."]:
        say(verdict)
    for number, what in list(found.wrong.items())[:_WRONG]:
        say(f"  {number}: {what}")


def _tables(result: "Audit") -> Iterator[_Table]:
    """Yield what was found by subset and split: in the text, about the targets, in train, by look-ups."""
    groups, by_facts = [group for *_, group in result.groups], result.judged_by == "facts"
    if result.unusable:
        yield "Unusable: rows that cannot be read, by reason", result.unusable

    def of_each(title: str, cells: Sequence[Mapping[str, object]]) -> _Table:
        keys = [{"subset": subset, "split": split} for subset, split, _ in result.groups]
        return title, [{**key, **found} for key, found in zip(keys, cells, strict=True) if found]

    if all("no text" in group.text for group in groups):
        yield "No text: judged by facts." if by_facts else _NO_TEXT, []
    else:
        title = "Text: do the stories state the facts of their columns? In %"
        texts = [
            {n: v for n, v in group.text.items() if not isinstance(v, dict)} for group in groups
        ]
        yield of_each(
            title, [{"rows": group.rows, **text} for group, text in zip(groups, texts, strict=True)]
        )
    by = "their facts column, seen in the text or not" if by_facts else "what their text states"
    header, *rows = result.rows()
    header = [name.removesuffix(", %") for name in header]
    records = [dict(zip(header, row, strict=True)) for row in rows]
    yield f"Soundness: what the solver finds about the targets, by {by}, %", records
    first: dict[str, str] = {}
    for subset, split, group in result.groups:
        for failure, row in group.text["first"].items():
            first.setdefault(failure, f"{subset} {split}: the first {_FAILED[failure]}: {row}")
    for line in (
        *first.values(),
        *["`--rows FILE` writes what was found about every row."] * bool(first),
    ):
        yield line, []
    roles = [
        {"subset": subset, "split": split, "role": role, **about}
        for subset, split, group in result.groups
        for role, about in group.text["roles"].items()
        if (about["facts"] or about["unread"]) and "no text" not in group.text
    ]
    # If there is noise, or text in which not all facts of the columns were read.
    if any(one["role"] != "path" or (one["read"], one["right"]) != (100, 100) for one in roles):
        title = (
            "Facts by role: how many of them were read in the text, and how many of those are right, %; "
            "unread: noise that is in no column and was not read"
        )
        yield title, roles
    for what in ("labels", "patterns"):
        title = f"Balance: how many {what}, and the most frequent, %"
        held: list[dict[str, float]] = [getattr(group, what) for group in groups]
        yield of_each(title, [{what: len(shares), "shares, %": _top(shares)} for shares in held])
    leaks, others = list[dict[str, object]](), list[dict[str, object]]()
    for group in groups:
        known = {name.replace("_", " "): share for name, share in asdict(group.leaks).items()}
        in_train = {name: known.pop(name) for name in list(known) if name.endswith(" in train")}
        tested = in_train["story in train"] is not None
        others.append(known)
        leaks.append(
            {name.removesuffix(" in train"): share for name, share in in_train.items() if tested}
        )
    if any(leaks):
        yield of_each("Leaks: % of the rows that share their story, pattern, ... with train", leaks)
    yield of_each("Giveaways, % of the rows", others)
    if result.matrix:
        yield f"Look-ups and rules are fitted on {result.fitted_on}.", []
        yield of_each(
            "Shortcuts: accuracy without understanding, %", [g.shortcuts or {} for g in groups]
        )
        yield of_each("Ceilings, %", [group.ceilings or {} for group in groups])
        title = "Fitted on train, tried on test: look-ups with the form of the queried entity, and rules, %"
        yield title, result.matrix


def _top(shares: dict[str, float]) -> str:
    shown = ", ".join(f"{name} {share:g}" for name, share in list(shares.items())[:_SHOWN])
    return shown + (", ..." if len(shares) > _SHOWN else "")


def solve(
    story: Annotated[str, option("The story.", False)],
    query: Annotated[
        tuple[str, str] | None,
        option("Two names: what is the second to the first?", "all that the story says"),
    ] = None,
    world: Annotated[
        str | None, option("The world of the story: a name or a folder.", "the one that reads it")
    ] = None,
    assume: Annotated[str | None, option(ASSUME, "the weakest")] = None,
    as_json: AsJson = False,
) -> None:
    """Answer one question with a proof: everything that the second can be to the first.

    Without a query: all that the story says, and what of it is not understood, with its place.

    For the targets of a data set, use `clutrr audit DATA --rows OUT`.
    """
    found = clutrr.solve(story, query, world, assume) if query else clutrr.solve(story, world=world)
    if as_json:
        print_json(found.to_dict())
    else:
        say(found)
