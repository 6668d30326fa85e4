"""clutrr info: what something is; explore: a page on which to look at stories, scenes and proofs."""

import textwrap
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import clutrr
from clutrr._books.load import BookInfo
from clutrr._cli.options import (
    AsJson,
    Data,
    DataWorld,
    Location,
    SkipBad,
    flag,
    local_path,
    option,
    path_or_url,
    place,
)
from clutrr._cli.show import (
    experiment_json,
    print_experiment,
    print_json,
    print_notes,
    print_records,
    print_result,
    print_table,
    progress,
    say,
)
from clutrr._measure import counted
from clutrr._report.experiment import Experiment
from clutrr._report.info import DataInfo, RunInfo
from clutrr._score.result import Result
from clutrr.errors import ConfigError
from clutrr.theory.checking import TheoryCheck

if TYPE_CHECKING:
    from clutrr._explore.explore import ExplorerPage
    from clutrr._train.learnt import Learnt

_SHOWN = 8  # wrong beliefs


def info(
    what: Annotated[
        Location,
        place(
            "A data file or folder; a training; an experiment, its table.json, or a file of answers; "
            "the name of a theory or world, or the folder of a world.",
            metavar="DATA | RUN | RESULT | THEORY",
        ),
    ],
    world: DataWorld = None,
    skip_bad: SkipBad = False,
    as_json: AsJson = False,
) -> None:
    """Show what something is: a data set, a run, a result or a theory.

    Of a data set: its format, size, subsets and labels, and one sample; a folder that clutrr wrote is
    compared with its manifest, and files that are missing or changed are named. Of a run: how it was trained
    and tested, and what a composer learnt, beside what is true in its world. Of a result: its table. Of a
    theory: whether it holds, compared with brute force.
    """
    with progress("puzzles") as tick:
        found = clutrr.info(what, world=world, skip_bad=skip_bad, tick=tick)
    if as_json:
        print_json(experiment_json(found) if isinstance(found, Experiment) else found.to_json())
    elif isinstance(found, RunInfo):
        _print_run(found)
    elif isinstance(found, Experiment):
        _print_experiment(found)
    elif isinstance(found, Result):
        print_result(f"{found.model}: answers to {_asked(found)}", found)
        if found.command:
            say(f"Made by: {found.command}")
    elif isinstance(found, TheoryCheck):
        header, *rows = found.rows()
        print_table(found.caption, header, rows)
    elif isinstance(found, BookInfo):
        _print_book(found)
    else:
        _print_data(found)


def _print_experiment(experiment: Experiment) -> None:
    if experiment.about:
        say(experiment.about)
    print_experiment(experiment)
    for command in experiment.commands:
        say(f"Made by: {command}")


def _print_run(found: RunInfo) -> None:
    record, epochs = found.record, found.record["epochs"]
    say(found.caption)
    last = (
        f"; the last: loss {epochs[-1]['loss']:.4f}, {epochs[-1]['accuracy']:.1f} % right"
        if epochs
        else ""
    )
    say(f"{len(epochs)} of {record['config']['epochs']} epochs on {record['device']}{last}.")
    tested, evaluated = found.tested, found.evaluated
    if tested is not None:
        print_result("Tested in its experiment", tested)
    if evaluated is not None and (tested is None or evaluated.tested != tested.tested):
        print_result(f"Evaluated on {_asked(evaluated)}", evaluated)
    if found.learnt is not None:
        _print_learnt(found.learnt)


def _asked(result: Result) -> str:
    """Return what was asked, in words."""
    return str(result.questions.get("data", "a data set"))


def _print_learnt(found: "Learnt") -> None:
    """What a composer learnt, and where it is wrong."""
    for line in found.summary():
        say(line)
    say("\nWhat is made of two relations, the first down and the second across:\n")
    for line in (*found.picture(), ""):
        say(line)
    misread = [[one.template, one.relation, one.read, f"{one.share:.3f}"] for one in found.misread]
    wrong = [
        [f"{pair.first}, then {pair.second}", " or ".join(pair.possible), pair.answer]
        for pair in found.wrong
    ]
    for title, header, rows in (
        ("Templates that are misread", ["template", "states", "read", "share"], misread),
        ("Compositions that are wrong", ["two relations", "true", "believed"], wrong),
    ):
        if rows:
            print_table(f"{title} (--json lists all)", header, rows[:_SHOWN])


