"""clutrr solve: prove or refute the targets of data, or answer one question."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clutrr.cli.audit import FACTS
from clutrr.cli.show import print_json, print_table, spinner
from clutrr.errors import ConfigError

if TYPE_CHECKING:
    from clutrr.world.assumptions import Assumption


def solve(
    data: Annotated[
        Path | None, typer.Argument(help="A file or folder of puzzles.", show_default=False)
    ] = None,
    story: Annotated[str | None, typer.Option(help="A story, instead of data.")] = None,
    query: Annotated[
        tuple[str, str] | None, typer.Option(help="Two people: what is the second to the first?")
    ] = None,
    world: Annotated[
        str | None, typer.Option(help="A world by name, or its folder.", show_default="the data's")
    ] = None,
    facts: Annotated[bool, typer.Option("--facts", help=FACTS)] = False,
    assume: Annotated[
        str | None,
        typer.Option(
            help="Which families are possible: open, or tree (no two people joined by two routes).",
            show_default="what the data was made under; open where nothing says",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Prove or refute the target of every puzzle, or answer one question with a proof.

    Proved: the target is the only relation of the label set that is possible in the worlds that
    agree with the story; entailed: nothing outside it is possible either. Refuted: not possible.
    Not decided: it would take too much work. The assumption says which worlds there are.
    """
    from clutrr.world.assumptions import Assumption

    assumed = None if assume is None else Assumption.named(assume)
    if (data is None) == (story is None):
        raise ConfigError("solve: give either data, or a story with --story and --query")
    if story is not None:
        if query is None:
            raise ConfigError("query: name two people, as in --query Ann Bob")
        _one(story, query, world or "kinship", assumed or Assumption.OPEN, as_json)
    elif data is not None:
        if query is not None:
            raise ConfigError("query: only with --story; the puzzles of data have queries of their own")
        _many(data, world, facts, assumed, as_json)


def _one(story: str, query: tuple[str, str], world: str, assume: "Assumption", as_json: bool) -> None:
    from clutrr.solver import solve_story
    from clutrr.world import load_world

    solution = solve_story(story, query, load_world(world), assume)
    if as_json:
        print_json(solution.to_dict())
    else:
        print(solution)


def _many(data: Path, world: str | None, by_facts: bool, named: "Assumption | None", as_json: bool) -> None:
    from clutrr.auditor import findings
    from clutrr.data import open_dataset
    from clutrr.wording.check import Told
    from clutrr.world import Assumption

    opened = open_dataset(data, world)
    assume = named or opened.assume or Assumption.OPEN
    counts: dict[str, Counter[str]] = {}
    with spinner("stories") as tick:
        for part, judged in findings(opened, by_facts, assume):
            count = counts.setdefault(part.subset, Counter())
            for checked, judgement in judged:
                count["stories"] += 1
                count["disagree"] += checked.told is Told.DISAGREES
                count[judgement.finding.value] += 1
                count["entailed"] += judgement.entailed
                tick(1)
    columns = (
        "stories",
        "proved",
        "entailed",
        "refuted",
        "undetermined",
        "contradictory",
        "unread",
        "not decided",
        "disagree",
    )
    total = sum(counts.values(), Counter[str]())
    if as_json:
        judged_by = "facts" if by_facts else "text"
        about = {"world": opened.about_world, "assume": assume.value, "judged_by": judged_by}
        print_json({**about, **{column: total[column] for column in columns}})
        return
    rows = [[name, *(count[column] for column in columns)] for name, count in counts.items()]
    if len(rows) > 1:
        rows.append(["all", *(total[column] for column in columns)])
    by = "their facts column, whether or not the text states it" if by_facts else "what their text states"
    title = (
        f"{data}, {opened.about_world}, assuming {assume}: is the target the only possible answer, by {by}?"
    )
    print_table(title, ["subset", *columns], rows)
