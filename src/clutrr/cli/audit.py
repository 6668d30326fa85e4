"""clutrr audit: examine a data set; clutrr solve: one question, with a proof."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Annotated, Any

from clutrr import api
from clutrr.cli.options import (
    ASSUME,
    FACTS,
    AsJson,
    Cluster,
    Data,
    DataWorld,
    Where,
    World,
    flag,
    option,
    path_or_url,
)
from clutrr.cli.show import notes_json, print_json, print_notes, print_table, progress, say
from clutrr.config import DEFAULT_WORLD

if TYPE_CHECKING:
    from clutrr.auditor import Audit
    from clutrr.auditor.audit import Group

_SHOWN = 4  # labels or patterns in a cell
_FAILED = {
    "disagrees": "story that disagrees with its facts",
    "not read": "story that was not understood",
    "refuted": "target that is refuted",
}
_NO_TEXT = "No text: use --facts to judge by the facts columns."
_Groups = list[tuple[str, str, "Group"]]
_Table = tuple[str, Sequence[str], Sequence[Sequence[object]]]  # a title, or a line if there are no rows


def audit(
    data: Data,
    world: DataWorld = None,
    facts: Annotated[bool, flag("--facts", FACTS)] = False,
    assume: Annotated[str | None, option(ASSUME, "what the data was made under, or each in turn")] = None,
    train_on: Annotated[
        str | None, option("Fit look-ups and rules on training rows of these lengths: 1-3, or 2,3.", "all")
    ] = None,
    rows: Annotated[
        Where | None,
        option(
            "Write the finding for each row to this .parquet or .jsonl file.",
            False,
            metavar="OUT",
            parser=path_or_url,
        ),
    ] = None,
    cluster: Cluster = None,
    as_json: AsJson = False,
) -> None:
    """Examine a data set by subset and split: soundness, balance, leaks, shortcuts, ceilings.

    Proved: of the relations in the label set only the target is possible in the scenes that agree with
    the story; entailed: nothing outside the label set is possible either. Refuted: the target is impossible.
    Not decided: it would take too much work.

    Look-ups and rules are fitted on the training rows of all subsets and tried on all other rows. Without
    training rows they are fitted on every second row of a subset, and the output shows it.
    """
    from clutrr.data import open_dataset

    opened = open_dataset(data, world)
    with progress("stories") as tick:
        result = api.audit(
            opened, tick=tick, facts=facts, assume=assume, train_on=train_on, rows=rows, cluster=cluster
        )
    if as_json:
        print_json({"data": str(data), "kind": opened.kinds, **asdict(result), **notes_json(opened.notes)})
        return
    rows_there = sum(group.rows for *_, group in result.groups)
    made = f", made assuming {opened.assume}" if opened.assume else ""
    say(f"Verdict: {result.good_for}")
    counted = f"{rows_there:,} row{'s' if rows_there != 1 else ''}"
    say(f"Judged: {data}: {opened.kinds}, {result.world}, {counted}{made}")
    more = len(result.verdicts) > len(result.worst)
    for problem in result.worst:
        say(f"- {problem}")
    if more:
        say(f"All {len(result.verdicts)} problems are listed at the end.")
    print_notes(opened.notes)
    say()
    for title, header, cells in (*_about_text(result), *_about_groups(result), *_about_fits(result)):
        if cells:
            print_table(title, header, cells)
        else:
            say(title)
    if more:
        say("\n- ".join(("Every problem, by subset:", *result.verdicts)))


def _by_group(title: str, groups: _Groups, cells: list[dict[str, Any]], names: Mapping[str, str]) -> _Table:
    """A table with a row for each group. names: of its columns, by those of the cells."""
    rows = [
        [name, split, *(found[column] for column in names)]
        for (name, split, _), found in zip(groups, cells, strict=True)
    ]
    return title, ["subset", "split", *names.values()], rows


def _about_text(result: "Audit") -> Iterator[_Table]:
    """What was read in the text, and what the solver finds about the targets by it."""
    groups, by_facts = result.groups, result.judged_by == "facts"
    if all("no text" in group.text for *_, group in groups):
        yield "No text: judged by facts." if by_facts else _NO_TEXT, [], []
    else:
        names = [
            "rows",
            "agrees",
            "disagrees",
            "not read",
            *["no text"] * any("no text" in g.text for *_, g in groups),
        ]
        title = "Text: do the stories state the facts of their columns? In %"
        cells = [{"rows": group.rows, "no text": 0.0, **group.text} for *_, group in groups]
        yield _by_group(title, groups, cells, dict(zip(names, names, strict=True)))
    first: dict[str, str] = {}
    for name, split, group in groups:
        for failure, row in group.text["first"].items():
            first.setdefault(failure, f"{name} {split}: the first {_FAILED[failure]}: {row}")
    by = "their facts column, seen in the text or not" if by_facts else "what their text states"
    header, *rows = result.rows()
    header = [name.removesuffix(", %") for name in header]
    yield f"Soundness: what the solver finds about the targets, by {by}, %", header, rows
    yield from ((line, [], []) for line in first.values())
    if first:
        yield "`--rows FILE` writes what was found about every row.", [], []
    roles = [
        [name, split, role, *about.values()]
        for name, split, group in groups
        for role, about in group.text["roles"].items()
        if (about["facts"] or about["unread"]) and "no text" not in group.text
    ]
    # If there is noise, or text in which not all facts of the columns were read.
    if any(role != "path" or (read, right) != (100, 100) for _, _, role, _, read, right, _ in roles):
        title = (
            "Facts by role: how many of them were read in the text, and how many of those are right, %; "
            "noise not read: it is in no column and was not read"
        )
        yield title, ["subset", "split", "role", "facts", "read", "right", "noise not read"], roles


def _about_groups(result: "Audit") -> Iterator[_Table]:
    """What each subset and split holds, and what it gives away."""
    groups = result.groups
    for what in ("labels", "patterns"):
        title = f"Balance: how many {what}, and the most frequent, %"
        rows = [[*key, len(getattr(g, what)), _top(getattr(g, what))] for *key, g in groups]
        yield title, ["subset", "split", what, "shares, %"], rows
    names = [field.name for field in fields(groups[0][2].leaks)]
    shared = {name: name.removesuffix("_in_train").replace("_", " ") for name in names if "_in_train" in name}
    if tested := [one for one in groups if one[2].leaks.story_in_train is not None]:
        leaks = [
            {name: "unknown" if share is None else share for name, share in asdict(g.leaks).items()}
            for *_, g in tested
        ]
        title = "Leaks: % of the rows that share their story, pattern, ... with train"
        yield _by_group(title, tested, leaks, shared)
    others = {name: name.replace("_", " ") for name in names if name not in shared}
    yield _by_group("Giveaways, % of the rows", groups, [asdict(g.leaks) for *_, g in groups], others)


def _top(shares: dict[str, float]) -> str:
    shown = ", ".join(f"{name} {share:g}" for name, share in list(shares.items())[:_SHOWN])
    return shown + (", ..." if len(shares) > _SHOWN else "")


def _about_fits(result: "Audit") -> Iterator[_Table]:
    """What look-ups and rules reach that are fitted on the training rows."""
    groups = [one for one in result.groups if one[2].shortcuts is not None]
    if not groups:
        return
    yield f"Look-ups and rules are fitted on {result.fitted_on}.", [], []
    titles = {"shortcuts": "Shortcuts: accuracy without understanding, %", "ceilings": "Ceilings, %"}
    for part, title in titles.items():
        found = [one for one in groups if getattr(one[2], part) is not None]
        shares = [getattr(group, part) for *_, group in found]
        if found:
            yield _by_group(title, found, shares, {name: name for name in shares[0]})
    names = [name for name in result.matrix[0] if name not in ("train", "test")]
    yield (
        "Fitted on one subset, tried on another: look-ups with the form of the queried entity, and rules, %",
        ["fitted on", "tried on", *names],
        [[cell["train"], cell["test"], *(cell[name] for name in names)] for cell in result.matrix],
    )


def solve(
    story: Annotated[str, option("The story.", False)],
    query: Annotated[tuple[str, str], option("Two names: what is the second to the first?", False)],
    world: World = DEFAULT_WORLD,
    assume: Annotated[str | None, option(ASSUME, "the weakest")] = None,
    as_json: AsJson = False,
) -> None:
    """Answer one question with a proof: everything that the second can be to the first.

    For the targets of a data set, use `clutrr audit DATA --rows OUT`.
    """
    solution = api.solve(story, query, world, assume)
    if as_json:
        print_json(solution.to_dict())
    else:
        say(solution)
