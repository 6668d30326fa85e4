"""clutrr learn-world: the wording of existing data as a world."""

from collections.abc import Iterator
from typing import Annotated

import typer

from clutrr.cli.options import AsJson, Data, Where, path_or_url
from clutrr.cli.show import print_json, print_table, progress, say

_SHOWN = 20


def learn_world(
    data: Data,
    world: Annotated[
        Where,
        typer.Argument(help="The folder to write the world into.", show_default=False, parser=path_or_url),
    ],
    force: Annotated[bool, typer.Option("--force", help="Replace what WORLD holds.")] = False,
    as_json: AsJson = False,
) -> None:
    """Learn the wording of data: its templates, attributes and names, as a world to generate with.

    `clutrr generate OUT --world WORLD` then writes any number of stories that read like the data.
    Sentences that could not be turned into templates are printed, and listed in WORLD/left-out.txt.
    """
    from clutrr.data import open_dataset
    from clutrr.puzzle import Puzzle
    from clutrr.wording.learning import learn, write_world

    opened = open_dataset(data)
    with progress("puzzles", None) as tick:

        def puzzles() -> Iterator[Puzzle]:
            for puzzle in opened.puzzles():
                yield puzzle
                tick(1)

        learnt = learn(puzzles(), world.name, opened.world)
    write_world(learnt, world, force)
    found = learnt.world
    told = {relation: ts for relation, ts in found.templates.items() if relation not in learnt.borrowed}
    if as_json:
        print_json(
            {
                "world": str(world),
                "relations_of": learnt.base,
                "sentences": learnt.sentences,
                "templates": {relation: [t.text for t in ts] for relation, ts in told.items()},
                "attributes": {
                    a.name: {"values": list(a.values), "templates": [t.text for t in a.templates]}
                    for a in found.attributes
                },
                "names": {"female": len(found.names[0]), "male": len(found.names[1])},
                "borrowed": list(learnt.borrowed),
                "left_out": [
                    {"sentence": shape, "reason": reason, "times": times}
                    for (shape, reason), times in learnt.refused.items()
                ],
                "names_left_out": learnt.nameless,
            }
        )
        return
    print_table(
        f"{world}: the wording of {data}",
        ["relation", "templates", "the first"],
        [[relation, len(ts), ts[0].text] for relation, ts in told.items()],
    )
    print_table(
        "Attributes",
        ["templates", "values", "the first template"],
        [[len(a.templates), len(a.values), a.templates[0].text] for a in found.attributes],
    )
    say(f"Names: {len(found.names[0])} female, {len(found.names[1])} male.")
    if learnt.borrowed:
        say(f"The data has no sentence for {', '.join(learnt.borrowed)}: those of {learnt.base} are used.")
    missed = sum(learnt.refused.values())
    say(
        f"Not turned into templates: {missed:,} of {learnt.sentences:,} sentences "
        f"({len(learnt.refused):,} shapes)."
    )
    for (shape, reason), times in list(learnt.refused.items())[:_SHOWN]:
        say(f"  {times:6,}  {reason}: {shape}")
    if learnt.nameless:
        say(f"Names left out: {len(learnt.nameless)}, such as {', '.join(list(learnt.nameless)[:5])}.")
