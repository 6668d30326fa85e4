"""clutrr audit: examine a data set."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from clutrr.cli.show import print_json, print_table, spinner

_SHOWN = 6  # labels or patterns in a cell


def audit(
    data: Annotated[Path, typer.Argument(help="A file or folder of puzzles.", show_default=False)],
    world: Annotated[
        str | None, typer.Option(help="A world by name, or its folder.", show_default="the data's")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Examine a data set: soundness, balance, leaks, shortcuts, ceilings.

    Look-ups are fitted on train and tried on test; where there is one split, on its two halves.
    """
    from clutrr.audit import audit as examine

    with spinner("stories") as tick:
        result = examine(data, world, tick)
    if as_json:
        print_json(asdict(result))
        return
    subsets = result.subsets
    _print("Soundness: what the solver says of the targets, %", subsets, "soundness")
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
    _print("Leaks: % of the rows", subsets, "leaks")
    _print("Shortcuts: accuracy without understanding, %", subsets, "shortcuts")
    _print("Ceilings, %", subsets, "ceilings")
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
    columns = list(next(iter(subsets.values()))[part])
    rows = [[name, *(content[part].get(column) for column in columns)] for name, content in subsets.items()]
    print_table(title, ["subset", *columns], rows)


def _top(shares: dict[str, float]) -> str:
    shown = ", ".join(f"{name} {share:g}" for name, share in list(shares.items())[:_SHOWN])
    return shown + (", ..." if len(shares) > _SHOWN else "")
