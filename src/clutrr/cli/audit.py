"""clutrr audit: examine a data set."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clutrr.cli.options import (
    ASSUME,
    AsJson,
    ByFacts,
    Cluster,
    DataWorld,
    Rows,
    SkipBad,
    Where,
    numbers,
    path_or_url,
)
from clutrr.cli.show import print_json, print_notes, print_table, say, spinner

if TYPE_CHECKING:
    from clutrr.auditor import Audit
    from clutrr.auditor.audit import Group

_SHOWN = 4  # labels or patterns in a cell
_TOLD = {"disagrees": "disagrees with its facts", "not read": "was not read"}
_Groups = list[tuple[str, str, "Group"]]
_LEAKS = {
    "story_in_train": "story",
    "query_and_answer_in_train": "query and answer",
    "family_in_train": "family",
    "pattern_in_train": "pattern",
    "names_in_train": "both names",
    "name_pair_in_train": "pair of names",
}
_ALONE = {
    "story_twice": "story twice",
    "answer_stated": "answer stated",
    "answer_word_in_story": "answer's word in text",
    "shorter_path": "path shorter than k",
}


def audit(
    data: Annotated[
        Where, typer.Argument(help="A file or folder of puzzles.", show_default=False, parser=path_or_url)
    ],
    world: DataWorld = None,
    facts: ByFacts = False,
    assume: Annotated[
        str | None, typer.Option(help=ASSUME, show_default="what the data was made under, or each in turn")
    ] = None,
    train_on: Annotated[
        str | None,
        typer.Option(help="Fit on training rows of these lengths: 1-3, or 2,3.", show_default="all"),
    ] = None,
    rows: Rows = None,
    cluster: Cluster = None,
    skip_bad: SkipBad = False,
    as_json: AsJson = False,
) -> None:
    """Examine a data set by subset and split: soundness, balance, leaks, shortcuts, ceilings.

    Look-ups and rules are fitted on the training rows of all subsets and tried on all other rows. Without
    training rows they are fitted on every second row of a subset, and the output says so. If there are
    training stories of two facts, the rules that these show are tried too. A rule is unsound if its two
    relations allow other results as well. An answer depends on unsound rules if its chain cannot be
    worked out, in any order, without one.
    """
    from clutrr.auditor import audit as examine
    from clutrr.auditor.export import FindingsFile
    from clutrr.data import open_dataset
    from clutrr.workers import Here, open_crew
    from clutrr.world import Assumption

    assumed = None if assume is None else Assumption.named(assume)
    lengths = None if train_on is None else numbers(train_on, "train-on")
    opened = open_dataset(data, world, skip_bad)
    with (
        open_crew(cluster, Here) as crew,
        spinner("stories") as tick,
        FindingsFile.maybe(rows) as file,
    ):
        result = examine(opened, facts, tick, assumed, lengths, file.add, crew=crew)
    if as_json:
        print_json(asdict(result))
        return
    say(f"{data}: {result.world}, {sum(group.rows for *_, group in result.groups):,} rows")
    say(f"Verdict: {result.good_for}")
    more = len(result.verdicts) > len(result.worst)
    _print_list(result.worst)
    if more:
        say(f"All {len(result.verdicts)} problems are listed at the end.")
    print_notes(opened.notes)
    say()
    _print_rows(result)
    _print_leaks(result.groups)
    _print_fitted(result)
    if more:
        say("Every problem, by subset:")
        _print_list(result.verdicts)


def _print_list(lines: list[str]) -> None:
    for line in lines:
        say(f"- {line}")


def _print_rows(result: "Audit") -> None:
    groups = result.groups
    columns = list(_TOLD)
    print_table(
        "Text: do the stories state the facts of their columns? In %",
        ["subset", "split", "rows", "agrees", *columns],
        [[*key, g.rows, g.text["agrees"], *(g.text[column] for column in columns)] for *key, g in groups],
    )
    shown: set[str] = set()
    for name, split, group in groups:
        for told, first in group.text["first"].items():
            if told not in shown:
                say(f"{name} {split}: the first story that {_TOLD[told]}: {first}")
            shown.add(told)
    by = (
        "what their text states"
        if result.judged_by == "text"
        else "their facts column, seen in the text or not"
    )
    findings = list(dict.fromkeys(f for *_, g in groups for s in g.soundness.values() for f in s))
    columns = [
        f for f in findings if f in _ALWAYS or any(s[f] for *_, g in groups for s in g.soundness.values())
    ]
    print_table(
        f"Soundness: what the solver says about the targets, by {by}, %",
        ["subset", "split", "assuming", *columns],
        [[*key, one, *(s[f] for f in columns)] for *key, g in groups for one, s in g.soundness.items()],
    )
    _print_roles(groups)
    for what in ("labels", "patterns"):
        print_table(
            f"Balance: how many {what}, and the most frequent, %",
            ["subset", "split", what, "shares, %"],
            [[*key, len(getattr(g, what)), _top(getattr(g, what))] for *key, g in groups],
        )


def _print_roles(groups: _Groups) -> None:
    """If there is noise, or text in which not all facts of the columns were read."""
    rows = [
        (name, split, role, g.roles[role], g.read[role], g.noise_unread.get(role, 0))
        for name, split, g in groups
        for role in g.roles
        if g.roles[role] or g.noise_unread.get(role)
    ]
    plain = all(role == "path" and read["right"] == 100 == read["read"] for _, _, role, _, read, _ in rows)
    if plain:
        return
    untold = any(more for *_, more in rows)
    print_table(
        "Facts by role: how many of them were read in the text, and how many of those are right, %"
        + ("; not told: noise that is in no column and was not read" if untold else ""),
        ["subset", "split", "role", "facts", "read", "right", *(["not told"] if untold else [])],
        [
            [*key, role, n, read["read"], read["right"], *([more] if untold else [])]
            for *key, role, n, read, more in rows
        ],
    )


_ALWAYS = ("proved", "entailed", "refuted", "undetermined")


def _print_leaks(groups: _Groups) -> None:
    tested = [(key, asdict(g.leaks)) for *key, g in groups if g.leaks.story_in_train is not None]
    if tested:
        print_table(
            "Leaks: % of the rows that share their story, pattern, ... with train",
            ["subset", "split", *_LEAKS.values()],
            [[*key, *(_known(leaks[field]) for field in _LEAKS)] for key, leaks in tested],
        )
    print_table(
        "Giveaways, % of the rows",
        ["subset", "split", *_ALONE.values()],
        [[*key, *(asdict(g.leaks)[field] for field in _ALONE)] for *key, g in groups],
    )


def _known(share: float | None) -> float | str:
    return "unknown" if share is None else share


def _print_fitted(result: "Audit") -> None:
    groups = [(name, split, g) for name, split, g in result.groups if g.shortcuts is not None]
    if not groups:
        return
    say(f"Look-ups and rules are fitted on {result.fitted_on}.")
    for title, part in (
        ("Shortcuts: accuracy without understanding, %", "shortcuts"),
        ("Ceilings, %", "ceilings"),
        ("", "composition_table"),
    ):
        found = [(*key, getattr(g, part)) for *key, g in groups if getattr(g, part) is not None]
        if found and part == "composition_table" and result.composition_table:
            table = result.composition_table
            title = (
                f"Composition table: {table['rules']:,} rules read off {table['train_rows']:,} training rows "
                "of two facts, over every bracketing of a chain, %"
            )
        if found:
            columns = list(found[0][2])
            print_table(
                title,
                ["subset", "split", *columns],
                [[name, split, *(shares[column] for column in columns)] for name, split, shares in found],
            )
    if result.composition_table:
        _print_unsound(result.composition_table)
    columns = [column for column in result.matrix[0] if column not in ("train", "test")]
    print_table(
        "Fitted on one subset, tried on another: look-ups with the queried person's gender, and rules, %",
        ["fitted on", "tried on", *columns],
        [[cell["train"], cell["test"], *(cell[column] for column in columns)] for cell in result.matrix],
    )


def _print_unsound(table: dict[str, Any]) -> None:
    rows = [
        [
            f"{' + '.join(rule['rule'])} -> {rule['result']}",
            ", ".join(rule["possible"] + ["no relation of the labels"] * rule["outside"]),
            rule["word_rules"],
            rule["train_rows"],
            sum(rule["test_rows"].values()),
        ]
        for rule in table["unsound"]
    ]
    if rows:
        print_table(
            "Unsound rules of that table: other results are possible too",
            ["rule", "possible", "rules in words", "training rows", "test rows that may use it"],
            rows,
        )


def _top(shares: dict[str, float]) -> str:
    shown = ", ".join(f"{name} {share:g}" for name, share in list(shares.items())[:_SHOWN])
    return shown + (", ..." if len(shares) > _SHOWN else "")
