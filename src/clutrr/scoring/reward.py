"""Rewards for training: 1 for the right answer, marked once, else 0.

The signature is that of a reward function of TRL: lists of the same length by name; those that are not
needed are ignored. The columns are those that `clutrr prompts` writes.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from clutrr.scoring.answers import WHICH, AnswerReader, QuestionForm
from clutrr.world import World, load_world

# A reply as text, or as the messages of a chat, of which the last is the reply.
Completion = str | Sequence[Mapping[str, Any]]


def reward_in(world: World) -> Callable[..., list[float]]:
    """Return a reward function for the stories of a world."""
    reader = AnswerReader(world)

    def reward(
        completions: Sequence[Completion],
        answer: Sequence[str],
        ask: Sequence[str] | None = None,
        relations: Sequence[Sequence[str]] | None = None,
        **columns: Any,
    ) -> list[float]:
        asked = [WHICH] * len(answer)
        if ask is not None:
            offered = relations or [()] * len(ask)
            asked = [QuestionForm(how, tuple(given or ())) for how, given in zip(ask, offered, strict=True)]
        return [
            float(reader.read(_text(reply), how, strict=True) == right)
            for reply, right, how in zip(completions, answer, asked, strict=True)
        ]

    return reward


def reward(
    completions: Sequence[Completion],
    answer: Sequence[str],
    ask: Sequence[str] | None = None,
    relations: Sequence[Sequence[str]] | None = None,
    **columns: Any,
) -> list[float]:
    """Return 1 for each reply that gives the right answer, marked once; 0 for any other.

    For the worlds `kinship` and `kinship-v1`; `reward_in` makes one for another world.

    >>> reward(["Answer: son", "son", "Answer: a daughter"], answer=["son", "son", "son"])
    [1.0, 0.0, 0.0]
    """
    return _builtin()(completions, answer, ask, relations)


@cache
def _builtin() -> Callable[..., list[float]]:
    return reward_in(load_world("kinship-v1"))  # it has every relation of kinship too


def _text(completion: Completion) -> str:
    return completion if isinstance(completion, str) else str(completion[-1].get("content") or "")
