"""Puzzles to the messages of a chat, with worked examples: training puzzles, and how one gets to their answers.

The relations that are offered beside the right one have its form if there are enough of those, so that
the form alone does not give the answer away. Which they are, and their order, depends only on the
puzzle's id.

An answer follows from the story and from what its prompt takes for granted: an assumption, and that one of
the relations listed, or offered, holds. Where these leave several answers, the right one is "cannot be told".
"""

import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import islice, repeat, zip_longest
from typing import Any, TypeVar

from clutrr._ask import prompt_text as text
from clutrr._ask.prompt_text import PROMPT_VERSION
from clutrr._ask.worked import WorkedExamples
from clutrr._config import PromptConfig
from clutrr._data import Dataset
from clutrr._data.yes_no import asked_relations
from clutrr._lexicon import World, speaking
from clutrr._puzzle import CANNOT_BE_TOLD, Fact, Puzzle
from clutrr._score.replies import QuestionForm
from clutrr._sentences import unbracketed
from clutrr._statement import Statement, to_record
from clutrr._table import from_table
from clutrr.errors import ConfigError, DataError, Give, Hint

T = TypeVar("T")
_OFFERED = 4  # relations to choose from
_CONSIDERED = 6  # examples that are worked out for each one that is shown
LOOKED_AT = 500  # stories that are searched for examples
_Shot = tuple[Puzzle, str]  # an example: a puzzle, and how one gets to its answer, in words


