"""clutrr generate: a data set as a folder."""

import time
from typing import Annotated

import typer

from clutrr.cli.options import ASSUME, AsJson, Cluster, Where, numbers, path_or_url, span, words, yes_no
from clutrr.cli.show import print_json, print_table, progress, say
from clutrr.errors import ConfigError


def generate(
    out: Annotated[
        Where, typer.Argument(help="The folder to write, or its URL.", show_default=False, parser=path_or_url)
    ],
    preset: Annotated[str, typer.Option(help="sound, strict, mixed, described or published.")] = "sound",
    k: Annotated[str, typer.Option(help="Facts on the path: 3-6, or 2,3.")] = "3-6",
    train: Annotated[int, typer.Option(help="Stories to train on, for each k.")] = 4000,
    test: Annotated[int, typer.Option(help="Stories to test on, for each k.")] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of everything that is random.")] = 0,
    levels: Annotated[
        int | None,
        typer.Option(help="Generations below the head of a family.", show_default="3, or as k needs"),
    ] = None,
    children: Annotated[str, typer.Option(help="Children of a couple: 3, or 2-4.")] = "3",
    distractors: Annotated[int, typer.Option(help="Distractor sentences for each person.")] = 8,
    order: Annotated[
        str | None,
        typer.Option(help="Order of the sentences: path, inserted or shuffled.", show_default="the preset's"),
    ] = None,
    assume: Annotated[
        str | None,
        typer.Option(help=ASSUME, show_default="the preset's"),
    ] = None,
    undetermined: Annotated[
        float | None,
        typer.Option(
            help="Share of the questions of `mixed` whose answer cannot be told.", show_default="0.5"
        ),
    ] = None,
    supporting: Annotated[
        int, typer.Option(help="Extra facts in each story: other ways along the path.")
    ] = 0,
    irrelevant: Annotated[int, typer.Option(help="Extra facts in each story: branches off the path.")] = 0,
    disconnected: Annotated[int, typer.Option(help="Extra facts in each story: another family.")] = 0,
    style: Annotated[
        str, typer.Option(help="sentences: one fact in each; prose: several facts in one, and pronouns.")
    ] = "sentences",
    brackets: Annotated[
        str, typer.Option(help="Put people and values in square brackets: yes or no.")
    ] = "yes",
    disjoint: Annotated[
        str, typer.Option(help="What train and test do not share: families, patterns, wordings, names.")
    ] = "families",
    world: Annotated[str, typer.Option(help="A world by name, or its folder.")] = "kinship",
    form: Annotated[str, typer.Option("--format", help="parquet, csv or jsonl.")] = "parquet",
    workers: Annotated[
        int | None,
        typer.Option(
            help="How many processes; the output is the same for any number.",
            show_default="all cores; one below 100,000 stories",
        ),
    ] = None,
    cluster: Cluster = None,
    force: Annotated[bool, typer.Option("--force", help="Replace what OUT holds.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write a data set of stories, questions and answers.

    Presets: strict (one possible answer), sound (one possible answer among the labels, assuming tree), mixed
    (half cannot be told), described (as the paper describes) and published (as the paper's files are).
    The folder can be loaded as a Hugging Face data set: one configuration for each k, with train and
    test. README.md is its card; manifest.json says how it was made.
    """
    from clutrr.generator import Config
    from clutrr.generator.folder import Job, crew_of, generate_folder
    from clutrr.workers import open_crew

    started, cpu = time.perf_counter(), _cpu_seconds()
    config = Config(
        preset=preset,
        k=numbers(k, "k"),
        train=train,
        test=test,
        seed=seed,
        levels=levels,
        children=span(children, "children"),
        distractors=distractors,
        order=order,
        assume=assume,
        undetermined=undetermined,
        supporting=supporting,
        irrelevant=irrelevant,
        disconnected=disconnected,
        style=style,
        brackets=yes_no(brackets, "brackets"),
        disjoint=words(disjoint, "disjoint"),
    )
    if cluster is not None and workers is not None:
        raise ConfigError("--workers and --cluster: give only one of them")
    job = Job(out, config, world, form, workers, force)
    with open_crew(cluster, lambda: crew_of(job)) as crew, progress("stories", job.stories) as tick:
        notes: list[str] = []
        manifest = generate_folder(job, tick, notes.append, crew)
    sizes = {
        name: {split: content["rows"] for split, content in splits.items()}
        for name, splits in manifest["subsets"].items()
    }
    seconds, cpu_seconds = time.perf_counter() - started, _cpu_seconds() - cpu
    if as_json:
        print_json(
            {
                "out": str(out),
                "stories": job.stories,
                "subsets": sizes,
                "levels": manifest["levels"],
                "assume": str(config.assumption),
                "notes": notes,
                "seconds": round(seconds, 3),
                "cpu_seconds": round(cpu_seconds, 3),
            }
        )
        return
    rows = [
        [name, splits.get("train", 0), splits.get("test", 0), manifest["levels"][name]]
        for name, splits in sizes.items()
    ]
    print_table(
        f"{out}: preset {preset}, assuming {config.assumption}, seed {seed}",
        ["subset", "train", "test", "levels"],
        rows,
    )
    deeper = [name for name, used in manifest["levels"].items() if levels is None and used > 3]
    if deeper:
        say(f"Families of 3 levels are too small for {', '.join(deeper)}: deeper ones were used.")
    for note in notes:
        say(f"{note}.")
    say(
        f"{job.stories:,} stories, assuming {config.assumption}, "
        f"in {seconds:.1f} s ({cpu_seconds:.1f} s of CPU)."
    )


def _cpu_seconds() -> float:
    """CPU time of this process and of those it has waited for."""
    import os

    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
