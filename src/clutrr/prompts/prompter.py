"""Puzzles to the messages of a chat.

The relations that are offered beside the right one have its form if there are enough of those, so that
the form alone does not give the answer away. Which they are, and their order, depends only on the
puzzle's id.
"""

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import pyarrow.compute as pc

from clutrr.config import PromptConfig
from clutrr.data import Dataset
from clutrr.errors import ConfigError, DataError
from clutrr.prompts import text
from clutrr.prompts.shots import Shot, shots_of
from clutrr.prompts.text import PROMPT_VERSION
from clutrr.puzzle import CANNOT_BE_TOLD, Puzzle, from_table
from clutrr.scoring import WHICH, QuestionForm
from clutrr.sentences import unbracketed
from clutrr.world import World

_OFFERED = 4  # relations to choose from


@dataclass(frozen=True)
class Prompt:
    """A question for a language model. answer: the right one. asked: how it was put. target: the puzzle's."""

    id: str
    subset: str
    k: int
    messages: tuple[dict[str, str], ...]
    answer: str
    asked: QuestionForm
    target: str

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
            "prompt_version": PROMPT_VERSION,
        }


class Prompter:
    """Puts the questions of one world.

    assume: which scenes are possible. undetermined: whether "cannot be told" may be an answer.
    shots: examples to choose from.
    """

    def __init__(
        self,
        world: World,
        assume: str,
        config: PromptConfig = PromptConfig(),  # noqa: B008  it is frozen
        *,
        undetermined: bool = False,
        shots: Sequence[Shot] = (),
    ) -> None:
        self.world = world
        self.config = config
        self._undetermined = undetermined
        self._shots = shots
        opening = [text.opening(config.form, world, "relations" not in config.omit, undetermined)]
        if "assumptions" not in config.omit:
            opening.append(text.assumptions(world, assume))
        self._opening = "\n\n".join(opening)
        self._ending = text.ending(config.direct, config.form, undetermined)

    def prompt(self, puzzle: Puzzle, subset: str = "") -> Prompt:
        """Return the messages that ask for the answer to a puzzle, and the right answer."""
        others = [shot for shot in self._shots if not _same_scene(shot.puzzle, puzzle)][: self.config.shots]
        if len(others) < self.config.shots:
            raise ConfigError(f"shots: too few examples of other scenes for the story {puzzle.id!r}")
        said = []
        for shot in others:
            asked = self._put(shot.puzzle)
            proof = "" if self.config.direct else f"{shot.proof}\n"
            answer = text.answer_line(_as_reply(asked, asked.right(shot.puzzle.target, shot.puzzle.possible)))
            said += [("user", self._message(shot.puzzle, asked)), ("assistant", proof + answer)]
        asked = self._put(puzzle)
        said.append(("user", self._message(puzzle, asked)))
        said[0] = "user", f"{self._opening}\n\n{said[0][1]}"
        return Prompt(
            puzzle.id,
            subset or f"M{puzzle.k}",
            puzzle.k,
            tuple({"role": role, "content": content} for role, content in said),
            asked.right(puzzle.target, puzzle.possible),
            asked,
            puzzle.target,
        )

    def _put(self, puzzle: Puzzle) -> QuestionForm:
        return question_form(puzzle, self.config.form, self.world, self._undetermined)

    def _message(self, puzzle: Puzzle, asked: QuestionForm) -> str:
        story = unbracketed(puzzle.story).strip()
        question = text.question(puzzle.query, asked, self.world.lexicon.phrases)
        return f"Story: {story}\n\n{question}\n\n{self._ending}"


def question_form(puzzle: Puzzle, form: str, world: World, undetermined: bool) -> QuestionForm:
    """Return the form of a puzzle's question. undetermined: whether "cannot be told" may be an answer."""
    if form == "which":
        return WHICH
    drawn = random.Random(sha256(f"{form} {puzzle.id}".encode()).digest())
    if form == "yes-no":
        return QuestionForm(form, (_asked_about(puzzle, world, drawn),))
    offered = list(_right(puzzle))[:_OFFERED]
    offered += _others(puzzle, world, drawn)[: _OFFERED - len(offered)]
    drawn.shuffle(offered)
    return QuestionForm(form, (*offered, *([CANNOT_BE_TOLD] if undetermined else [])))


def _asked_about(puzzle: Puzzle, world: World, drawn: random.Random) -> str:
    """Return a relation to ask about: in half of the questions one that is possible."""
    right, others = _right(puzzle), _others(puzzle, world, drawn)
    return drawn.choice(right) if drawn.random() < 0.5 or not others else others[0]


def _right(puzzle: Puzzle) -> Sequence[str]:
    if puzzle.target != CANNOT_BE_TOLD:
        return (puzzle.target,)
    if not puzzle.possible:
        raise DataError(
            f"puzzle {puzzle.id!r}: its answer is {CANNOT_BE_TOLD!r}, and its column `possible` is empty: "
            "use --form which"
        )
    return puzzle.possible


def _others(puzzle: Puzzle, world: World, drawn: random.Random) -> list[str]:
    """Return the relations that are not possible, in random order, those of the right one's form first."""
    right = _right(puzzle)
    form = _form(right[0], world)
    allowed = {*right, *(puzzle.possible or ())}
    others = [relation for relation in world.relations if relation not in allowed]
    drawn.shuffle(others)
    return sorted(others, key=lambda relation: _form(relation, world) != form)


def _form(relation: str, world: World) -> object:
    """Return what the entity adds to the word of a relation."""
    return world.meaning[relation][1]


def prompter_for(data: Dataset, config: PromptConfig) -> Prompter:
    """Return a prompter for the puzzles of a data set, with examples from its train stories."""
    assume = data.assume or data.world.theory.assumption().name
    undetermined = any(
        pc.any(pc.equal(part.table["target"], CANNOT_BE_TOLD)).as_py() for part in data.parts()
    )
    shots = shots_of(data, config.shots, assume)
    return Prompter(data.world, assume, config, undetermined=undetermined, shots=shots)


def prompts_of(data: Dataset, prompter: Prompter, split: str, limit: int | None = None) -> Iterator[Prompt]:
    """Yield the prompts of a split by subset. limit: at most this many in all, spread over the subsets."""
    subsets = data.split(split)
    for subset, share in _shares({name: len(table) for name, table in subsets.items()}, limit).items():
        for puzzle in from_table(subsets[subset].slice(0, share)):
            yield prompter.prompt(puzzle, subset)


def _shares(sizes: dict[str, int], limit: int | None) -> dict[str, int]:
    """Return how many of each subset; what a small subset lacks is taken from the larger ones."""
    if limit is None:
        return sizes
    if limit < 1:
        raise ConfigError(f"limit: {limit} is below 1")
    shares: dict[str, int] = {}
    for waiting, name in zip(range(len(sizes), 0, -1), sorted(sizes, key=sizes.__getitem__), strict=True):
        shares[name] = min(sizes[name], -(-(limit - sum(shares.values())) // waiting))
    return {name: shares[name] for name in sizes}


def _same_scene(one: Puzzle, other: Puzzle) -> bool:
    """Return whether two puzzles are the same, or of the same scene."""
    if one.scene and other.scene:
        return one.scene == other.scene
    return one.story == other.story


def _as_reply(asked: QuestionForm, answer: str) -> str:
    """Return the answer as a reply should give it."""
    return text.letter(asked.relations.index(answer)) if asked.form == "choice" else answer