@dataclass(frozen=True)
class Prompt:
    """A question for a language model. answer: the right one. asked: how it was put. target: the puzzle's.

    facts, statements: what its story states.
    """

    id: str
    subset: str
    k: int
    messages: tuple[dict[str, str], ...]
    answer: str
    asked: QuestionForm
    target: str
    facts: tuple[Fact, ...] = ()
    statements: tuple[Statement, ...] = ()

    @property
    def digest(self) -> str:
        """Return a checksum of the messages."""
        return sha256(json.dumps(self.messages).encode()).hexdigest()[:16]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON lines."""
        return {
            "id": self.id,
            "subset": self.subset,
            "k": self.k,
            "messages": list(self.messages),
            "answer": self.answer,
            "ask": self.asked.form,
            "relations": list(self.asked.relations),
            "query": list(self.asked.query),
            "facts": [list(fact) for fact in self.facts],
            **({"statements": list(map(to_record, self.statements))} if self.statements else {}),
            "target": self.target,
            "prompt_version": PROMPT_VERSION,
        }


class Prompter:
    """Puts the questions of one world.

    assume: which scenes are possible. undetermined: whether "cannot be told" may be an answer.
    examples: puzzles to choose worked examples from.
    """

    def __init__(
        self,
        world: World,
        assume: str,
        config: PromptConfig = PromptConfig(),  # noqa: B008  it is frozen
        *,
        undetermined: bool = False,
        examples: Iterable[Puzzle] = (),
    ) -> None:
        weakest = world.theory.assumption().name
        if "assumptions" in config.omit and assume != weakest:
            raise ConfigError(
                f"assumptions: the answers rest on `{assume}`, so the prompts have to state it",
                setting="omit",
                hint=f"use data that assumes `{weakest}`",
            )
        language = config.prompt_language
        self.world = replace(world, lexicon=speaking(world.lexicon, world.theory.name, language))
        self.config = config
        self._undetermined = undetermined
        self.listed = config.form == "choice" or "relations" not in config.omit
        self._solver = world.theory.solver(world.labels, assume)
        opening = text.opening(
            config.form, self.world, "relations" not in config.omit, undetermined
        )
        granted = text.granted(self.world, None if "assumptions" in config.omit else assume)
        self._opening = "\n\n".join(filter(None, (opening, granted)))
        self._phrases = self.world.lexicon.phrases
        self._ending = text.ending(config.direct, config.form, undetermined, self._phrases)
        self._worked = WorkedExamples(self.world, self._solver)
        self.shots = self._choose([*examples]) if config.shots else []

    def prompt(self, puzzle: Puzzle, subset: str = "") -> Prompt:
        """Return the messages that ask for the answer to a puzzle, and the right answer."""
        others = [shot for shot in self.shots if _scene(shot[0]) != _scene(puzzle)][
            : self.config.shots
        ]
        if len(others) < self.config.shots:
            raise ConfigError(
                f"too few examples of other scenes for the story {puzzle.id!r}", setting="shots"
            )
        said = []
        for example, proof in others:
            asked, answer = self._put(example)
            why = "" if self.config.direct else f"{proof}\n"
            if asked.form == "choice":
                answer = text.letter(asked.relations.index(answer))
            said += [
                ("user", self._message(example, asked)),
                ("assistant", f"{why}{text.answered(answer, self._phrases)}"),
            ]
        asked, answer = self._put(puzzle)
        said.append(("user", self._message(puzzle, asked)))
        said[0] = "user", f"{self._opening}\n\n{said[0][1]}"
        return Prompt(
            puzzle.id,
            subset or f"M{puzzle.k}",
            puzzle.k,
            tuple({"role": role, "content": content} for role, content in said),
            answer,
            asked,
            puzzle.target,
            puzzle.facts,
            puzzle.statements,
        )

    def _put(self, puzzle: Puzzle) -> tuple[QuestionForm, str]:
        """Return the form of a puzzle's question, and the right answer."""
        if confirmed := asked_relations(puzzle):
            return QuestionForm("yes-no", confirmed, puzzle.query), puzzle.target
        form, possible = self.config.form, self._possible(puzzle)
        target = possible[0] if len(possible) == 1 else CANNOT_BE_TOLD
        if form == "which":
            return QuestionForm(query=puzzle.query), target
        if CANNOT_BE_TOLD in possible:
            raise DataError(
                f"its answer is {CANNOT_BE_TOLD!r}, and its column `possible` is empty",
                place=f"puzzle {puzzle.id!r}",
                hint=Hint("use {}", (Give("form", "which"),)),
            )
        drawn = random.Random(sha256(f"{form} {puzzle.id}".encode()).digest())
        others = _others(possible, self.world, drawn)
        if form == "yes-no":  # in half of the questions, about a relation that is possible
            about = drawn.choice(possible) if drawn.random() < 0.5 or not others else others[0]
            relations: tuple[str, ...] = (about,)
        else:
            offered = [*possible, *others][:_OFFERED]
            drawn.shuffle(offered)
            relations = (*offered, *([CANNOT_BE_TOLD] if self._undetermined else []))
        asked = QuestionForm(form, relations, puzzle.query)
        return asked, asked.right(target, possible)

    def _possible(self, puzzle: Puzzle) -> Sequence[str]:
        """Return what the story leaves possible; the target alone, where the data does not say."""
        possible, outside, listed = puzzle.possible, puzzle.outside, self.listed
        if puzzle.given and (
            (possible is None and self._undetermined) or (outside is None and not listed)
        ):
            verdict = self._solver.verdict(puzzle.given, puzzle.query)
            if verdict.decided:
                possible, outside = verdict.relations, verdict.outside
        possible = possible or (puzzle.target,)
        if len(possible) == 1 and outside is not False and not listed:
            raise _unlisted()
        return possible

    def _choose(self, examples: Sequence[Puzzle]) -> list[_Shot]:
        """Return examples with a proved answer; then as many of other scenes, for questions about those."""
        found = self._proved(examples)
        scenes = {_scene(puzzle) for puzzle, _ in found}
        return found + self._proved(one for one in examples if _scene(one) not in scenes)

    def _proved(self, examples: Iterable[Puzzle]) -> list[_Shot]:
        """Return the first examples with a proved answer, one for each answer before any second one.

        Those whose every step concludes a single relation come before the others.
        """
        number = self.config.shots
        found: list[tuple[bool, _Shot]] = []
        for puzzle in examples:
            if len(found) >= _CONSIDERED * number:
                break
            verdict = self._solver.verdict(self._solver.plain(puzzle.given), puzzle.query)
            several = puzzle.target == CANNOT_BE_TOLD and len(verdict.relations) > 1
            if several or verdict.relations == (puzzle.target,):
                solution, named = self._worked.solution(puzzle, verdict.relations)
                found.append((named, (puzzle, solution)))
        found.sort(key=lambda one: not one[0])  # stable: otherwise in their order
        first: dict[str, _Shot] = {}
        others: list[_Shot] = []
        for _, shot in found:
            if first.setdefault(shot[0].target, shot) is not shot:
                others.append(shot)
        return [*first.values(), *others][:number]

    def _message(self, puzzle: Puzzle, asked: QuestionForm) -> str:
        story = unbracketed(puzzle.story).strip()
        question = text.question(asked, self.world.speech)
        if asked_relations(puzzle) and puzzle.question:  # as the data puts it
            several = f" ({', '.join(asked.relations)})" if len(asked.relations) > 1 else ""
            put = f"{puzzle.question}{several}"
            question = self.world.speech.say("ask", question=put)
        told = self.world.lexicon.phrases.say("story", story=story)
        return f"{told}\n\n{question}\n\n{self._ending}"


