"""clutrr convert: between formats."""

from typing import Annotated

import typer

from clutrr.cli.options import ASSUME, FACTS, AsJson, Columns, Where, path_or_url
from clutrr.cli.show import print_json, print_notes, progress, say
from clutrr.workers import say_aside


def convert(
    data: Annotated[
        Where,
        typer.Argument(metavar="IN", help="A data file or folder.", show_default=False, parser=path_or_url),
    ],
    out: Annotated[
        Where,
        typer.Argument(
            help="The file to write (.parquet, .csv, .jsonl; .gz), or a folder.",
            show_default=False,
            parser=path_or_url,
        ),
    ],
    form: Annotated[
        str | None,
        typer.Option(
            "--to",
            help="The format: parquet, csv or jsonl.",
            show_default="by the name of OUT",
        ),
    ] = None,
    world: Annotated[
        str | None,
        typer.Option(help="The world of the data, by name or its folder.", show_default="the data's"),
    ] = None,
    only: Annotated[
        str | None,
        typer.Option(
            help="Only rows that are proved, entailed, undetermined, refuted, contradictory or unread.",
            show_default="all",
        ),
    ] = None,
    relabel: Annotated[
        bool,
        typer.Option("--relabel", help="Replace a target that is refuted by the answer that is proved."),
    ] = False,
    columns: Columns = None,
    assume: Annotated[
        str | None, typer.Option(help=ASSUME, show_default="what the data was made under; else the weakest")
    ] = None,
    facts: Annotated[bool, typer.Option("--facts", help=f"{FACTS} With --only, --relabel.")] = False,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Leave out rows and files that cannot be read, and list them.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace OUT.")] = False,
    as_json: AsJson = False,
) -> None:
    """Convert data from any known format to another, keep part of it, or repair its targets.

    Rows of your own need a story, a query (two names, or a question such as "What is B to A?") and a target;
    what the story states is read.

    What OUT cannot hold is reported before it takes its place. A folder gets one file for each subset and
    split, a data set card and a manifest. What published files hold beside a puzzle is kept as `extra`.
    """
    from clutrr.auditor.rows import chosen
    from clutrr.data import open_dataset
    from clutrr.data.convert import Target
    from clutrr.data.convert import convert as run

    target = Target.of(out, form)
    losses: list[str] = []

    def lose(loss: str) -> None:
        losses.append(loss)
        say_aside(loss)

    with progress("puzzles", None) as tick:
        opened = open_dataset(data, world, skip_bad, columns)
        named = assume and opened.world.theory.assumption(assume).name
        chosen_data, kept = chosen(opened, only, named, facts, relabel)
        rows = run(chosen_data, target, force, lose, tick, kept)
    if as_json:
        about = {"out": str(out), "format": target.form}
        skipped = [one._asdict() for one in opened.notes.skipped]
        print_json({**about, "rows": rows, "kept": kept, "losses": losses, "skipped": skipped})
        return
    say(f"{out}: {target.form}, {rows:,} puzzles")
    if kept:
        say(f"Judged and chosen: {', '.join(f'{key} {value}' for key, value in kept.items())}")
    print_notes(opened.notes)
