"""Rewards for training, from 0 to 1: in parts that can be weighed, 1 for a reply that is right in them all.

    answer    the right relation, marked once
    kind      an answer of the right kind, whatever its form: "son" where "daughter" is right
    form      an answer of the right kind and of the right form, too
    steps     statements derived on the way to the answer, each from facts and earlier ones: one is needed
              for each fact but the first; a wrong claim cancels one; restated facts, lists, and what is
              doubted, supposed, denied or taken back do not count
    abstain   "cannot be told" where that is right

A part that does not apply to a question is left out: `abstain` applies where the right answer is "cannot be
told", and the others elsewhere; `kind` and `form` apply where a relation is asked for, `steps` where the
answer takes more than one fact.

With `per_step` each reply has a list of `StepReward` instead: which words earn what.

The signature is that of a reward function of TRL: lists of the same length by name; those that are not
needed are ignored. The columns are those of a stream's prompts, and of `clutrr prompts`.
"""

from collections.abc import Callable, Collection, Mapping, Sequence, Set
from functools import lru_cache
from typing import Any, Literal, overload

from clutrr._arguments import public
from clutrr._config import read_words
from clutrr._facts import shortest_path
from clutrr._io.locations import is_location
from clutrr._lexicon import World, builtin_world
from clutrr._puzzle import CANNOT_BE_TOLD, Fact, Puzzle
from clutrr._score.dense import StepReward, at_the_end, earned_by_steps, in_tokens
from clutrr._score.replies import AnswerReader, QuestionForm
from clutrr._score.steps import Reasoning, judge_in
from clutrr._statement import Statement, from_record
from clutrr._worlds import infer_world, load_world
from clutrr.errors import ArgumentError, ConfigError, Give, Hint
from clutrr.theory.given import Given, facts_in, statements_in
from clutrr.theory.registry import RECOGNISED

# A reply as text, or as the messages of a chat, of which the last is the reply.
Completion = str | Sequence[Mapping[str, Any]] | None
WEIGHTS = {"answer": 4.0, "kind": 1.0, "form": 1.0, "steps": 4.0, "abstain": 6.0}
# Of kinship the larger world, which has every relation of the other: replies may name any of them.
_WORLDS = tuple(name for name in RECOGNISED if name != "kinship")


