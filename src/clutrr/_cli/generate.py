"""clutrr generate: a data set as a folder; convert: between formats; learn-world: the wording of data."""

import time
from typing import Annotated, Any

import clutrr
from clutrr._cli.options import (
    ASSUME,
    FACTS,
    AsJson,
    Cluster,
    Data,
    DataWorld,
    Force,
    Location,
    SkipBad,
    World,
    flag,
    option,
    path_or_url,
    place,
)
from clutrr._cli.show import (
    print_json,
    print_notes,
    print_records,
    print_table,
    progress,
    say,
)
from clutrr._config import DEFAULT_WORLD, Config, read_numbers
from clutrr._io.executors import print_notice
from clutrr._measure import counted, written

_SHOWN = 20


def generate(
    out: Annotated[Location, place("The folder to write, or its URL.")],
    world: World = DEFAULT_WORLD,
    nonce: Annotated[
        int | None,
        option("A seed: relations have invented words, which prompts explain.", "the world's own"),
    ] = None,
    from_: Annotated[
        Location | None,
        option(
            "A family file (GEDCOM): its families are the scenes, under other names.",
            "families that are made up",
            "--from",
            parser=path_or_url,
        ),
    ] = None,
    table: Annotated[
        str | None,
        option(
            "composition, converse or neighbours: instead of stories, a question for each cell of that table.",
            "stories",
        ),
    ] = None,
    preset: Annotated[
        str | None,
        option(
            "strict, mixed or described; in kinship also sound and published.",
            "the theory's first: sound in kinship, strict elsewhere",
        ),
    ] = Config.preset,
    k: Annotated[str, option("Facts in each route: 3-6 is four lengths, 3,6 is two.")] = written(
        Config.k
    ),
    routes: Annotated[
        str, option("Routes of facts between the two queried entities: 2, or 1-3; 1 in kinship.")
    ] = written(Config.routes),
    train: Annotated[int, option("Stories to train on, for each k.")] = Config.train,
    test: Annotated[int, option("Stories to test on, for each k.")] = Config.test,
    seed: Annotated[int, option("Random seed.")] = Config.seed,
    scene: Annotated[
        str,
        option(
            "Settings of the scenes; in kinship their size: levels=3,children=2-4.", "as k needs"
        ),
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
    off_path: Annotated[
        int,
        option(
            "Statements beside the routes that each answer needs: alternatives, denials, closures."
        ),
    ] = Config.off_path,
    vague: Annotated[
        float, option("Share of the facts that are stated as alternatives, such as `a child of`.")
    ] = Config.vague,
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
        float | None,
        option("Share of the questions of `mixed` whose answer cannot be told.", "0.5"),
    ] = Config.undetermined,
    disjoint: Annotated[
        str | None,
        option("What else train and test must not share: patterns, wordings, names.", "scenes"),
    ] = None,
    format: Annotated[str, option("parquet, csv or jsonl.")] = "parquet",  # noqa: A002  its name for users
    set: Annotated[  # noqa: A002  its name for users
        str | None,
        option(
            "A frozen test set by name, such as clutrr-2026-kinship (any other name lists them); it fixes all "
            "settings.",
            "none",
        ),
    ] = None,
    workers: Annotated[
        int | None,
        option(
            "Processes to work in; the output is the same.", "all cores; one below 100,000 stories"
        ),
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
    started = time.perf_counter()
    notes: list[str] = []
    stories = None if set else len(read_numbers(k, "k")) * (train + test)
    with progress("stories", stories) as tick:
        manifest: Any = clutrr.generate(out=out, tick=tick, note=notes.append, **settings)
    if table is not None:
        if as_json:
            print_json({"out": str(out), **manifest})
        else:
            about = f"{manifest['table']} of world {manifest['world']['name']}"
            say(f"{out}: {manifest['questions']:,} questions about the {about}.")
        return
    sizes = {
        name: {split: content["rows"] for split, content in splits.items()}
        for name, splits in manifest["subsets"].items()
    }
    written = sum(rows for size in sizes.values() for rows in size.values())
    seconds = time.perf_counter() - started
    if as_json:
        done = {"out": str(out), "stories": written, "notes": notes, "seconds": round(seconds, 3)}
        print_json(
            {**done, "subsets": sizes, "scene": manifest["scene"], "assume": manifest["assume"]}
        )
        return
    config, assumed = manifest["config"], f"assuming {manifest['assume']}"
    records: list[dict[str, Any]] = []
    for subset, made_in in manifest["scene"].items():
        told = (
            {"scenes": ", ".join(f"{key} {value}" for key, value in made_in.items())}
            if made_in
            else {}
        )
        records.append({"subset": subset, **sizes[subset], **told})
    print_records(f"{out}: preset {config['preset']}, {assumed}, seed {config['seed']}", records)
    for note in notes:
        say(f"{note}.")
    if set:
        say(f"This is {set}, as it was frozen.")
    say(f"{written:,} stories, {assumed}, in {seconds:.1f} s.")


def convert(
    data: Annotated[Location, place("A data file or folder.", metavar="IN")],
    out: Annotated[Location, place("The file to write (.parquet, .csv, .jsonl), or a folder.")],
    to: Annotated[
        str | None, option("The format: parquet, csv, jsonl or v1.0.", "by the name of OUT")
    ] = None,
    world: DataWorld = None,
    only: Annotated[
        str | None,
        option(
            "Only rows that are proved, entailed, undetermined, refuted, contradictory or unread.",
            "all",
        ),
    ] = None,
    allow_unread: Annotated[
        bool,
        flag(
            "--allow-unread",
            "With --only proved or entailed: also what is so by the sentences that were understood.",
        ),
    ] = False,
    relabel: Annotated[
        bool, flag("--relabel", "Replace a refuted target by the proved answer.")
    ] = False,
    columns: Annotated[
        str | None,
        option(
            "Which columns hold what: story=NAME,query=NAME,target=NAME; query=NAME+NAME for two columns.",
            "known names",
        ),
    ] = None,
    assume: Annotated[
        str | None, option(ASSUME, "what the data was made under; else the weakest")
    ] = None,
    facts: Annotated[bool, flag("--facts", f"{FACTS} With --only, --relabel.")] = False,
    skip_bad: SkipBad = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Convert data from any known format to another, keep part of it, or repair its targets.

    Rows of your own need a story, a query (two names, or a question such as "What is B to A?") and a target;
    what the story states is read.

    What OUT cannot hold is reported before it takes its place. A folder gets one file for each subset and
    split, a data set card and a manifest. What published files hold beside a puzzle is kept as `extra`.
    v1.0 is the CSV of CLUTRR v1.0, for programs of others: kinship only.
    """
    settings = {name: value for name, value in locals().items() if name != "as_json"}
    with progress("puzzles") as tick:
        done = clutrr.convert(**settings, say=print_notice, tick=tick)
    if as_json:
        print_json(done.to_json())
        return
    say(f"{out}: {counted(done.rows, 'puzzle')}, as {done.format}")
    if done.kept:
        say(f"Judged by {done.kept['judged_by']}, assuming {done.kept['assume']}.")
    if only:
        say(f"Kept: what is {only}.")
    if relabel:
        say(f"Relabelled: {done.kept['relabelled']}.")
    print_notes(done.notes)


def learn_world(
    data: Data,
    world: Annotated[Location, place("The folder to write the world into.")],
    skip_bad: SkipBad = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Learn the wording of data: its templates, attributes and names, as a world to generate with.

    `clutrr generate OUT --world WORLD` then writes any number of stories that read like the data.
    Sentences that could not be turned into templates are printed, and listed in WORLD/left-out.txt.
    """
    with progress("puzzles") as tick:
        learnt = clutrr.learn_world(data, world, skip_bad=skip_bad, force=force, tick=tick)
    if as_json:
        print_json({"world": str(world), **learnt.to_json()})
    else:
        _print_learnt(f"{world}: the wording of {data}", learnt.to_json())


def _print_learnt(title: str, learnt: dict[str, Any]) -> None:
    rows = [[relation, len(texts), texts[0]] for relation, texts in learnt["templates"].items()]
    rows += [
        [name, len(a["templates"]), a["templates"][0]] for name, a in learnt["attributes"].items()
    ]
    print_table(title, ["relation or attribute", "templates", "the first"], rows)
    say(
        f"Names: {', '.join(f'{count} {form}'.strip() for form, count in learnt['names'].items())}."
    )
    if borrowed := ", ".join(learnt["borrowed"]):
        say(f"The data has no sentence for {borrowed}: those of {learnt['relations_of']} are used.")
    left_out, missing = learnt["left_out"], learnt["names_left_out"]
    missed = sum(one["times"] for one in left_out)
    say(
        f"Not turned into templates: {missed:,} of {learnt['sentences']:,} sentences "
        f"({len(left_out):,} shapes)."
    )
    for one in left_out[:_SHOWN]:
        say(f"  {one['times']:6,}  {one['reason']}: {one['sentence']}")
    if missing:
        say(f"Names left out: {len(missing)}, such as {', '.join(list(missing)[:5])}.")
