"""Questions for a language model: as prompts, and asked."""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, NamedTuple

from clutrr._arguments import LocationLike, with_settings
from clutrr._ask.books import questions_of_book
from clutrr._ask.endpoint import Endpoint
from clutrr._ask.judge import judge_prompts
from clutrr._ask.prompter import Prompt, prompter_for, prompts_of
from clutrr._ask.run import Outcome, ask_all
from clutrr._books.load import is_book, open_book
from clutrr._chains.read import are_chains, open_chains
from clutrr._config import OPENAI, AskConfig, PromptConfig, read_pairs, read_words
from clutrr._data import Dataset
from clutrr._data.given import DataLike, open_data
from clutrr._io.executors import print_notice
from clutrr._io.locations import parse_location
from clutrr._score.books import BookResult, read_replies, score_book
from clutrr._score.judges import JudgeResult, read_judgements, score_judge
from clutrr._score.predictions import read_predictions
from clutrr._score.result import Result
from clutrr._score.scoring import score_predictions
from clutrr.errors import ConfigError, Give, Hint

_FORM = tuple(one.name for one in fields(PromptConfig))
_SERVICE = tuple(one.name for one in fields(AskConfig) if one.name != "model")
_SAMPLING = ("n", "temperature", "top-p", "seed", "max-tokens", "effort")  # what shapes a reply


class Asked(NamedTuple):
    """What a language model was asked, and how it did.

    - outcome: new replies, those of earlier runs, tokens, and questions that have no reply
    - result: the scores of all replies
    """

    outcome: Outcome
    result: Result | JudgeResult | BookResult

    def to_json(self) -> dict[str, Any]:
        """Return everything as plain data."""
        names = ("asked", "kept", "retried", "prompt_tokens", "reply_tokens")
        figures = {name: getattr(self.outcome, name) for name in names}
        failed = [{"id": key[1], "why": why} for key, why in self.outcome.failed]
        return {**figures, "failed": failed, **self.result.to_json()}


@with_settings(*_FORM)
def prompts(
    data: DataLike,
    *,
    split: str = "test",
    limit: int | None = None,
    top: int | None = None,
    gold: bool = False,
    skip_bad: bool = False,
    **settings: Any,
) -> Iterator[Prompt]:
    """Yield the questions of a data set as messages for a language model.

    Of chains, each message asks which step is the first wrong one; of the settings, `direct` is for these, too.

    - split: train or test
    - limit: at most this many, spread evenly over the subsets
    - top: of a book, show only so many articles, those that fit the question best (BM25); by default all
    - gold: of a book, show only the articles with the evidence
    - skip_bad: whether to leave out rows and files that cannot be read, and name them
    - settings: `form`, `direct`, `shots` and `omit`, as for `clutrr prompts`

    >>> from clutrr import generate
    >>> next(prompts(generate(k=2, size=1, split="test"))).answer
    'granddaughter'
    """
    if is_book(data):
        return questions_of_book(open_book(data), limit, settings, top, gold)
    _refuse_for_stories(top, gold)
    if are_chains(data):
        return judge_prompts(open_chains(data), split, limit, settings)
    return _prompts(open_data(data, skip_bad=skip_bad), split, limit, settings)


def _refuse_for_stories(top: int | None, gold: bool) -> None:
    for name, value in (("top", top), ("gold", gold or None)):
        if value is not None:
            raise ConfigError("is for books, and the data is none", setting=name)


def _prompts(
    data: Dataset, split: str, limit: int | None, settings: Mapping[str, Any]
) -> Iterator[Prompt]:
    omit = read_words(settings.get("omit"), "omit")
    config = PromptConfig(**{**settings, "omit": omit})
    prompter = prompter_for(data, config)
    data.notes.tell(print_notice)
    return prompts_of(data, prompter, split, limit)


@with_settings(*_FORM, *_SERVICE)
def ask(
    data: DataLike,
    out: LocationLike,
    model: str,
    *,
    split: str = "test",
    limit: int | None = None,
    sampling: str | Mapping[str, Any] | None = None,
    top: int | None = None,
    gold: bool = False,
    skip_bad: bool = False,
    show: Callable[[Outcome], None] = lambda outcome: None,
    **settings: Any,
) -> Asked:
    """Put the questions of a data set to a language model; return what was done, and the scores.

    Every reply is appended to `out` as it arrives; what that file holds is not asked again. A stopped run
    raises KeyboardInterrupt when the requests under way have ended. The key is $OPENAI_API_KEY.

    - out: the file for replies, on this machine
    - model: as the service names it
    - split: train or test
    - limit: at most this many questions, spread evenly over the subsets
    - sampling: what shapes a reply: n (to each question), temperature, top-p, seed, max-tokens, effort; as
      "n=5,temperature=0.7" or a dictionary, or each as an argument of its own
    - top, gold: which articles of a book to show, as for `prompts`
    - skip_bad: whether to leave out rows and files that cannot be read, and name them
    - show: called after every reply
    - settings: `form`, `direct`, `shots` and `omit`, as for `prompts`; `base_url` of an OpenAI-compatible
      service, by default $OPENAI_BASE_URL; `system`, `extra`, `concurrency`, `timeout` and `retries`
    """
    shaped = read_pairs(sampling, "sampling")
    for name in shaped:
        if str(name).replace("_", "-") not in _SAMPLING:
            raise ConfigError(
                f"is not one of {', '.join(_SAMPLING)}", setting="sampling", value=name
            )
    settings |= {name.replace("-", "_"): value for name, value in shaped.items()}
    form = {name: settings.pop(name) for name in _FORM if name in settings}
    base_url = settings.pop("base_url", None) or os.environ.get("OPENAI_BASE_URL") or OPENAI
    config = AskConfig(model, base_url, **settings)
    book = open_book(data) if is_book(data) else None
    if book is None:
        _refuse_for_stories(top, gold)
    chains = open_chains(data) if are_chains(data) else None
    file = parse_location(out)
    if not isinstance(file, Path):
        raise ConfigError("replies are written to a file on this machine, not a URL", place=file)
    key = os.environ.get("OPENAI_API_KEY", "").strip() or None
    if key is None and base_url == OPENAI:
        raise ConfigError(
            "the environment variable OPENAI_API_KEY is not set",
            hint=Hint("set it to your key, or name a service: {}", (Give("base_url"),)),
        )
    questions: list[Prompt]
    if book is not None:
        questions = list(questions_of_book(book, limit, form, top, gold, whole=False))
    elif chains is not None:
        questions = list(judge_prompts(chains, split, limit, form))
    else:
        opened = open_data(data, skip_bad=skip_bad)
        questions = list(_prompts(opened, split, limit, form))
    outcome = ask_all(questions, file, Endpoint(config, key), show, print_notice)
    if outcome.stopped:
        raise KeyboardInterrupt
    if book is not None:
        wanted = {one.id for one in questions}
        return Asked(outcome, score_book(book, read_replies(file)[1], model, wanted))
    if chains is not None:
        judged = score_judge(chains, model, read_judgements(file), split)
        return Asked(outcome, judged)
    return Asked(
        outcome, replace(score_predictions(opened, read_predictions(file), split), model=model)
    )