def _print_book(found: BookInfo) -> None:
    header, *rows = found.rows()
    print_table(found.caption, header, rows)
    for name, share in found.to_json()["shortcuts"].items():
        say(f"Right by guessing, {name}: {share:.1f} %.")
    for name, what in found.damage.items():
        say(f"Not as its manifest says: {name} is {what}.")


def _print_data(found: DataInfo) -> None:
    opened, about = found.data, found.figures
    files = counted(len(opened.files), "file")
    say(
        f"{opened.path}: {about.format}, {about.rows:,} puzzles, {files}, {about.bytes / 1e6:,.1f} MB"
    )
    assumed = "" if opened.assume is None else f"; made under the assumption `{opened.assume}`"
    say(f"W{opened.about_world[1:]}{assumed}.")
    named = f", which are {about.frozen}, as it was frozen" if about.frozen else ""
    say(f"Checksum of the puzzles to test on{named}: {about.checksum}")
    for name, wrong in about.damage.items():
        say(f"Not as its manifest says: {name} is {wrong}.")
    print_records("Subsets", [{"subset": name, **sizes} for name, sizes in about.subsets.items()])
    if any(counts[role] for counts in about.roles.values() for role in counts if role != "path"):
        print_records(
            "Facts by role", [{"subset": name, **roles} for name, roles in about.roles.items()]
        )
    if about.statements:
        kinds = list(dict.fromkeys(kind for of in about.statements.values() for kind in of))
        print_records(
            "Statements that are no facts, by kind",
            [
                {"subset": name, **{kind: of.get(kind, 0) for kind in kinds}}
                for name, of in about.statements.items()
            ],
        )
    print_notes(opened.notes)
    shares = [f"{label} {count / about.rows:.1%}" for label, count in about.labels.items()]
    say(
        textwrap.fill(
            f"{counted(len(shares), 'label')}: {', '.join(shares)}", 100, break_on_hyphens=False
        )
    )
    if about.sample is not None:
        say(f"\n{about.sample.id}, pattern {'-'.join(about.sample.pattern) or 'not read'}:")
        say(textwrap.fill(textwrap.shorten(about.sample.story, 500, placeholder=" ..."), 100))
        say(f"{about.sample.question} {about.sample.target}")


def explore(
    data: Data,
    out: Annotated[
        Path | None,
        option("The page to write.", "explore.html; none with --serve", parser=local_path),
    ] = None,
    run: Annotated[
        list[Location] | None,
        option("The folder of an evaluated training; may be repeated.", False, parser=path_or_url),
    ] = None,
    answers: Annotated[
        list[Location] | None,
        option(
            "A file of answers, as for `clutrr score`; may be repeated.", False, parser=path_or_url
        ),
    ] = None,
    limit: Annotated[
        int, option("At most this many stories on the page; larger data is sampled evenly.")
    ] = 10_000,
    world: DataWorld = None,
    skip_bad: SkipBad = False,
    serve: Annotated[bool, flag("--serve", "Serve the page on this machine and open it.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write a page that shows stories, their scenes and their proofs.

    It is one file that needs no network. With --run or --answers it shows the stories that models answered,
    with their answers side by side.
    """
    if serve and as_json:
        raise ConfigError("give only one of them", setting="json, serve")
    started = time.perf_counter()

    def ready(page: "ExplorerPage", address: str) -> None:
        _print_page(page, time.perf_counter() - started)
        say(f"{address} (stop with Ctrl-C)", flush=True)

    with progress("stories") as tell:
        page = clutrr.explore(
            data,
            out=out,
            run=run,
            answers=answers,
            limit=limit,
            world=world,
            skip_bad=skip_bad,
            serve=serve,
            tick=lambda step, stories: tell(stories, note=step),
            ready=ready,
        )
    seconds = time.perf_counter() - started
    if as_json:
        print_json({**page.to_json(), "seconds": round(seconds, 3)})
    elif not serve:
        _print_page(page, seconds)


def _print_page(page: "ExplorerPage", seconds: float) -> None:
    sampled = f" of {page.total:,}, sampled evenly" if page.stories < page.total else ""
    size = len(page.html.encode()) / 1e6
    what = page.page or "A page"
    say(f"{what}: {page.stories:,} stories{sampled}, {size:.1f} MB, {seconds:.1f} s.")
