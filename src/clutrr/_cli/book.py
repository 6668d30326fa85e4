"""clutrr book: one large scene in many articles, and questions that hop through it."""

import time
from typing import Annotated

import clutrr
from clutrr._books.config import BookConfig
from clutrr._cli.options import AsJson, Cluster, Force, Location, World, option, place
from clutrr._cli.show import print_json, print_records, progress, say
from clutrr._config import DEFAULT_WORLD
from clutrr._measure import written


def book(
    out: Annotated[Location, place("The folder to write, or its URL.")],
    world: World = DEFAULT_WORLD,
    with_: Annotated[
        str | None,
        option(
            "What else it is about: families, ages, places, regions, events; several with commas.",
            "nothing",
            "--with",
        ),
    ] = None,
    entities: Annotated[
        int, option("How many the world's part has, people for example; others have fewer.")
    ] = BookConfig.entities,
    tokens: Annotated[
        int | None, option("Instead of --entities, how long it is; a token is 4 characters.", False)
    ] = BookConfig.tokens,
    hops: Annotated[str, option("Links that a question follows: 1-6, or 2,4.")] = written(
        BookConfig.hops
    ),
    questions: Annotated[int, option("How many questions.")] = BookConfig.questions,
    forms: Annotated[
        str | None, option("Of the questions: who, what, how-many, which, yes-no, compare.", "all")
    ] = None,
    unanswerable: Annotated[
        float, option("Share of the questions whose answer cannot be told.")
    ] = BookConfig.unanswerable,
    distractors: Annotated[
        int, option("Sentences in each article that say nothing of use.")
    ] = BookConfig.distractors,
    style: Annotated[str, option("sentences; prose has pronouns.")] = BookConfig.style,
    seed: Annotated[int, option("Random seed.")] = BookConfig.seed,
    split: Annotated[
        str, option("train or test: books of different splits share nothing.")
    ] = BookConfig.split,
    workers: Annotated[
        int | None, option("Processes to work in; the output is the same.", "all cores, if large")
    ] = None,
    cluster: Cluster = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Write a book: articles about the entities of one large scene, and questions that hop through it.

    Answers are sets, proved from the articles, with the smallest evidence; some cannot be told. A question can hop
    between theories: --with ages,places,regions,events. The folder can be loaded as a Hugging Face data
    set: the configurations are articles and questions. README.md is its card.
    """
    settings = {name: value for name, value in locals().items() if name not in ("out", "as_json")}
    settings = {name: value for name, value in settings.items() if name != "forms" or value}
    started = time.perf_counter()
    with progress("articles and questions") as tick:
        manifest = clutrr.book(out, tick=tick, **settings)
    counts, seconds = manifest["counts"], time.perf_counter() - started
    if as_json:
        done = {"out": str(out), "articles": counts["articles"], "questions": counts["questions"]}
        about = {name: manifest[name] for name in ("tokens", "counts", "shortcuts")}
        print_json({**done, **about, "seconds": round(seconds, 3)})
        return
    config = manifest["book"]
    print_records(
        f"{out}: a book about {', '.join(config['parts'])}, seed {config['seed']}",
        [{"hops": int(hops), "questions": n} for hops, n in sorted(counts["hops"].items())],
    )
    say(
        f"{counts['articles']:,} articles, {manifest['tokens']:,} tokens; {counts['questions']:,} questions, "
        f"{counts['cannot']:,} of which cannot be told; {seconds:.1f} s."
    )
