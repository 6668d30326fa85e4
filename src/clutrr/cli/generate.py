"""clutrr generate: a data set as a folder."""

import os
import time
from typing import Annotated

from clutrr import api
from clutrr.cli.options import ASSUME, AsJson, Cluster, Force, Where, World, option, place
from clutrr.cli.show import print_json, print_table, progress, say
from clutrr.config import DEFAULT_WORLD, Config, read_numbers
from clutrr.measure import written


def generate(
    out: Annotated[Where, place("The folder to write, or its URL.")],
    world: World = DEFAULT_WORLD,
    preset: Annotated[
        str | None,
        option(
            "strict, mixed or described; in kinship also sound and published.",
            "the theory's first: sound in kinship, strict elsewhere",
        ),
    ] = Config.preset,
    k: Annotated[str, option("Facts in each route: 3-6, or 2,3.")] = written(Config.k),
    routes: Annotated[
        str, option("Routes of facts between the two queried entities: 2, or 1-3; 1 in kinship.")
    ] = written(Config.routes),
    train: Annotated[int, option("Stories to train on, for each k.")] = Config.train,
    test: Annotated[int, option("Stories to test on, for each k.")] = Config.test,
    seed: Annotated[int, option("Random seed.")] = Config.seed,
    scene: Annotated[
        str,
        option("Settings of the scenes; in kinship their size: levels=3,children=2-4.", "as k needs"),
    ] = Config.scene,
    distractors: Annotated[int, option("Distractors for each entity.")] = Config.distractors,
    noise: Annotated[
        str | None,
        option(
            "Extra facts in each story, such as supporting=1,irrelevant=2,disconnected=1: detours along a "
            "route, branches off it, facts about other entities.",
            "none",
        ),
    ] = None,
    order: Annotated[
        str | None, option("Order of the sentences: path, inserted or shuffled.", "the preset's")
    ] = Config.order,
    style: Annotated[
        str, option("sentences: one fact in each; prose: several facts in one, and pronouns.")
    ] = Config.style,
    brackets: Annotated[
        bool, option("Write names and values without square brackets.", False, " /--no-brackets")
    ] = Config.brackets,
    assume: Annotated[str | None, option(ASSUME, "the preset's")] = Config.assume,
    undetermined: Annotated[
        float | None, option("Share of the questions of `mixed` whose answer cannot be told.", "0.5")
    ] = Config.undetermined,
    disjoint: Annotated[
        str | None, option("What else train and test must not share: patterns, wordings, names.", "scenes")
    ] = None,
    format: Annotated[str, option("parquet, csv or jsonl.")] = "parquet",  # noqa: A002  its name for users
    workers: Annotated[
        int | None,
        option("Processes to work in; the output is the same.", "all cores; one below 100,000 stories"),
    ] = None,
    cluster: Cluster = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Write a data set of stories, questions and answers.

    Presets: strict (answers are entailed), sound (they are proved, assuming tree), mixed (half of
    the questions are undetermined), described (as the paper describes) and published (as its files are).
    The folder can be loaded as a Hugging Face data set: one configuration for each k, with train and
    test. README.md is its card; manifest.json records how it was made.
    """
    settings = {name: value for name, value in locals().items() if name not in ("out", "as_json")}
    started, cpu = time.perf_counter(), _cpu_seconds()
    notes: list[str] = []
    with progress("stories", len(read_numbers(k, "k")) * (train + test)) as tick:
        manifest = api.generate_folder(out, tick=tick, note=notes.append, **settings)
    sizes = {
        name: {split: content["rows"] for split, content in splits.items()}
        for name, splits in manifest["subsets"].items()
    }
    stories = sum(rows for size in sizes.values() for rows in size.values())
    seconds, cpu = time.perf_counter() - started, _cpu_seconds() - cpu
    if as_json:
        times = {"seconds": round(seconds, 3), "cpu_seconds": round(cpu, 3)}
        about = {"scene": manifest["scene"], "assume": manifest["assume"]}
        print_json({"out": str(out), "stories": stories, "notes": notes, **times, "subsets": sizes, **about})
        return
    config, assumed = manifest["config"], f"assuming {manifest['assume']}"
    scenes = (", ".join(f"{key} {value}" for key, value in one.items()) for one in manifest["scene"].values())
    print_table(
        f"{out}: preset {config['preset']}, {assumed}, seed {config['seed']}",
        ["subset", "train", "test", "scenes"],
        [
            [name, size.get("train", 0), size.get("test", 0), scene]
            for (name, size), scene in zip(sizes.items(), scenes, strict=True)
        ],
    )
    for note in notes:
        say(f"{note}.")
    say(f"{stories:,} stories, {assumed}, in {seconds:.1f} s ({cpu:.1f} s of CPU).")


def _cpu_seconds() -> float:
    """CPU time of this process and of those it has waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
