"""clutrr prompts, ask, tasks: the questions of a data set for language models; score: anybody's answers."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import clutrr
from clutrr._books.load import is_book
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
    command_line,
    experiment_json,
    print_experiment,
    print_json,
    print_result,
    print_table,
    progress,
    say,
)
from clutrr._config import OPENAI, AskConfig, PromptConfig
from clutrr.errors import ServiceError

if TYPE_CHECKING:
    from clutrr._ask.run import Outcome
    from clutrr._score.books import BookResult
    from clutrr._score.judges import JudgeResult
    from clutrr._score.result import Result

_SHOWN = 5

# How questions are put to a language model.
Split = Annotated[str, option("Which questions: train or test.")]
Limit = Annotated[int | None, option("At most this many questions, spread evenly over k.", "all")]
Form = Annotated[
    str, option("which: name the relation; yes-no: is it this one?; choice: one of several.")
]
Direct = Annotated[
    bool, flag("--direct", "Ask for the answer at once, instead of reasoning first.")
]
Shots = Annotated[int, option("Worked examples in each prompt, from train and about other scenes.")]
Omit = Annotated[
    str | None,
    option(
        "Leave out of the prompts: relations (the list of labels), assumptions, or both.", "nothing"
    ),
]
Top = Annotated[
    int | None,
    option(
        "Of a book, show only so many articles: those that fit the question best (BM25).", "all"
    ),
]
Gold = Annotated[bool, flag("--gold", "Of a book, show only the articles with the evidence.")]
PromptLanguage = Annotated[
    str | None,
    option("The language of all but the story: the world's own, or en for English.", "the world's"),
]


def prompts(
    data: Data,
    split: Split = "test",
    limit: Limit = None,
    form: Form = PromptConfig.form,
    direct: Direct = PromptConfig.direct,
    shots: Shots = PromptConfig.shots,
    omit: Omit = None,
    prompt_language: PromptLanguage = None,
    top: Top = None,
    gold: Gold = False,
    skip_bad: SkipBad = False,
) -> None:
    """Print the questions of a data set as chat messages for a language model, one JSON object per line.

    Of chains they ask for the first wrong step of each.

    Each has id, subset, k, messages, the right answer, the form of the question, and the version of the
    wording. A line with a `reply` added to it is what `clutrr score` reads.
    """
    for prompt in clutrr.prompts(**locals()):
        print_json(prompt.to_dict())


def ask(
    data: Data,
    out: Annotated[
        Path,
        place(
            "The file for replies. Questions that have one there are skipped.", parser=local_path
        ),
    ],
    model: Annotated[str, option("The model, as the service names it.", False)],
    base_url: Annotated[
        str | None, option("An OpenAI-compatible service.", f"OPENAI_BASE_URL, else {OPENAI}")
    ] = None,
    split: Split = "test",
    limit: Limit = None,
    form: Form = PromptConfig.form,
    direct: Direct = PromptConfig.direct,
    shots: Shots = PromptConfig.shots,
    omit: Omit = None,
    prompt_language: PromptLanguage = None,
    top: Top = None,
    gold: Gold = False,
    sampling: Annotated[
        str | None,
        option(
            "Settings of replies: n (to each question), temperature, top-p, seed, max-tokens, effort; "
            "such as n=5,temperature=0.7.",
            "one reply, as the service sets it",
        ),
    ] = None,
    system: Annotated[str | None, option("A system message before every question.", "none")] = None,
    extra: Annotated[
        str | None,
        option(
            "Further fields of each request, as JSON: '{\"chat_template_kwargs\": {...}}'.", "none"
        ),
    ] = None,
    concurrency: Annotated[int, option("Requests at the same time.")] = AskConfig.concurrency,
    skip_bad: SkipBad = False,
    as_json: AsJson = False,
) -> None:
    """Ask a language model the questions of a data set, and score its replies.

    Of chains it is asked for the first wrong step of each.

    Every reply is appended to OUT as it arrives. To continue a run that was stopped, run the same command
    again: nothing is paid for twice. The key is read from OPENAI_API_KEY in the environment and never
    written or printed.
    """
    settings = {name: value for name, value in locals().items() if name != "as_json"}
    started = time.monotonic()
    with progress(model) as tell:

        def show(so_far: "Outcome") -> None:
            rate = so_far.asked / max(time.monotonic() - started, 0.001)
            tell(
                0,
                so_far.asked + so_far.kept,
                so_far.wanted,
                f"{rate:.1f} replies/s, {_tokens(so_far)}",
            )

        asked = clutrr.ask(show=show, **settings)
    outcome = asked.outcome
    seconds = time.monotonic() - started
    if as_json:
        print_json({**asked.to_json(), "seconds": round(seconds, 3)})
    else:
        _print_asked(asked.result, f"{model}: answers to {data}")
        say(
            f"{outcome.asked:,} new replies in {seconds:.0f} s, {_tokens(outcome)}; "
            f"{outcome.kept:,} from earlier runs. All are in {out}."
        )
    if outcome.failed:
        first = "; ".join(f"{key[1]}: {why}" for key, why in outcome.failed[:_SHOWN])
        raise ServiceError(
            f"{len(outcome.failed):,} questions have no reply; run again to ask them: {first}"
        )


def _print_asked(result: "Result | JudgeResult | BookResult", title: str) -> None:
    """Print the scores of replies to puzzles, to chains, or to a book."""
    from clutrr._score.books import BookResult
    from clutrr._score.result import Result  # other commands do without

    if isinstance(result, Result):
        print_result(title, result)
    elif isinstance(result, BookResult):
        _print_books([result], as_json=False)
    else:
        _print_judges([result], as_json=False)


def _tokens(outcome: "Outcome") -> str:
    return f"{outcome.prompt_tokens:,} tokens read and {outcome.reply_tokens:,} written"


def score(
    data: Data,
    answers: Annotated[
        list[Location],
        place(
            "CSV or JSON lines with id and answer; prompts with replies, as `ask` writes; or a run. Behind the folder "
            "of another data set, such as the same in another language: answers to that.",
            metavar="ANSWERS...",
        ),
    ],
    split: Annotated[
        str | None, option("Score train, test or all.", "test, or all without one")
    ] = None,
    steps: Annotated[
        bool, flag("--steps", "Judge what replies claim on their way to the answer, too.")
    ] = False,
    select: Annotated[
        str | None,
        option("Of several replies to a question, score one: majority, or steps.", "all of them"),
    ] = None,
    prices: Annotated[
        Location | None,
        option(
            "A YAML file of what a million tokens cost: MODEL: {read: 0.15, written: 0.60}.",
            False,
            parser=path_or_url,
        ),
    ] = None,
    to: Annotated[
        Location | None,
        option(
            "Write a table, curves over length and a page into this folder.",
            False,
            parser=path_or_url,
        ),
    ] = None,
    world: DataWorld = None,
    skip_bad: SkipBad = False,
    as_json: AsJson = False,
) -> None:
    """Score the answers of any model by subset, with 95 % intervals; several models side by side.

    An answer is a relation, or a reply that gives exactly one. Answers that cannot be read are listed; they
    count as wrong. So do questions without an answer, except those that `ask` has not asked. Any two models
    are compared on the questions that both answered (McNemar's exact test). With --to, look-ups and ceilings
    that need no model are shown beside the models.

    Where DATA is chains, ANSWERS are judgements: id and first_error (the number of the first wrong step, from 0; -1 for
    none), replies of `ask`, or the word verify. Where it is a book, they are sets: exact, F1, recall of the evidence.
    """
    found = clutrr.score(
        data,
        answers,
        split=split,
        steps=steps,
        select=select,
        prices=prices,
        to=to,
        world=world,
        skip_bad=skip_bad,
        command=command_line(),
    )
    if is_book(data):
        _print_books(found, as_json)
        return
    page = {} if to is None else {"page": str(to / "index.html")}
    if isinstance(found, list):
        _print_judges(found, as_json)
        return
    alone = found.results[0] if len(found.results) == 1 else None
    if as_json:
        print_json(alone.to_json() if alone and not page else {**experiment_json(found), **page})
        return
    if alone:
        print_result(f"{alone.model}: answers to {data}", alone)
    else:
        print_experiment(found)
    if page:
        say(f"The page: {page['page']}")


def _print_books(results: "list[BookResult]", as_json: bool) -> None:
    """Print how models answered the questions of a book."""
    if as_json:
        shown = [one.to_json() for one in results]
        print_json(shown[0] if len(shown) == 1 else {"models": shown})
        return
    for one in results:
        header, *rows = one.rows()
        print_table(one.caption, header, rows)
        said = one.abstention
        say(
            f"Cannot be told: said of {said['said so']:,} of {said['cannot be told']:,} questions of which it is so, and of "
            f"{said['said not to be']:,} of the {said['can be told']:,} others."
        )
        if one.spent:
            say("; ".join(f"{name}: {number:,.0f}" for name, number in one.spent.items()) + ".")


def _print_judges(judges: "list[JudgeResult]", as_json: bool) -> None:
    """Print how judges of chains did: each with its groups."""
    if as_json:
        shown = [judge.to_json() for judge in judges]
        print_json(shown[0] if len(shown) == 1 else {"judges": shown})
        return
    for judge in judges:
        header, *rows = judge.rows()
        print_table(judge.caption, header, rows)
        if judge.total.unread or judge.total.missing:
            say(f"Not read: {judge.total.unread:,}; missing: {judge.total.missing:,}.")


def tasks(
    framework: Annotated[str, typer.Argument(help="lm-eval or inspect.", show_default=False)],
) -> None:
    """Print where an evaluation framework finds our tasks.

    lm-eval: the folder for the language model evaluation harness (`--include_path`). inspect: the name of
    the task for Inspect (`inspect eval`).
    """
    say(clutrr.task_path(framework))
