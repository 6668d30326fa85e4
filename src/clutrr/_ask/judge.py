"""Chains put to a language model: which is the first wrong step?"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, repeat
from typing import Any

from clutrr._ask import prompt_text as text
from clutrr._ask.prompter import Prompt, in_turn
from clutrr._chains.chain import Chain
from clutrr._chains.read import ChainData
from clutrr._score.replies import QuestionForm
from clutrr._sentences import unbracketed
from clutrr.errors import ConfigError

FIRST_ERROR, NOTHING = "first-error", "none"
_NOT_FOR_CHAINS = ("form", "shots", "omit", "prompt_language")
_TASK = """\
Below are a story, a question about it, and a solution in numbered steps. Find the first wrong step, if there is one.

A step is wrong if the story does not entail what the step says: if the story rules it out, or leaves it open. Judge each step \
by the story alone, whatever the steps before it say. A step is not wrong because something was left out before it, or \
because it is not needed. The answer may be right although a step is wrong."""
_ASKED = "What {b} is to {a} is one of these: {relations}."
_DIRECT = "Reply with one line and nothing else:"
_REASONED = "Check the steps one after the other, and then end with this line:"
_ANSWER = "Answer: <the number of the first wrong step, or none>"


@dataclass(frozen=True)
class JudgePrompt(Prompt):
    """A chain to be judged. answer: the number of its first wrong step, from 1, or "none"."""

    first_error: int = -1

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON lines."""
        return {**super().to_dict(), "first_error": self.first_error}


def judge_prompts(
    data: ChainData, split: str, limit: int | None, settings: Mapping[str, Any]
) -> Iterator[JudgePrompt]:
    """Yield the chains of a split as messages that ask for the first wrong step.

    Args:
        data: the chains.
        split: train or test.
        limit: at most this many, spread evenly over the subsets.
        settings: `direct`: whether to ask for the answer at once.
    """
    for name in _NOT_FOR_CHAINS:
        if settings.get(name):
            usual = name == "form" and settings[name] == "which"
            if not usual:
                raise ConfigError("is for puzzles, and the data is chains", setting=name)
    if limit is not None and limit < 1:
        raise ConfigError("is below 1", setting="limit", value=limit)
    subsets = data.split(split)
    turns = in_turn(*(repeat(subset, len(some)) for subset, some in subsets.items()))
    shares = Counter(islice(turns, limit))
    granted = text.granted(data.world, data.assume)
    for subset, some in subsets.items():
        for chain in some[: shares[subset]]:
            yield _prompt(chain, subset, data, granted, bool(settings.get("direct")))


def _prompt(chain: Chain, subset: str, data: ChainData, granted: str, direct: bool) -> JudgePrompt:
    first, last = chain.query
    relations = ", ".join(dict.fromkeys(data.world.relations))
    steps = "\n".join(f"[{number}] {step.text}" for number, step in enumerate(chain.steps, 1))
    parts = [
        _TASK,
        granted,
        f"Story: {unbracketed(chain.story).strip()}",
        f"Question: {unbracketed(chain.question)} "
        + _ASKED.format(a=first, b=last, relations=relations),
        f"Solution:\n{steps}",
        f"{_DIRECT if direct else _REASONED}\n{_ANSWER}",
    ]
    right = NOTHING if chain.first_error < 0 else str(chain.first_error + 1)
    return JudgePrompt(
        id=chain.id,
        subset=subset,
        k=chain.k,
        messages=({"role": "user", "content": "\n\n".join(filter(None, parts))},),
        answer=right,
        asked=QuestionForm(FIRST_ERROR, (), chain.query),
        target=chain.target,
        facts=chain.stated,
        statements=chain.statements,
        first_error=chain.first_error,
    )
