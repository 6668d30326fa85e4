"""clutrr learn-world: the wording of existing data as a world."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from clutrr.cli.options import AsJson, Data, Where, path_or_url
from clutrr.cli.show import print_json, print_table, progress, say

if TYPE_CHECKING:
    from clutrr.puzzle import Puzzle
    from clutrr.wording.learning import LearntWorld

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
    from clutrr.wording.learning import learn, write_world

    opened = open_dataset(data)
    with progress("puzzles") as tick:

        def puzzles() -> "Iterator[Puzzle]":
            for puzzle in opened.puzzles():
                yield puzzle
                tick(1)

        learnt = learn(puzzles(), world.name, opened.world)
    write_world(learnt, world, force)
    if as_json:
        print_json({"world": str(world), **_content(learnt)})
    else:
        _print(f"{world}: the wording of {data}", learnt)


def _templates(learnt: "LearntWorld") -> dict[str, list[str]]:
    """Return the templates that were learnt, without those that are borrowed from another world."""
    return {
        relation: [template.text for template in templates]
        for relation, templates in learnt.world.lexicon.templates.items()
        if relation not in learnt.borrowed
    }


def _names(learnt: "LearntWorld") -> dict[str, int]:
    """Return how many names were learnt, by form."""
    forms = learnt.world.forms or ("",)
    return dict(zip(forms, map(len, learnt.world.lexicon.names), strict=True))


def _content(learnt: "LearntWorld") -> dict[str, object]:
    return {
        "relations_of": learnt.base,
        "sentences": learnt.sentences,
        "templates": _templates(learnt),
        "attributes": {
            a.name: {"values": list(a.values), "templates": [t.text for t in a.templates]}
            for a in learnt.world.lexicon.attributes
        },
        "names": _names(learnt),
        "borrowed": list(learnt.borrowed),
        "left_out": [
            {"sentence": shape, "reason": reason, "times": times}
            for (shape, reason), times in learnt.refused.items()
        ],
        "names_left_out": learnt.rejected_names,
    }


def _print(title: str, learnt: "LearntWorld") -> None:
    rows = [[relation, len(texts), texts[0]] for relation, texts in _templates(learnt).items()]
    print_table(title, ["relation", "templates", "the first"], rows)
    print_table(
        "Attributes",
        ["templates", "values", "the first template"],
        [[len(a.templates), len(a.values), a.templates[0].text] for a in learnt.world.lexicon.attributes],
    )
    say(f"Names: {', '.join(f'{count} {form}' for form, count in _names(learnt).items())}.")
    if learnt.borrowed:
        say(f"The data has no sentence for {', '.join(learnt.borrowed)}: those of {learnt.base} are used.")
    missed = sum(learnt.refused.values())
    say(
        f"Not turned into templates: {missed:,} of {learnt.sentences:,} sentences "
        f"({len(learnt.refused):,} shapes)."
    )
    for (shape, reason), times in list(learnt.refused.items())[:_SHOWN]:
        say(f"  {times:6,}  {reason}: {shape}")
    if learnt.rejected_names:
        some = ", ".join(list(learnt.rejected_names)[:5])
        say(f"Names left out: {len(learnt.rejected_names)}, such as {some}.")