@overload
def reward(
    completions: Sequence[Completion],
    answer: Sequence[str],
    ask: Sequence[str] | None = None,
    relations: Sequence[Sequence[str]] | None = None,
    *,
    parts: str | Sequence[str] | Mapping[str, float] = ...,
    world: str | World | Sequence[str] | None = None,
    per_step: Literal[False] = False,
    **columns: Any,
) -> list[float]: ...
@overload
def reward(
    completions: Sequence[Completion],
    answer: Sequence[str],
    ask: Sequence[str] | None = None,
    relations: Sequence[Sequence[str]] | None = None,
    *,
    parts: str | Sequence[str] | Mapping[str, float] = ...,
    world: str | World | Sequence[str] | None = None,
    per_step: Literal[True],
    tokenizer: Any = None,
    **columns: Any,
) -> list[list[StepReward]]: ...
@public
def reward(
    completions: Sequence[Completion],
    answer: Sequence[str],
    ask: Sequence[str] | None = None,
    relations: Sequence[Sequence[str]] | None = None,
    *,
    parts: str | Sequence[str] | Mapping[str, float] = ("answer", "abstain"),
    world: str | World | Sequence[str] | None = None,
    per_step: bool = False,
    tokenizer: Any = None,
    **columns: Any,
) -> list[float] | list[list[StepReward]]:
    """Return what each reply earns: by default 1 if it marks the right answer and no other, else 0.

    - answer, ask, relations: the right ones; how each question was put, and with which relations
    - parts: those that count, ("answer", "steps") or "answer,steps", with the weights of `WEIGHTS`; or with
      your own, {"answer": 3, "steps": 1}
    - world: of all questions, or of each; None for the built-in one that has their relations
    - per_step: what each claim earns, and last the answer, each with its place in the reply
    - tokenizer: with per_step, a fast tokenizer of Hugging Face: places are counted in its tokens, too
    - columns: `query`, and for `steps` also `facts`, `statements` where there are any, and the assumption, `assume`

    >>> reward(["Answer: son", "son", "Answer: a daughter"], answer=["son", "son", "son"])
    [1.0, 0.0, 0.0]
    >>> reward(["Answer: son", "Answer: daughter"], answer=["son", "son"], parts=("answer", "kind"))
    [1.0, 0.2]
    """
    named = parts if isinstance(parts, Mapping) else read_words(parts, "parts")
    weights = (
        dict(parts)
        if isinstance(parts, Mapping)
        else {part: WEIGHTS.get(part, 1.0) for part in named}
    )
    for part, weight in weights.items() or [("", 1.0)]:
        if part not in WEIGHTS:
            raise ConfigError(f"is not one of {', '.join(WEIGHTS)}", setting="parts", value=part)
        if not isinstance(weight, int | float):
            raise ArgumentError("is not a number", setting="parts", value=weight)
        if not weight > 0:
            raise ConfigError(f"{part}: {weight} is not above 0", setting="parts")
    if "steps" in weights and not {"query", "facts"} <= columns.keys():
        raise ConfigError(
            "the columns query and facts are missing",
            setting="steps",
            hint="`clutrr prompts` has them",
        )

    if tokenizer is not None and not per_step:
        raise ArgumentError(
            "is for rewards by step",
            setting="tokenizer",
            hint=Hint("add {}", (Give("per_step", True),)),
        )

    rows = len(_column("answer", answer, None, _is_text))
    replies = _column("completions", completions, rows, _is_reply)
    queries = _column("query", columns.get("query"), rows, _are_texts, ())
    facts = _column("facts", columns.get("facts"), rows, _are_facts, ())
    others = _column("statements", columns.get("statements"), rows, _are_statements, ())
    assumed = _column("assume", columns.get("assume"), rows, _is_text, "")
    forms = _column("ask", ask, rows, _is_text, "which")
    offered = _column("relations", relations, rows, _are_texts, ())
    asked = [
        QuestionForm(form, tuple(some), tuple(query))
        for form, some, query in zip(forms, offered, queries, strict=True)
    ]
    worlds = _column("world", world, rows, _is_world)
    if any(one is None for one in worlds):
        inferred = _world_of(answer, asked, facts)
        worlds = [inferred if one is None else one for one in worlds]
    earned: list[float] = []
    dense: list[list[StepReward]] = []
    for reply, right, how, stated, further, told, assume in zip(
        replies, answer, asked, facts, others, worlds, assumed, strict=True
    ):
        grader = _grader(told, assume or None)
        if how.form != "yes-no" and right != CANNOT_BE_TOLD and right not in grader.world.meaning:
            raise ConfigError(
                f"is no relation of world {grader.world.name}",
                setting="answer",
                value=right,
                hint=Hint("name the world: {}", (Give("world"),)),
            )
        said = _text_of(reply)
        given = _given(stated, further) if "steps" in weights else None
        found = grader.parts(said, right, how, given)
        counted = {part: weight for part, weight in weights.items() if part in found}
        total = sum(counted.values()) or 1
        shares = {part: weight / total for part, weight in counted.items()}
        earned.append(sum(found[part] * share for part, share in shares.items()))
        if per_step:
            steps: list[StepReward] = []
            if "steps" in found and given is not None:
                steps = grader.step_rewards(said, how.query, given, shares.pop("steps"))
            rest = sum(found[part] * share for part, share in shares.items())
            steps.append(at_the_end(said, rest))
            dense.append(in_tokens(steps, said, tokenizer))
    return dense if per_step else earned


def _column(
    name: str, given: Any, rows: int | None, fits: Callable[[Any], bool], usual: Any = None
) -> Sequence[Any]:
    """Return what is given of each question.

    - given: a list, or one for all questions
    - rows: how many questions there are; None if this list says so
    - fits: whether one is of the right type
    - usual: in the place of what is not given
    """
    several = _is_list(given)
    if rows is None or (name == "completions" and not several):
        if not several:
            raise ArgumentError("is not a list", setting=name, value=given)
        rows = len(given)
    listed = list(given) if several else [given] * rows
    if len(listed) != rows:
        raise ConfigError("expected lists of the same length", setting=f"{name}, answer")
    for one in listed:
        if not (fits(one) or (one is None and name != "answer")):
            raise ArgumentError("is not what a reward needs", setting=name, value=one)
    return [usual if one is None else one for one in listed]


def _is_text(given: Any) -> bool:
    return isinstance(given, str)


def _is_world(given: Any) -> bool:
    return isinstance(given, World) or is_location(given)


def _are_texts(given: Any) -> bool:
    return _is_list(given) and all(map(_is_text, given))


def _are_facts(given: Any) -> bool:
    return _is_list(given) and all(_are_texts(fact) and len(fact) == 3 for fact in given)


def _are_statements(given: Any) -> bool:
    return _is_list(given) and all(isinstance(one, Mapping) for one in given)


