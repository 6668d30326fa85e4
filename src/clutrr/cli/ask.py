"""clutrr ask: put the questions of a data set to a language model."""

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clutrr.cli.options import AsJson, Data, DataWorld, local_path, yes_no
from clutrr.cli.prompts import ASK, STYLE
from clutrr.cli.score import content, print_result
from clutrr.cli.show import print_json, progress_with_note, say
from clutrr.errors import ConfigError, ServiceError
from clutrr.workers.choose import say_aside

if TYPE_CHECKING:
    from clutrr.ask import Outcome


_SHOWN = 5


def ask(
    data: Data,
    out: Annotated[
        Path,
        typer.Argument(
            help="The file for replies; what it already holds is not asked again.",
            show_default=False,
            parser=local_path,
        ),
    ],
    model: Annotated[str, typer.Option(help="The model, as the service names it.", show_default=False)],
    base_url: Annotated[
        str, typer.Option(help="An OpenAI-compatible service.", envvar="OPENAI_BASE_URL")
    ] = "https://api.openai.com/v1",
    key_env: Annotated[
        str, typer.Option(help="The environment variable that holds the key.")
    ] = "OPENAI_API_KEY",
    split: Annotated[str, typer.Option(help="Which questions: train or test.")] = "test",
    limit: Annotated[
        int | None,
        typer.Option(help="At most this many questions, spread evenly over k.", show_default="all"),
    ] = None,
    n: Annotated[int, typer.Option(help="Replies to each question.")] = 1,
    style: Annotated[str, typer.Option(help=STYLE)] = "reason",
    shots: Annotated[
        int, typer.Option(help="Worked examples in each prompt, from train and about other families.")
    ] = 0,
    question: Annotated[str, typer.Option("--ask", help=ASK)] = "which",
    relations: Annotated[str, typer.Option(help="List the possible relations: yes or no.")] = "yes",
    assumptions: Annotated[str, typer.Option(help="State what may be assumed: yes or no.")] = "yes",
    concurrency: Annotated[int, typer.Option(help="How many requests at the same time.")] = 16,
    temperature: Annotated[
        float | None, typer.Option(help="Sampling temperature.", show_default="the service's")
    ] = None,
    effort: Annotated[
        str | None, typer.Option(help="Reasoning effort: low, medium, high.", show_default="the service's")
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option(help="At most this many tokens in a reply.", show_default="the service's")
    ] = None,
    timeout: Annotated[float, typer.Option(help="Seconds to wait for a reply.")] = 600.0,
    retries: Annotated[int, typer.Option(help="How often a failed request is tried again.")] = 8,
    world: DataWorld = None,
    as_json: AsJson = False,
) -> None:
    """Ask a language model the questions of a data set, and score its replies.

    Every reply is appended to OUT as it arrives. To continue a run that was stopped, run the same command
    again: nothing is paid for twice. The key is read from the environment and never written or printed.
    """
    from clutrr.ask import Asking, Endpoint, Sampling
    from clutrr.ask import ask as run
    from clutrr.ask.endpoint import OPENAI
    from clutrr.data import open_dataset
    from clutrr.prompts import PromptConfig, prompter_for, prompts_of
    from clutrr.scoring import read_predictions, score

    config = PromptConfig(
        style, shots, yes_no(relations, "relations"), yes_no(assumptions, "assumptions"), question
    )
    key = os.environ.get(key_env, "").strip() or None
    if key is None and base_url == OPENAI:
        raise ConfigError(
            f"set the environment variable {key_env} to your key, or name a service: --base-url"
        )
    endpoint = Endpoint(base_url, model, key, Sampling(temperature, effort, max_tokens), timeout)
    asking = Asking(endpoint, n, concurrency, retries)
    opened = open_dataset(data, world)
    prompts = list(prompts_of(opened, prompter_for(opened, config), split, limit))
    started = time.monotonic()
    with progress_with_note(model, len(prompts) * n) as show:
        outcome = run(prompts, out, asking, lambda so_far: show(*_so_far(so_far, started)), say_aside)
    if outcome.stopped:
        raise KeyboardInterrupt
    among = {(prompt.subset, prompt.id) for prompt in prompts}
    scores = score(opened, read_predictions(out), split, among=among)
    if as_json:
        print_json({**_figures(outcome, started), **content(scores)})
    else:
        print_result(f"{model}: answers to {data}", scores)
        say(
            f"{outcome.asked:,} new replies in {time.monotonic() - started:.0f} s, {_tokens(outcome)}; "
            f"{outcome.kept:,} from earlier runs. All are in {out}."
        )
    if outcome.failed:
        first = "; ".join(f"{key[1]}: {why}" for key, why in outcome.failed[:_SHOWN])
        raise ServiceError(f"{len(outcome.failed):,} questions have no reply; run again to ask them: {first}")


def _so_far(outcome: "Outcome", started: float) -> tuple[int, str]:
    rate = outcome.asked / max(time.monotonic() - started, 0.001)
    return outcome.asked + outcome.kept, f"{rate:.1f} replies/s, {_tokens(outcome)}"


def _tokens(outcome: "Outcome") -> str:
    return f"{outcome.prompt_tokens:,} tokens read and {outcome.reply_tokens:,} written"


def _figures(outcome: "Outcome", started: float) -> dict[str, object]:
    return {
        "asked": outcome.asked,
        "kept": outcome.kept,
        "retried": outcome.retried,
        "failed": [{"id": key[1], "why": why} for key, why in outcome.failed],
        "prompt_tokens": outcome.prompt_tokens,
        "reply_tokens": outcome.reply_tokens,
        "seconds": round(time.monotonic() - started, 3),
    }
