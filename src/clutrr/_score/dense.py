"""Rewards by step: which words of a reply earn what.

A claim that derives a statement on the way to the answer earns its share, a wrong one costs as much, others earn
nothing; the answer earns what the other parts of a reward give, at the end of the reply. So the values of a reply
sum up to its reward, unless it has more wrong claims than derived ones: then their sum is lower.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from clutrr._score.steps import Reasoning
from clutrr.errors import ArgumentError


@dataclass(frozen=True)
class StepReward:
    """What a part of a reply earns.

    Args:
        start, end: its place in the reply, in characters.
        value: what it earns; below 0 where it costs.
        tokens: its first token, and the one after its last; None without a tokenizer.
    """

    start: int
    end: int
    value: float
    tokens: tuple[int, int] | None = None


def earned_by_steps(reasoning: Reasoning, needed: int, share: float) -> list[StepReward]:
    """Return what each claim earns. needed: how many steps lead to the answer. share: what all of them earn."""
    derived = set(reasoning.derived)
    found, net = [], 0
    for number, one in enumerate(reasoning.claims):
        before = min(1.0, net / needed)
        net += (number in derived) - one.wrong
        value = share * (min(1.0, net / needed) - before)
        found.append(StepReward(one.start, one.end, value))
    return found


def at_the_end(reply: str, value: float) -> StepReward:
    """Return what the last line of a reply earns, where its answer is."""
    end = len(reply.rstrip())
    start = reply.rfind("\n", 0, end) + 1
    return StepReward(start, end, value)


def in_tokens(steps: Sequence[StepReward], reply: str, tokenizer: Any) -> list[StepReward]:
    """Return the same with places in tokens. tokenizer: a fast one of Hugging Face; None for none."""
    if tokenizer is None:
        return list(steps)
    try:
        encoded = tokenizer(reply, return_offsets_mapping=True, add_special_tokens=False)
        places = [(int(start), int(end)) for start, end in encoded["offset_mapping"]]
    except (TypeError, KeyError, ValueError, NotImplementedError) as error:
        raise ArgumentError(
            f"is no fast tokenizer, which says where each token is ({error})", setting="tokenizer"
        ) from None
    return [replace(one, tokens=_tokens(one, places)) for one in steps]


def _tokens(one: StepReward, places: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Return the first token of a part, and the one after its last."""
    inside = [
        number for number, (start, end) in enumerate(places) if start < one.end and end > one.start
    ]
    return (inside[0], inside[-1] + 1) if inside else (len(places), len(places))