def _others(possible: Sequence[str], world: World, drawn: random.Random) -> list[str]:
    """Return the relations that are not possible, in random order, those of the right one's form first."""
    form = world.meaning[possible[0]].form
    others = [relation for relation in dict.fromkeys(world.relations) if relation not in possible]
    drawn.shuffle(others)
    return sorted(others, key=lambda relation: world.meaning[relation].form != form)


def prompter_for(data: Dataset, config: PromptConfig) -> Prompter:
    """Return a prompter for the puzzles of a data set, with examples from its train stories."""
    assume = data.assume or data.world.theory.assumption().name
    undetermined = unsure = False
    confirming = set[bool]()
    for puzzle in data.puzzles():
        confirming.add(bool(asked_relations(puzzle)))
        if True in confirming:
            continue
        number = len(puzzle.possible or ())
        # Where the data names its assumption, what nobody has counted is counted when it is put.
        several = number > 1 or (puzzle.possible is None and data.assume is not None)
        undetermined |= several or puzzle.target == CANNOT_BE_TOLD
        unsure |= number == 1 and bool(puzzle.outside)
    if len(confirming) > 1:
        raise DataError(
            "some of its questions ask for yes or no, and others which relation holds",
            place=data.path,
            hint="put those of each kind into a folder of their own",
        )
    if True in confirming:
        config = replace(config, form="yes-no")
    prompter = Prompter(
        data.world, assume, config, undetermined=undetermined, examples=_examples(data)
    )
    if unsure and not prompter.listed:
        raise _unlisted()
    return prompter


def _unlisted() -> ConfigError:
    return ConfigError(
        "relations: some answers hold only if one of the relations does, so the prompts have to "
        "list them",
        setting="omit",
        hint="use data whose answers are entailed, as those of preset strict",
    )


def _examples(data: Dataset) -> Iterator[Puzzle]:
    """Yield the first train stories of every subset in turn."""
    try:
        subsets = data.split("train")
    except DataError as error:
        raise DataError(f"examples come from train; {error}", setting="shots") from None
    first = (from_table(table.slice(0, LOOKED_AT)) for table in subsets.values())
    yield from islice(in_turn(*first), LOOKED_AT)


def prompts_of(
    data: Dataset, prompter: Prompter, split: str, limit: int | None = None
) -> Iterator[Prompt]:
    """Yield the prompts of a split by subset. limit: at most this many in all, spread over the subsets."""
    if limit is not None and limit < 1:
        raise ConfigError("is below 1", setting="limit", value=limit)
    subsets = data.split(split)
    turns = in_turn(*(repeat(subset, len(table)) for subset, table in subsets.items()))
    shares = Counter(islice(turns, limit))
    for subset, table in subsets.items():
        for puzzle in from_table(table.slice(0, shares[subset])):
            yield prompter.prompt(puzzle, subset)


def in_turn(*several: Iterable[T]) -> Iterator[T]:
    """Yield the first of each, then the second of each, and so on."""
    for turn in zip_longest(*several):
        yield from (one for one in turn if one is not None)


def _scene(puzzle: Puzzle) -> str:
    return puzzle.scene or puzzle.story
