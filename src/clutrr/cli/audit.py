"""clutrr audit: examine a data set."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from clutrr.cli.show import print_json, print_table, spinner

_SHOWN = 6  # labels or patterns in a cell
FACTS = "Judge by the facts column, whether or not the text was seen to state it."
_TOLD = {"disagrees": "disagrees with its facts", "not read": "was not read"}


def audit(
    data: Annotated[Path, typer.Argument(help="A file or folder of puzzles.", show_default=False)],
    world: Annotated[
        str | None, typer.Option(help="A world by name, or its folder.", show_default="the data's")
    ] = None,
    facts: Annotated[bool, typer.Option("--facts", help=FACTS)] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Examine a data set: soundness, balance, leaks, shortcuts, ceilings.

    Look-ups are fitted on train and tried on test; where there is one split, on its two halves.
    Where train has stories of two facts, the rules that these show are tried too. A rule is unsound
    where its two relations leave more possible than it says; an answer rests on one where no
    bracketing of its chain comes to it without.
    """
    from clutrr.auditor import audit as examine
    from clutrr.data import open_dataset
    from clutrr.wording.check import Told

    with spinner("stories") as tick:
        result = examine(open_dataset(data, world), facts, tick)
    if as_json:
        print_json(asdict(result))
        return
    subsets = result.subsets
    print(f"{data}: {result.world}")
    columns = [told.value for told in Told]
    print_table(
        "Text: whether the stories state the facts of their columns, %",
        ["subset", *columns],
        [[name, *(content["text"][column] for column in columns)] for name, content in subsets.items()],
    )
    for name, content in subsets.items():
        for told, first in content["text"]["first"].items():
            print(f"{name}: the first story that {_TOLD[told]}: {first}")
    by = "their facts column, whether or not the text states it" if facts else "what their text states"
    _print(f"Soundness: what the solver says of the targets by {by}, %", subsets, "soundness")
    rows = [
        [
            name,
            sum(content["rows"].values()),
            len(content["labels"]),
            _top(content["labels"]),
            len(content["patterns"]),
            _top(content["patterns"]),
        ]
        for name, content in subsets.items()
    ]
    print_table("Balance", ["subset", "rows", "labels", "shares, %", "patterns", "shares, %"], rows)
    _print_leaks(subsets)
    _print("Shortcuts: accuracy without understanding, %", subsets, "shortcuts")
    _print("Ceilings, %", subsets, "ceilings")
    if result.composition_table:
        _print_composition(result.composition_table, subsets)
    columns = [column for column in result.matrix[0] if column not in ("train", "test")]
    print_table(
        "Fitted on one subset, tried on another: look-ups with the asked person's gender, and rules, %",
        ["train", "test", *columns],
        [[cell["train"], cell["test"], *(cell[column] for column in columns)] for cell in result.matrix],
    )
    print("Verdict:" if result.verdicts else "Verdict: no problem found.")
    for verdict in result.verdicts:
        print(f"- {verdict}")


def _print(title: str, subsets: dict[str, dict[str, Any]], part: str) -> None:
    columns = _columns(subsets, part)
    rows = [
        [name, *(content.get(part, {}).get(column) for column in columns)]
        for name, content in subsets.items()
    ]
    print_table(title, ["subset", *columns], rows)


def _columns(subsets: dict[str, dict[str, Any]], part: str) -> list[str]:
    return list(dict.fromkeys(column for content in subsets.values() for column in content.get(part, {})))


def _print_leaks(subsets: dict[str, dict[str, Any]]) -> None:
    columns = _columns(subsets, "leaks")
    rows = [
        [name, *(content["leaks"].get(column) for column in columns), content["shorter_path"]]
        for name, content in subsets.items()
    ]
    title, header = "Leaks: % of the rows", ["subset", *columns, "path shorter than k"]
    if any(content["train_compared"] for content in subsets.values()):
        title += ". Train: the subset's own, or that of all subsets where it has none"
        header.insert(1, "train")
        for row, content in zip(rows, subsets.values(), strict=True):
            row.insert(1, content["train_compared"])
    print_table(title, header, rows)


def _print_composition(table: dict[str, Any], subsets: dict[str, dict[str, Any]]) -> None:
    title = (
        f"Composition table: {table['rules']:,} rules read off {table['train_rows']:,} training rows of two "
        "facts, over every bracketing of a chain, % of the test rows"
    )
    _print(title, subsets, "composition_table")
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
            "Unsound rules of that table: more is possible than they say",
            ["rule", "possible", "rules in words", "training rows", "test rows that may use it"],
            rows,
        )


def _top(shares: dict[str, float]) -> str:
    shown = ", ".join(f"{name} {share:g}" for name, share in list(shares.items())[:_SHOWN])
    return shown + (", ..." if len(shares) > _SHOWN else "")