def _given(
    facts: Sequence[Sequence[str]], statements: Sequence[Mapping[str, Any]]
) -> tuple[Fact | Statement, ...]:
    """Return the facts and the statements of a story."""
    try:
        others = tuple(map(from_record, statements))
    except ValueError as error:
        raise ConfigError(str(error), setting="statements") from None
    return (*(Fact(*fact) for fact in facts), *others)


def _text_of(reply: Completion) -> str:
    """Return a reply as text: of a chat its last message, of parts of a message those that are text."""
    if isinstance(reply, str):
        return reply
    if not reply:
        return ""
    content = reply[-1].get("content")
    if not isinstance(content, list | tuple):
        return str(content or "")
    parts = (one.get("text", "") if isinstance(one, Mapping) else one for one in content)
    return "\n".join(str(part) for part in parts if part)


def _is_reply(given: Any) -> bool:
    """Return whether it is a text, or the messages of a chat."""
    return _is_text(given) or (_is_list(given) and all(isinstance(one, Mapping) for one in given))


def _is_list(given: Any) -> bool:
    return isinstance(given, Collection) and not isinstance(given, str | bytes | Mapping | Set)


def _world_of(
    answers: Sequence[str], asked: Sequence[QuestionForm], facts: Sequence[Sequence[Sequence[str]]]
) -> World:
    """Return the built-in world of questions that do not name one.

    Where no answer, fact or choice names a relation, any world will do: the right answers are "yes", "no" or
    "cannot be told".
    """
    right = {one for one, how in zip(answers, asked, strict=True) if how.form != "yes-no"}
    listed = {one for how in asked for one in how.relations}
    stated = {fact[1] for story in facts for fact in story}
    relations = frozenset((right | listed | stated) - {CANNOT_BE_TOLD})
    return _world_with(relations) if relations else builtin_world(_WORLDS[0])


@lru_cache(100)
def _world_with(relations: frozenset[str]) -> World:
    return infer_world(relations, among=_WORLDS).world


class _Grader:
    """Reads and judges replies to questions about stories of one world."""

    def __init__(self, world: World, assume: str | None) -> None:
        self.world, self._assume, self._reader = world, assume, AnswerReader(world)

    def parts(
        self, reply: str, right: str, asked: QuestionForm, given: tuple[Given, ...] | None
    ) -> dict[str, float]:
        """Return what each part that applies earns. given: by the story; None if steps do not count."""
        read = self._reader.read(reply, asked)
        said = read.value if read.committed else None
        if right == CANNOT_BE_TOLD:
            return {"abstain": float(said == right)}
        found = {"answer": float(said == right)}
        meaning = self.world.meaning
        if right in meaning:
            kind, form = meaning[right]
            answered = meaning.get(said or "")
            found["kind"] = float(answered is not None and answered.kind == kind)
            found["form"] = float(answered == (kind, form))
        if given is not None:
            taken = steps_taken(reply, asked.query, given, self.world, self._assume)
            if taken is not None:
                found["steps"] = taken
        return found

    def step_rewards(
        self, reply: str, query: Sequence[str], given: Sequence[Given], share: float
    ) -> list[StepReward]:
        """Return what each claim of a reply earns. share: what all steps together do."""
        judged = _judged(reply, query, given, self.world, self._assume)
        return [] if judged is None else earned_by_steps(*judged, share)


def steps_taken(
    reply: str, query: Sequence[str], given: Sequence[Given], world: World, assume: str | None
) -> float | None:
    """Return the share of the steps to the answer that a reply takes, less its wrong claims.

    None where there are no such steps: one fact, or none, joins the two. given: facts, and statements beside them.
    """
    judged = _judged(reply, query, given, world, assume)
    if judged is None:
        return None
    found, needed = judged
    wrong = sum(one.wrong for one in found.claims)
    return max(0.0, min(1.0, (found.progress - wrong) / needed))


def _judged(
    reply: str, query: Sequence[str], given: Sequence[Given], world: World, assume: str | None
) -> tuple[Reasoning, int] | None:
    """Return the reasoning of a reply, and how many steps lead to the answer; None where there are none."""
    first, second = query
    facts, others = tuple(facts_in(given)), statements_in(given)
    puzzle = Puzzle(
        "", "", "", (first, second), "", len(facts), (), facts, (), "", statements=others
    )
    path = shortest_path(puzzle.steps, first, second)
    if path is None or len(path.numbers) < 2:
        return None
    return judge_in(world, assume).judge(reply, puzzle), len(path.numbers) - 1


@lru_cache(20)
def _grader(world: str | World, assume: str | None) -> _Grader:
    return _Grader(load_world(world), assume)
