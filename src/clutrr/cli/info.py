"""clutrr info: what something is; explore: a page on which to look at stories, scenes and proofs."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from clutrr import api
from clutrr.cli.options import AsJson, Data, DataWorld, Where, flag, local_path, option, path_or_url, place
from clutrr.cli.show import (
    experiment_json,
    notes_json,
    print_experiment,
    print_json,
    print_notes,
    print_records,
    print_result,
    print_table,
    progress,
    say,
)
from clutrr.errors import ConfigError, DataError
from clutrr.measure import counted

if TYPE_CHECKING:
    from clutrr.experiment.learnt import Learnt

_SHOWN = 8  # wrong beliefs


def info(
    what: Annotated[
        Where,
        place(
            "A data file or folder; a training; an experiment, its table.json, or a file of answers.",
            metavar="DATA | RUN | RESULT",
        ),
    ],
    world: DataWorld = None,
    as_json: AsJson = False,
) -> None:
    """Show what something is: a data set, a run or a result.

    Of a data set: its format, size, subsets and labels, and one sample; a folder that clutrr wrote is
    compared with its manifest, and files that are missing or changed are named. Of a run: how it was trained
    and tested, and what a composer learnt, beside what is true in its world. Of a result: its table.
    """
    from clutrr.experiment.matrix import MATRIX
    from clutrr.files import load_json
    from clutrr.scoring.predictions import read_result
    from clutrr.scoring.result import RECORD, RESULT

    if any((what / name).is_file() for name in ("checkpoint.safetensors", RECORD, RESULT)):
        _run(what, as_json)
    elif (what / MATRIX).is_file() or (what.suffix == ".json" and "settings" in load_json(what)):
        _experiment(what, as_json)
    elif what.is_file() and (result := read_result(what)) is not None:
        if as_json:
            print_json(result.to_json())
        else:
            print_result(f"{result.model}: answers to {result.questions.get('data', 'a data set')}", result)
            say(f"Made by: {result.command}")
    else:
        _data(what, world, as_json)


def _experiment(what: Where, as_json: bool) -> None:
    experiment = api.report(what)
    if as_json:
        print_json(experiment_json(experiment))
        return
    if experiment.about:
        say(experiment.about)
    print_experiment(experiment)
    for command in experiment.commands:
        say(f"Made by: {command}")


def _run(run: Where, as_json: bool) -> None:
    from clutrr.files import load_json
    from clutrr.scoring.predictions import PREDICTIONS, read_result
    from clutrr.scoring.result import RECORD, RESULT

    record: dict[str, Any] = load_json(run / RESULT) or load_json(run / RECORD)
    if not {"config", "epochs"} <= set(record):
        raise DataError(f"{run}: not the folder of a run (it has no whole {RECORD} or {RESULT})")
    config, epochs = record["config"], record["epochs"]
    evaluated = read_result(run / PREDICTIONS)
    learnt = _learnt(run) if str(config["model"]).startswith(("composer", "algebra")) else None
    if as_json:
        shown = {name: value for name, value in record.items() if name != "vocabulary"}
        tested = {} if evaluated is None else {"evaluated": evaluated.to_json()}
        print_json({**shown, **tested, **({} if learnt is None else {"learnt": learnt.to_json()})})
        return
    lengths = ", ".join(f"M{k}" for k in config["k"])
    say(f"{run}: {config['model']}, trained on {lengths} with seed {config['seed']}")
    last = (
        f"; the last: loss {epochs[-1]['loss']:.4f}, {epochs[-1]['accuracy']:.1f} % right" if epochs else ""
    )
    say(f"{len(epochs)} of {config['epochs']} epochs on {record['device']}{last}.")
    if "tested" in record:
        from clutrr.scoring.result import Result

        print_result("Tested in its experiment", Result.from_json(record))
    if evaluated is not None:
        print_result(f"Evaluated on {evaluated.questions.get('data', 'a data set')}", evaluated)
    if learnt is not None:
        _print_learnt(learnt)


def _learnt(run: Where) -> "Learnt | None":
    """Return what a composer believes."""
    from clutrr.experiment.learnt import inspect_composer
    from clutrr.experiment.run import load_run, world_of

    trained, _, model = load_run(run)
    return inspect_composer(trained, model, world_of(run))


def _print_learnt(found: "Learnt") -> None:
    """What a composer learnt, and where it is wrong."""
    for line in found.summary():
        say(line)
    say("\nWhat is made of two relations, the first down and the second across:\n")
    for line in (*found.picture(), ""):
        say(line)
    misread = [[one.template, one.relation, one.read, f"{one.share:.3f}"] for one in found.misread]
    wrong = [
        [f"{pair.first}, then {pair.second}", " or ".join(pair.possible), pair.answer] for pair in found.wrong
    ]
    for title, header, rows in (
        ("Templates that are misread", ["template", "states", "read", "share"], misread),
        ("Compositions that are wrong", ["two relations", "true", "believed"], wrong),
    ):
        if rows:
            print_table(f"{title} (--json lists all)", header, rows[:_SHOWN])


def _data(data: Where, world: str | None, as_json: bool) -> None:
    import textwrap

    from clutrr.data import open_dataset
    from clutrr.data.about import describe

    with progress("puzzles", None) as tick:
        opened = open_dataset(data, world)
        about = describe(opened, tick)
    if as_json:
        fields = ("format", "rows", "subsets", "roles", "labels", "damage", "bytes")
        found = {name: getattr(about, name) for name in fields}
        opened_as = {"world": opened.about_world, "assume": opened.assume, "files": len(opened.files)}
        print_json({**found, **opened_as, **notes_json(opened.notes)})
        return
    files = counted(len(opened.files), "file")
    say(f"{data}: {about.format}, {about.rows:,} puzzles, {files}, {about.bytes / 1e6:,.1f} MB")
    assumed = "" if opened.assume is None else f"; made under the assumption `{opened.assume}`"
    say(f"W{opened.about_world[1:]}{assumed}.")
    for name, wrong in about.damage.items():
        say(f"Not as its manifest says: {name} is {wrong}.")
    print_records("Subsets", [{"subset": name, **sizes} for name, sizes in about.subsets.items()])
    if any(counts[role] for counts in about.roles.values() for role in counts if role != "path"):
        print_records("Facts by role", [{"subset": name, **roles} for name, roles in about.roles.items()])
    print_notes(opened.notes)
    shares = [f"{label} {count / about.rows:.1%}" for label, count in about.labels.items()]
    say(textwrap.fill(f"{counted(len(shares), 'label')}: {', '.join(shares)}", 100, break_on_hyphens=False))
    if about.sample is not None:
        say(f"\n{about.sample.id}, pattern {'-'.join(about.sample.pattern) or 'not read'}:")
        say(textwrap.fill(textwrap.shorten(about.sample.story, 500, placeholder=" ..."), 100))
        say(f"{about.sample.question} {about.sample.target}")


def explore(
    data: Data,
    out: Annotated[
        Path | None, option("The page to write.", "explore.html; none with --serve", parser=local_path)
    ] = None,
    run: Annotated[
        list[Where] | None,
        option("The folder of an evaluated training; may be repeated.", False, parser=path_or_url),
    ] = None,
    answers: Annotated[
        list[Where] | None,
        option("A file of answers, as for `clutrr score`; may be repeated.", False, parser=path_or_url),
    ] = None,
    limit: Annotated[
        int, option("At most this many stories on the page; larger data is sampled evenly.")
    ] = 10_000,
    world: DataWorld = None,
    serve: Annotated[bool, flag("--serve", "Serve the page on this machine and open it.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write a page that shows stories, their scenes and their proofs.

    It is one file that needs no network. With --run or --answers it shows the stories that models answered,
    with their answers side by side.
    """
    from clutrr.data import open_dataset
    from clutrr.explore.page import check_out, make_page, write_page
    from clutrr.explore.pick import pick
    from clutrr.scoring.predictions import named, read_predictions

    if serve and as_json:
        raise ConfigError("--json cannot be combined with --serve")
    started = time.perf_counter()
    file = out or (None if serve else Path("explore.html"))
    if file is not None:
        check_out(file)
    paths = named([*(run or ()), *(answers or ())])
    models = {name: read_predictions(path) for name, path in paths.items()}
    with progress("stories read") as tick:
        sample = pick(open_dataset(data, world), models, limit, tick=tick)
    with progress("proofs", len(sample.picked)) as tick:
        page = make_page(sample, tick)
    if file is not None:
        write_page(page, file)
    stories, size, seconds = len(sample.picked), len(page.encode()), time.perf_counter() - started
    if as_json:
        about = {"page": str(file), "stories": stories, "total": sample.total, "runs": sample.models}
        print_json({**about, "bytes": size, "seconds": round(seconds, 3)})
        return
    sampled = f" of {sample.total:,}, sampled evenly" if stories < sample.total else ""
    say(f"{file or 'A page'}: {stories:,} stories{sampled}, {size / 1e6:.1f} MB, {seconds:.1f} s.")
    if serve:
        _serve(page)


def _serve(html: str) -> None:
    import webbrowser

    from clutrr.explore.page import serve

    def ready(address: str) -> None:
        say(f"{address} (stop with Ctrl-C)", flush=True)
        webbrowser.open(address)

    serve(html, ready)
