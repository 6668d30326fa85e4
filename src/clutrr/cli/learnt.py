"""clutrr learnt: what a trained composer believes, beside what is true."""

from typing import TYPE_CHECKING, Annotated

import typer

from clutrr.cli.options import AsJson, Trust, Where, path_or_url
from clutrr.cli.show import print_json, print_table, say

if TYPE_CHECKING:
    from clutrr.experiment.run import Run
    from clutrr.report.beliefs import Learnt
    from clutrr.world import World


def learnt(
    run: Annotated[
        Where,
        typer.Argument(
            help="The folder of a training of a composer.", show_default=False, parser=path_or_url
        ),
    ],
    world: Annotated[
        str | None, typer.Option(help="A world by name, or its folder.", show_default="the run's")
    ] = None,
    out: Annotated[
        Where | None,
        typer.Option(
            help="The folder to write learnt.md, learnt.svg and learnt.png into.",
            show_default=False,
            parser=path_or_url,
        ),
    ] = None,
    trust: Trust = False,
    as_json: AsJson = False,
) -> None:
    """Show what a composer learnt: how it reads each sentence, and how it combines two relations.

    What is true in the world of its stories is shown beside each belief.
    """
    from clutrr.errors import DataError
    from clutrr.experiment.learnt import what_it_learnt
    from clutrr.experiment.run import load_run, world_of
    from clutrr.report.beliefs import Learnt

    trained, _, model = load_run(run, trust)
    content = what_it_learnt(trained, model, world_of(run) if world is None else _world(run, trained, world))
    if content is None:
        raise DataError(f"{run}: {trained.config.model} holds no beliefs to show: name a run of a composer")
    found = Learnt.from_json(content)
    title = f"What {trained.config.model} learnt from {', '.join(trained.config.trained_on)}"
    if out is not None:
        from clutrr.files import replace_files
        from clutrr.report.learnt import learnt_files

        replace_files(out, learnt_files(found, title))
    if as_json:
        print_json(content)
        return
    _print(found, title)
    if out is not None:
        say(f"Every sentence, and the table of compositions as a figure: {out / 'learnt.md'}")


def _world(run: Where, trained: "Run", named: str) -> "World":
    from clutrr.errors import ConfigError
    from clutrr.world import load_world

    world = load_world(named)
    if not set(trained.vocabulary.relations) & set(world.relations):
        raise ConfigError(f"world: {world.name} has no relation that {run} can answer: name another")
    return world


def _print(found: "Learnt", title: str) -> None:
    from clutrr.report.beliefs import told

    relations = dict.fromkeys(sentence.relation for sentence in found.sentences)
    rows = []
    for relation in relations:
        sentences = [sentence for sentence in found.sentences if sentence.relation == relation]
        height = None if found.heights is None else f"{found.heights[relation]:+.2f}"
        right = sum(sentence.right for sentence in sentences)
        rows.append([relation, len(sentences), right, height])
    print_table(title, ["relation", "templates", "read right", "height"], rows)
    if found.misread:
        print_table(
            "Templates that are misread",
            ["template", "told", "read", "share"],
            [[s.template, s.relation, s.read, f"{s.share:.3f}"] for s in found.misread],
        )
    if found.wrong:
        columns = ["two relations", "true", "believed"]
        print_table("Compositions that are wrong", columns, [told(wrong) for wrong in found.wrong])
    for line in found.summary():
        say(line)
