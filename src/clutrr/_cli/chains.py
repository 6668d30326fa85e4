"""clutrr chains: solutions in numbered steps, of which the first wrong one is known."""

import time
from typing import Annotated, Any

import clutrr
from clutrr._chains.make import ChainConfig
from clutrr._cli.options import (
    ASSUME,
    AsJson,
    Data,
    DataWorld,
    Force,
    Location,
    SkipBad,
    option,
    place,
)
from clutrr._cli.show import print_json, print_records, progress, say
from clutrr._measure import counted


def chains(
    data: Data,
    out: Annotated[Location, place("The folder to write, or its URL.")],
    wrong: Annotated[float, option("Share of the chains that have an error.")] = ChainConfig.wrong,
    errors: Annotated[
        str,
        option(
            "Kinds of errors: misread, composition, converse, invented, form, route, skipped; or with weights: "
            "misread=2,form=1."
        ),
    ] = "all",
    styles: Annotated[
        str, option("How steps are worded: prose, numbered, arrows, ...; or with weights.")
    ] = "all",
    per: Annotated[int, option("Chains of each puzzle.")] = ChainConfig.per,
    seed: Annotated[int, option("Random seed.")] = ChainConfig.seed,
    world: DataWorld = None,
    assume: Annotated[
        str | None, option(ASSUME, "what the data was made under; else the weakest")
    ] = None,
    to: Annotated[
        str | None, option("Another format: processbench or stepwise_preference.", "its own")
    ] = None,
    format: Annotated[str, option("parquet or jsonl.")] = "parquet",  # noqa: A002  its name for users
    skip_bad: SkipBad = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Write solutions in numbered steps, right ones and wrong ones, with the first wrong step of each.

    Every step is judged by the solver, from the facts of its puzzle. A wrong chain has one error, of a named
    kind and at a step that is drawn evenly; what follows is carried on from it.

    The folder can be loaded as a Hugging Face data set: one configuration for each subset of DATA, with its
    splits. README.md is its card; manifest.json records how it was made.
    """
    settings = {name: value for name, value in locals().items() if name not in ("as_json",)}
    started = time.perf_counter()
    with progress("puzzles") as tick:
        manifest = clutrr.chains(tick=tick, **settings)
    seconds = time.perf_counter() - started
    every: dict[str, Any] = manifest["all"]
    if as_json:
        shown = {name: manifest[name] for name in ("assume", "left_out", "all", "subsets")}
        print_json({"out": str(out), **shown, "seconds": round(seconds, 3)})
        return
    records = [
        {
            "subset": subset,
            "split": split,
            "chains": one["chains"],
            "wrong": one["wrong"],
            "of these with the right answer": one["wrong_with_right_answer"],
        }
        for subset, splits in manifest["subsets"].items()
        for split, one in splits.items()
    ]
    print_records(f"{out}: chains, assuming {manifest['assume']}, seed {seed}", records)
    kinds = ", ".join(
        f"{rows:,} {kind}" for kind, rows in every["errors"].items() if kind != "none"
    )
    say(f"Errors: {kinds or 'none'}.")
    for why, rows in manifest["left_out"].items():
        say(f"Left out, {why}: {counted(rows, 'puzzle')}.")
    say(f"{counted(every['chains'], 'chain')} in {seconds:.1f} s.")
