"""clutrr convert: between formats."""

from typing import Annotated

from clutrr.cli.options import ASSUME, FACTS, AsJson, DataWorld, Force, Where, flag, option, place
from clutrr.cli.show import notes_json, print_json, print_notes, progress, say
from clutrr.workers import say_aside


def convert(
    data: Annotated[Where, place("A data file or folder.", metavar="IN")],
    out: Annotated[Where, place("The file to write (.parquet, .csv, .jsonl), or a folder.")],
    to: Annotated[str | None, option("The format: parquet, csv or jsonl.", "by the name of OUT")] = None,
    world: DataWorld = None,
    only: Annotated[
        str | None,
        option("Only rows that are proved, entailed, undetermined, refuted, contradictory or unread.", "all"),
    ] = None,
    relabel: Annotated[bool, flag("--relabel", "Replace a refuted target by the proved answer.")] = False,
    columns: Annotated[
        str | None,
        option(
            "Which columns hold what: story=NAME,query=NAME,target=NAME; query=NAME+NAME for two columns.",
            "known names",
        ),
    ] = None,
    assume: Annotated[str | None, option(ASSUME, "what the data was made under; else the weakest")] = None,
    facts: Annotated[bool, flag("--facts", f"{FACTS} With --only, --relabel.")] = False,
    skip_bad: Annotated[
        bool, flag("--skip-bad", "Leave out rows and files that cannot be read, and list them.")
    ] = False,
    force: Force = False,
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

    target = Target.of(out, to)
    losses: list[str] = []

    def lose(loss: str) -> None:
        losses.append(loss)
        say_aside(loss)

    with progress("puzzles") as tick:
        opened = open_dataset(data, world, skip_bad, columns)
        named = assume and opened.world.theory.assumption(assume).name
        chosen_data, kept = chosen(opened, only, named, facts, relabel)
        rows = run(chosen_data, target, force, lose, tick, kept)
    if as_json:
        about = {"out": str(out), "format": target.form, "rows": rows, "kept": kept}
        print_json({**about, "losses": losses, **notes_json(opened.notes)})
        return
    say(f"{out}: {rows:,} puzzle{'s' if rows != 1 else ''}, as {target.form}")
    if kept:
        say(f"Judged by {kept['judged_by']}, assuming {kept['assume']}.")
    if only:
        say(f"Kept: what is {only}.")
    if relabel:
        say(f"Relabelled: {kept['relabelled']}.")
    print_notes(opened.notes)
