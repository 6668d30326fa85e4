"""clutrr generate: a data set as a folder."""

import os
import time
from typing import Annotated, Any

import typer

from clutrr import api
from clutrr.cli.options import (
    ASSUME,
    AsJson,
    Cluster,
    Where,
    World,
    numbers,
    pairs,
    path_or_url,
    whole_number,
    words,
)
from clutrr.cli.show import print_json, print_table, progress, say
from clutrr.config import DEFAULT_WORLD, Config
from clutrr.measure import written


def generate(
    out: Annotated[
        Where, typer.Argument(help="The folder to write, or its URL.", show_default=False, parser=path_or_url)
    ],
    world: World = DEFAULT_WORLD,
    preset: Annotated[
        str | None,
        typer.Option(
            help="strict, mixed or described; in kinship also sound and published.",
            show_default="the theory's first: sound in kinship, strict elsewhere",
        ),
    ] = Config.preset,
    k: Annotated[str, typer.Option(help="Facts in each route: 3-6, or 2,3.")] = written(Config.k),
    routes: Annotated[
        str, typer.Option(help="Routes of facts between the two queried entities: 2, or 1-3; 1 in kinship.")
    ] = written(Config.routes),
    train: Annotated[int, typer.Option(help="Stories to train on, for each k.")] = Config.train,
    test: Annotated[int, typer.Option(help="Stories to test on, for each k.")] = Config.test,
    seed: Annotated[int, typer.Option(help="Random seed.")] = Config.seed,
    scene: Annotated[
        str | None,
        typer.Option(
            help="Settings of the scenes; in kinship their size, such as levels=3,children=2-4.",
            show_default="as k needs",
        ),
    ] = None,
    distractors: Annotated[int, typer.Option(help="Distractors for each entity.")] = Config.distractors,
    noise: Annotated[
        str | None,
        typer.Option(
            help="Extra facts in each story, such as supporting=1,irrelevant=2,disconnected=1: detours "
            "along a route, branches off it, facts about other entities.",
            show_default="none",
        ),
    ] = None,
    order: Annotated[
        str | None,
        typer.Option(help="Order of the sentences: path, inserted or shuffled.", show_default="the preset's"),
    ] = Config.order,
    style: Annotated[
        str, typer.Option(help="sentences: one fact in each; prose: several facts in one, and pronouns.")
    ] = Config.style,
    no_brackets: Annotated[
        bool, typer.Option("--no-brackets", help="Write names and values without square brackets.")
    ] = False,
    assume: Annotated[str | None, typer.Option(help=ASSUME, show_default="the preset's")] = Config.assume,
    undetermined: Annotated[
        float | None,
        typer.Option(
            help="Share of the questions of `mixed` whose answer cannot be told.", show_default="0.5"
        ),
    ] = Config.undetermined,
    disjoint: Annotated[
        str | None,
        typer.Option(
            help="What else train and test must not share: patterns, wordings, names.", show_default="scenes"
        ),
    ] = None,
    form: Annotated[str, typer.Option("--format", help="parquet, csv or jsonl.")] = "parquet",
    workers: Annotated[
        int | None,
        typer.Option(
            help="Number of processes; it does not change the output.",
            show_default="all cores; one below 100,000 stories",
        ),
    ] = None,
    cluster: Cluster = None,
    force: Annotated[bool, typer.Option("--force", help="Replace what OUT holds.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write a data set of stories, questions and answers.

    Presets: strict (answers are entailed), sound (they are proved, assuming tree), mixed (half of
    the questions are undetermined), described (as the paper describes) and published (as its files are).
    The folder can be loaded as a Hugging Face data set: one configuration for each k, with train and
    test. README.md is its card; manifest.json records how it was made.
    """
    started, cpu = time.perf_counter(), _cpu_seconds()
    lengths = numbers(k, "k")
    stories = len(lengths) * (train + test)
    notes: list[str] = []
    with progress("stories", stories) as tick:
        manifest = api.generate_folder(
            out,
            world=world,
            preset=preset,
            k=lengths,
            routes=numbers(routes, "routes"),
            train=train,
            test=test,
            seed=seed,
            scene=scene or "",
            distractors=distractors,
            noise={role: whole_number(value, role) for role, value in pairs(noise, "noise").items()},
            order=order,
            style=style,
            brackets=not no_brackets,
            assume=assume,
            undetermined=undetermined,
            disjoint=() if disjoint is None else words(disjoint, "disjoint"),
            format=form,
            workers=workers,
            cluster=cluster,
            force=force,
            tick=tick,
            note=notes.append,
        )
    sizes = {
        name: {split: content["rows"] for split, content in splits.items()}
        for name, splits in manifest["subsets"].items()
    }
    about = {
        "out": str(out),
        "stories": stories,
        "notes": notes,
        "seconds": round(time.perf_counter() - started, 3),
        "cpu_seconds": round(_cpu_seconds() - cpu, 3),
        "subsets": sizes,
        "scene": manifest["scene"],
        "assume": manifest["assume"],
    }
    if as_json:
        print_json(about)
        return
    config = manifest["config"]
    rows = [
        [name, size.get("train", 0), size.get("test", 0), _settings(manifest["scene"][name])]
        for name, size in sizes.items()
    ]
    title = f"{out}: preset {config['preset']}, assuming {about['assume']}, seed {config['seed']}"
    print_table(title, ["subset", "train", "test", "scenes"], rows)
    for note in notes:
        say(f"{note}.")
    say(
        f"{stories:,} stories, assuming {about['assume']}, "
        f"in {about['seconds']:.1f} s ({about['cpu_seconds']:.1f} s of CPU)."
    )


def _settings(scene: dict[str, Any]) -> str:
    return ", ".join(f"{key} {value}" for key, value in scene.items())


def _cpu_seconds() -> float:
    """CPU time of this process and of those it has waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
