"""clutrr solve: prove or refute the targets of data, or answer one question."""

from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer

from clutrr.cli.options import ASSUME, AsJson, ByFacts, Cluster, DataWorld, Rows, SkipBad, Where, path_or_url
from clutrr.cli.show import print_json, print_notes, print_table, say, spinner
from clutrr.errors import ConfigError

if TYPE_CHECKING:
    from clutrr.world.assumptions import Assumption


def solve(
    data: Annotated[
        Where | None,
        typer.Argument(help="A file or folder of puzzles.", show_default=False, parser=path_or_url),
    ] = None,
    story: Annotated[str | None, typer.Option(help="A story, instead of data.", show_default=False)] = None,
    query: Annotated[
        tuple[str, str] | None,
        typer.Option(help="Two people: what is the second to the first?", show_default=False),
    ] = None,
    world: DataWorld = None,
    facts: ByFacts = False,
    assume: Annotated[
        str | None,
        typer.Option(help=ASSUME, show_default="what the data was made under; else open"),
    ] = None,
    rows: Rows = None,
    cluster: Cluster = None,
    skip_bad: SkipBad = False,
    as_json: AsJson = False,
) -> None:
    """Prove or refute the target of every puzzle, or answer one question with a proof.

    Proved: of the relations in the label set only the target is possible in the families that agree
    with the story; entailed: nothing outside the label set is possible either. Refuted: the target is
    impossible. Not decided: it would take too much work. --assume says which families are possible.
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
        _many(data, world, facts, assumed, rows, cluster, skip_bad, as_json)


def _one(story: str, query: tuple[str, str], world: str, assume: "Assumption", as_json: bool) -> None:
    from clutrr.solver import solve_story
    from clutrr.world import load_world

    solution = solve_story(story, query, load_world(world), assume)
    if as_json:
        print_json(solution.to_dict())
    else:
        say(solution)


def _many(
    data: Where,
    world: str | None,
    by_facts: bool,
    named: "Assumption | None",
    rows: Where | None,
    cluster: str | None,
    skip_bad: bool,
    as_json: bool,
) -> None:
    from clutrr.auditor.export import FindingsFile
    from clutrr.auditor.rows import collect
    from clutrr.data import open_dataset
    from clutrr.measure import natural
    from clutrr.wording.check import Told
    from clutrr.workers import Here, open_crew
    from clutrr.world import Assumption

    opened = open_dataset(data, world, skip_bad)
    assume = named or opened.assume or Assumption.OPEN
    counts: dict[tuple[str, str], Counter[str]] = {}
    with (
        open_crew(cluster, Here) as crew,
        spinner("stories") as tick,
        FindingsFile.maybe(rows) as file,
    ):
        for subset, split, row in collect(opened, by_facts, assume, crew):
            count = counts.setdefault((subset, split or "all"), Counter())
            judgement = row.judgements[assume]
            count["stories"] += 1
            count["disagree"] += row.told is Told.DISAGREES
            count[judgement.finding.value] += 1
            count["entailed"] += judgement.entailed
            file.add(subset, split or "all", row)
            tick(1)
    total = sum(counts.values(), Counter[str]())
    told = sorted(counts, key=lambda key: (natural(key[0]), key[1]))
    if as_json:
        judged_by = "facts" if by_facts else "text"
        about = {"world": opened.about_world, "assume": assume.value, "judged_by": judged_by}
        subsets: dict[str, dict[str, dict[str, int]]] = {}
        for subset, split in told:
            subsets.setdefault(subset, {})[split] = {c: counts[subset, split][c] for c in _COLUMNS}
        skipped = [one._asdict() for one in opened.notes.skipped]
        print_json({**about, **{c: total[c] for c in _COLUMNS}, "subsets": subsets, "skipped": skipped})
        return
    table = [[*key, *(counts[key][column] for column in _COLUMNS)] for key in told]
    if len(table) > 1:
        table.append(["all", "", *(total[column] for column in _COLUMNS)])
    by = "their facts column, whether or not the text states it" if by_facts else "what their text states"
    title = (
        f"{data}, {opened.about_world}, assuming {assume}: is the target the only possible answer, by {by}?"
    )
    print_table(title, ["subset", "split", *_COLUMNS], table)
    print_notes(opened.notes)


_COLUMNS = (
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
