"""clutrr prompts, ask, tasks: the questions of a data set for language models."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clutrr import api
from clutrr.cli.examples import ending
from clutrr.cli.options import AsJson, Data, local_path, pairs, whole_number, words
from clutrr.cli.score import content, print_result
from clutrr.cli.show import print_json, progress_with_note, say
from clutrr.config import OPENAI, AskConfig, PromptConfig
from clutrr.errors import ConfigError, ServiceError

if TYPE_CHECKING:
    from clutrr.ask import Outcome

_SHOWN = 5

# How questions are put to a language model.
Split = Annotated[str, typer.Option(help="Which questions: train or test.")]
Limit = Annotated[
    int | None, typer.Option(help="At most this many questions, spread evenly over k.", show_default="all")
]
Form = Annotated[
    str, typer.Option(help="which: name the relation; yes-no: is it this one?; choice: one of several.")
]
Direct = Annotated[
    bool, typer.Option("--direct", help="Ask for the answer at once, instead of reasoning first.")
]
Shots = Annotated[
    int, typer.Option(help="Worked examples in each prompt, from train and about other scenes.")
]
Omit = Annotated[
    str | None,
    typer.Option(
        help="Leave out of the prompts: relations (the list of labels), assumptions, or both.",
        show_default="nothing",
    ),
]


def prompts(
    data: Data,
    split: Split = "test",
    limit: Limit = None,
    form: Form = PromptConfig.form,
    direct: Direct = PromptConfig.direct,
    shots: Shots = PromptConfig.shots,
    omit: Omit = None,
) -> None:
    """Print the questions of a data set as chat messages for a language model, one JSON object per line.

    Each has id, subset, k, messages, the right answer, the form of the question, and the version of the
    wording.
    """
    left_out = () if omit is None else words(omit, "omit")
    for prompt in api.prompts(
        data, split=split, limit=limit, form=form, direct=direct, shots=shots, omit=left_out
    ):
        print_json(prompt.to_dict())


def ask(
    data: Data,
    out: Annotated[
        Path,
        typer.Argument(
            help="The file for replies. Questions that have one there are skipped.",
            show_default=False,
            parser=local_path,
        ),
    ],
    model: Annotated[str, typer.Option(help="The model, as the service names it.", show_default=False)],
    base_url: Annotated[
        str | None,
        typer.Option(help="An OpenAI-compatible service.", show_default=f"OPENAI_BASE_URL, else {OPENAI}"),
    ] = None,
    split: Split = "test",
    limit: Limit = None,
    form: Form = PromptConfig.form,
    direct: Direct = PromptConfig.direct,
    shots: Shots = PromptConfig.shots,
    omit: Omit = None,
    sampling: Annotated[
        str | None,
        typer.Option(
            help="Settings of replies: n (to each question), temperature, top-p, seed, max-tokens, effort; "
            "such as n=5,temperature=0.7.",
            show_default="one reply, as the service sets it",
        ),
    ] = None,
    system: Annotated[
        str | None, typer.Option(help="A system message before every question.", show_default="none")
    ] = None,
    extra: Annotated[
        str | None,
        typer.Option(
            help="Further fields of each request, as JSON: '{\"chat_template_kwargs\": {...}}'.",
            show_default="none",
        ),
    ] = None,
    concurrency: Annotated[int, typer.Option(help="Requests at the same time.")] = AskConfig.concurrency,
    as_json: AsJson = False,
) -> None:
    """Ask a language model the questions of a data set, and score its replies.

    Every reply is appended to OUT as it arrives. To continue a run that was stopped, run the same command
    again: nothing is paid for twice. The key is read from OPENAI_API_KEY in the environment and never
    written or printed.
    """
    started = time.monotonic()
    with progress_with_note(model) as tell:

        def show(so_far: "Outcome") -> None:
            rate = so_far.asked / max(time.monotonic() - started, 0.001)
            tell(so_far.asked + so_far.kept, so_far.wanted, f"{rate:.1f} replies/s, {_tokens(so_far)}")

        outcome, scores = api.ask(
            data,
            out,
            model,
            split=split,
            limit=limit,
            show=show,
            base_url=base_url,
            form=form,
            direct=direct,
            shots=shots,
            omit=() if omit is None else words(omit, "omit"),
            concurrency=concurrency,
            system=system,
            extra=extra,
            **_sampling(sampling),
        )
    seconds = time.monotonic() - started
    if as_json:
        print_json({**_figures(outcome, seconds), **content(scores)})
    else:
        print_result(f"{model}: answers to {data}", scores)
        say(
            f"{outcome.asked:,} new replies in {seconds:.0f} s, {_tokens(outcome)}; "
            f"{outcome.kept:,} from earlier runs. All are in {out}."
        )
    if outcome.failed:
        first = "; ".join(f"{key[1]}: {why}" for key, why in outcome.failed[:_SHOWN])
        raise ServiceError(f"{len(outcome.failed):,} questions have no reply; run again to ask them: {first}")


def _number(text: str, name: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ConfigError(f"{name}: {text!r} is not a number") from None


_SAMPLING: dict[str, Callable[[str, str], Any]] = {
    **dict.fromkeys(("n", "max-tokens", "seed"), whole_number),
    **dict.fromkeys(("temperature", "top-p"), _number),
    "effort": lambda text, name: text,
}


def _sampling(text: str | None) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs(text, "sampling").items():
        if name not in _SAMPLING:
            raise ConfigError(f"sampling: {name!r} is not one of {', '.join(_SAMPLING)}")
        found[name.replace("-", "_")] = _SAMPLING[name](value, name)
    return found


def _tokens(outcome: "Outcome") -> str:
    return f"{outcome.prompt_tokens:,} tokens read and {outcome.reply_tokens:,} written"


def _figures(outcome: "Outcome", seconds: float) -> dict[str, object]:
    names = ("asked", "kept", "retried", "prompt_tokens", "reply_tokens")
    return {
        **{name: getattr(outcome, name) for name in names},
        "failed": [{"id": key[1], "why": why} for key, why in outcome.failed],
        "seconds": round(seconds, 3),
    }


tasks = typer.Typer(help="Print where evaluation frameworks find our tasks.", no_args_is_help=True)


@tasks.command("lm-eval", epilog=ending("tasks lm-eval"))
def lm_eval() -> None:
    """Print the folder of tasks for the language model evaluation harness (`--include_path`)."""
    from clutrr.tasks import LM_EVAL

    say(LM_EVAL)


@tasks.command("inspect", epilog=ending("tasks inspect"))
def inspect() -> None:
    """Print the name of the task for Inspect (`inspect eval`)."""
    say("clutrr/kinship")
