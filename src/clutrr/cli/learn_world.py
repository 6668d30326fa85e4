"""clutrr learn-world: the wording of existing data as a world."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

from clutrr.cli.options import AsJson, Data, Force, Where, place
from clutrr.cli.show import print_json, print_table, progress, say

if TYPE_CHECKING:
    from clutrr.puzzle import Puzzle
    from clutrr.wording.learning import LearntWorld

_SHOWN = 20


def learn_world(
    data: Data,
    world: Annotated[Where, place("The folder to write the world into.")],
    force: Force = False,
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
    content = _content(learnt)
    if as_json:
        print_json({"world": str(world), **content})
    else:
        _print(f"{world}: the wording of {data}", content)


def _content(learnt: "LearntWorld") -> dict[str, Any]:
    """Return what was learnt as plain data; templates without those that are borrowed from another world."""
    lexicon = learnt.world.lexicon
    return {
        "relations_of": learnt.base,
        "sentences": learnt.sentences,
        "templates": {
            relation: [template.text for template in templates]
            for relation, templates in lexicon.templates.items()
            if relation not in learnt.borrowed
        },
        "attributes": {
            a.name: {"values": list(a.values), "templates": [t.text for t in a.templates]}
            for a in lexicon.attributes
        },
        "names": dict(zip(learnt.world.forms or ("",), map(len, lexicon.names), strict=True)),
        "borrowed": list(learnt.borrowed),
        "left_out": [
            {"sentence": shape, "reason": reason, "times": times}
            for (shape, reason), times in learnt.refused.items()
        ],
        "names_left_out": learnt.rejected_names,
    }


def _print(title: str, learnt: dict[str, Any]) -> None:
    rows = [[relation, len(texts), texts[0]] for relation, texts in learnt["templates"].items()]
    rows += [[name, len(a["templates"]), a["templates"][0]] for name, a in learnt["attributes"].items()]
    print_table(title, ["relation or attribute", "templates", "the first"], rows)
    say(f"Names: {', '.join(f'{count} {form}'.strip() for form, count in learnt['names'].items())}.")
    if borrowed := ", ".join(learnt["borrowed"]):
        say(f"The data has no sentence for {borrowed}: those of {learnt['relations_of']} are used.")
    left_out, missing = learnt["left_out"], learnt["names_left_out"]
    missed = sum(one["times"] for one in left_out)
    say(
        f"Not turned into templates: {missed:,} of {learnt['sentences']:,} sentences "
        f"({len(left_out):,} shapes)."
    )
    for one in left_out[:_SHOWN]:
        say(f"  {one['times']:6,}  {one['reason']}: {one['sentence']}")
    if missing:
        say(f"Names left out: {len(missing)}, such as {', '.join(list(missing)[:5])}.")
