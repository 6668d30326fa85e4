"""Rewards for training: of each part 1 or 0, and the mean of the parts that are asked for.

    answer    the right answer, marked once
    steps     reasoning that reaches the answer: no wrong claim, and claims about as many pairs of entities as
              there are facts on the route and one more, among them the two of the question

The signature is that of a reward function of TRL: lists of the same length by name; those that are not
needed are ignored. The columns are those that `clutrr prompts` writes.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from clutrr.errors import ConfigError
from clutrr.facts import shortest_path
from clutrr.puzzle import CANNOT_BE_TOLD, Fact, Puzzle
from clutrr.scoring.answers import NO, WHICH, AnswerReader, QuestionForm
from clutrr.scoring.steps import StepJudge
from clutrr.world import World, load_world

# A reply as text, or as the messages of a chat, of which the last is the reply.
Completion = str | Sequence[Mapping[str, Any]]
PARTS = ("answer", "steps")


def reward_in(
    world: World, parts: Sequence[str] = PARTS[:1], assume: str | None = None
) -> Callable[..., list[float]]:
    """Return a reward function for the stories of a world. assume: which scenes are possible, for steps."""
    for part in parts or ("",):
        if part not in PARTS:
            raise ConfigError(f"parts: {part!r} is not one of {', '.join(PARTS)}")
    reader, judge = AnswerReader(world), StepJudge(world, assume) if "steps" in parts else None

    def reward(
        completions: Sequence[Completion],
        answer: Sequence[str],
        ask: Sequence[str] | None = None,
        relations: Sequence[Sequence[str]] | None = None,
        **columns: Any,
    ) -> list[float]:
        replies = [_text(completion) for completion in completions]
        asked = [WHICH] * len(answer)
        if ask is not None:
            offered = relations or [()] * len(ask)
            asked = [QuestionForm(how, tuple(given or ())) for how, given in zip(ask, offered, strict=True)]
        if "query" in columns:
            asked = [how.of(query) for how, query in zip(asked, columns["query"], strict=True)]
        earned = []
        if "answer" in parts:
            read = [reader.read(reply, how, strict=True) for reply, how in zip(replies, asked, strict=True)]
            earned.append([found == right for found, right in zip(read, answer, strict=True)])
        if judge is not None:
            if not {"query", "facts"} <= columns.keys():
                raise ConfigError("steps: the columns query and facts are missing; `clutrr prompts` has them")
            rows = zip(replies, answer, columns["query"], columns["facts"], strict=True)
            earned.append([reaches(judge, *row) for row in rows])
        return [sum(each) / len(earned) for each in zip(*earned, strict=True)]

    return reward


def reaches(
    judge: StepJudge, reply: str, answer: str, query: Sequence[str], facts: Sequence[Sequence[str]]
) -> bool:
    """Return whether a reply comes to the answer by right steps, and by enough of them."""
    first, second = query
    stated = tuple(Fact(*fact) for fact in facts)
    puzzle = Puzzle("", "", "", (first, second), answer, len(stated), (), stated, (), "")
    found = judge.judge(reply, puzzle)
    pairs = {frozenset((one.said.claim.head, one.said.claim.tail)) for one in found.claims}
    settled = answer in (CANNOT_BE_TOLD, NO) or any(
        {one.said.claim.head, one.said.claim.tail} == {first, second}
        and len(one.said.claim.relations) == 1
        and not (one.said.hedged or one.said.denied)
        for one in found.claims
    )
    path = shortest_path(stated, first, second)
    needed = 1 if path is None else len(path.numbers) + (len(path.numbers) > 1)
    return found.right is True and settled and len(pairs) >= needed - (answer in (CANNOT_BE_TOLD, NO))


def reward(
    completions: Sequence[Completion],
    answer: Sequence[str],
    ask: Sequence[str] | None = None,
    relations: Sequence[Sequence[str]] | None = None,
    **columns: Any,
) -> list[float]:
    """Return 1 for each reply that gives the right answer, marked once; 0 for any other.

    For the worlds `kinship` and `kinship-v1`; `reward_in` makes one for another world, or of other parts.

    >>> reward(["Answer: son", "son", "Answer: a daughter"], answer=["son", "son", "son"])
    [1.0, 0.0, 0.0]
    """
    return _builtin()(completions, answer, ask, relations, **columns)


@cache
def _builtin() -> Callable[..., list[float]]:
    return reward_in(load_world("kinship-v1"))  # it has every relation of kinship too


def _text(completion: Completion) -> str:
    return completion if isinstance(completion, str) else str(completion[-1].get("content") or "")
