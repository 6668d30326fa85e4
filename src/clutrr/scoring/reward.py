"""Rewards for training, from 0 to 1: in parts that can be weighed, 1 for a reply that is right in them all.

    answer    the right relation, marked once
    kind      an answer of the right kind, whatever its form: "son" where "daughter" is right
    form      an answer of the right kind and of the right form, too
    steps     what follows from several facts and is claimed on the way: one for each fact but the first,
              minus claims that are wrong; restated facts, hedges, denials and long lists do not count
    abstain   "cannot be told" where that is right

A part that does not apply to a question is left out: `abstain` applies where the right answer is "cannot be
told", and the others elsewhere; `kind` and `form` apply where a relation is asked for, `steps` where the
answer takes more than one fact.

The signature is that of a reward function of TRL: lists of the same length by name; those that are not
needed are ignored. The columns are those of a stream's prompts, and of `clutrr prompts`.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from clutrr.config import read_words
from clutrr.errors import ConfigError
from clutrr.facts import shortest_path
from clutrr.puzzle import CANNOT_BE_TOLD, Fact, Puzzle
from clutrr.scoring.answers import AnswerReader, QuestionForm
from clutrr.scoring.steps import Standing, judge_in
from clutrr.world import World, load_world

# A reply as text, or as the messages of a chat, of which the last is the reply.
Completion = str | Sequence[Mapping[str, Any]] | None
WEIGHTS = {"answer": 4.0, "kind": 1.0, "form": 1.0, "steps": 4.0, "abstain": 6.0}
_WORLD = "kinship-v1"  # where no world is named: it has every relation of kinship too


def reward(
    completions: Sequence[Completion],
    answer: Sequence[str],
    ask: Sequence[str] | None = None,
    relations: Sequence[Sequence[str]] | None = None,
    *,
    parts: str | Sequence[str] | Mapping[str, float] = ("answer", "abstain"),
    world: str | World | Sequence[str] = _WORLD,
    **columns: Any,
) -> list[float]:
    """Return what each reply earns: by default 1 if it marks the right answer and no other, else 0.

    - answer, ask, relations: the right ones; how each question was put, and with which relations
    - parts: those that count, ("answer", "steps") or "answer,steps", with the weights of `WEIGHTS`; or with
      your own, {"answer": 3, "steps": 1}
    - world: of all questions, or of each
    - columns: `query`, and for `steps` also `facts` and the assumption, `assume`

    >>> reward(["Answer: son", "son", "Answer: a daughter"], answer=["son", "son", "son"])
    [1.0, 0.0, 0.0]
    >>> reward(["Answer: son", "Answer: daughter"], answer=["son", "son"], parts=("answer", "kind"))
    [1.0, 0.2]
    """
    named = parts if isinstance(parts, Mapping) else read_words(parts, "parts")
    weights = dict(parts) if isinstance(parts, Mapping) else {part: WEIGHTS.get(part, 1.0) for part in named}
    for part, weight in weights.items() or [("", 1.0)]:
        if part not in WEIGHTS:
            raise ConfigError(f"parts: {part!r} is not one of {', '.join(WEIGHTS)}")
        if not weight > 0:
            raise ConfigError(f"parts: {part}: {weight} is not above 0")
    if "steps" in weights and not {"query", "facts"} <= columns.keys():
        raise ConfigError("steps: the columns query and facts are missing; `clutrr prompts` has them")

    if isinstance(completions, str) or isinstance(answer, str) or len(completions) != len(answer):
        raise ConfigError("completions, answer: expected lists of the same length")

    def of_each(given: Any, usual: Any = None) -> Sequence[Any]:
        several = given is not None and not isinstance(given, str | World)
        return [usual if one is None else one for one in (given if several else [given] * len(answer))]

    queries, facts, assumed = (of_each(columns.get(name), ()) for name in ("query", "facts", "assume"))
    asked = [
        QuestionForm(form, tuple(some), tuple(query))
        for form, some, query in zip(of_each(ask, "which"), of_each(relations, ()), queries, strict=True)
    ]
    earned = []
    rows = zip(completions, answer, asked, facts, of_each(world, _WORLD), assumed, strict=True)
    for reply, right, how, stated, told, assume in rows:
        grader = _grader(told, assume or None)
        if how.form != "yes-no" and right != CANNOT_BE_TOLD and right not in grader.world.meaning:
            raise ConfigError(
                f"answer: world {grader.world.name} has no relation {right!r}; name the world: world=..."
            )
        said = reply if isinstance(reply, str) or not reply else reply[-1].get("content")
        found = grader.parts(str(said or ""), right, how, stated if "steps" in weights else None)
        counted = {part: weight for part, weight in weights.items() if part in found}
        total = sum(counted.values()) or 1
        earned.append(sum(found[part] * weight for part, weight in counted.items()) / total)
    return earned


class _Grader:
    """Reads and judges replies to questions about stories of one world."""

    def __init__(self, world: World, assume: str | None) -> None:
        self.world, self._assume, self._reader = world, assume, AnswerReader(world)

    def parts(
        self, reply: str, right: str, asked: QuestionForm, facts: Sequence[Sequence[str]] | None
    ) -> dict[str, float]:
        """Return what each part that applies earns. facts: of the story; None if steps do not count."""
        said = self._reader.read(reply, asked, strict=True)
        if right == CANNOT_BE_TOLD:
            return {"abstain": float(said == right)}
        found = {"answer": float(said == right)}
        meaning = self.world.meaning
        if right in meaning:
            kind, form = meaning[right]
            given = meaning.get(said or "")
            found["kind"] = float(given is not None and given.kind == kind)
            found["form"] = float(given == (kind, form))
        if facts is not None:
            stated = tuple(Fact(*fact) for fact in facts)
            path = shortest_path(stated, *asked.query)
            if path is not None and len(path.numbers) > 1:
                found["steps"] = self._steps(reply, asked.query, stated, len(path.numbers) - 1)
        return found

    def _steps(self, reply: str, query: tuple[str, ...], facts: tuple[Fact, ...], needed: int) -> float:
        """Return the share of the steps to the answer that a reply takes, less what it claims wrongly."""
        first, second = query
        puzzle = Puzzle("", "", "", (first, second), "", len(facts), (), facts, (), "")
        judged = judge_in(self.world, self._assume).judge(reply, puzzle).claims
        most = max(1, len(self.world.kinds) // 2)  # of the relations in a claim: longer lists say too little
        pairs = {
            frozenset((one.said.claim.head, one.said.claim.tail))
            for one in judged
            if one.standing is Standing.ENTAILED
            and one.tight  # a list with something in it that cannot be is a guess
            and not (one.said.denied or one.said.hedged)
            and len(one.said.claim.relations) <= most
        }
        pairs -= {frozenset((fact.head, fact.tail)) for fact in facts}
        if needed > 1 and pairs == {frozenset(query)}:
            return 0.0  # the end without a way to it
        return max(0.0, min(1.0, (len(pairs) - sum(one.wrong for one in judged)) / needed))


@lru_cache(20)
def _grader(world: str | World, assume: str | None) -> _Grader:
    return _Grader(load_world(world), assume)
