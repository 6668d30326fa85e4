"""Puzzles to the messages of a chat."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import pyarrow.compute as pc

from clutrr.data import Dataset
from clutrr.errors import ConfigError
from clutrr.prompts import text
from clutrr.prompts.put import put
from clutrr.prompts.shots import Shot, shots_of
from clutrr.prompts.text import PROMPT_VERSION
from clutrr.puzzle import CANNOT_BE_TOLD, Puzzle, from_table
from clutrr.scoring import FORMS, QuestionForm
from clutrr.settings import PROMPTS
from clutrr.world import World

OMITTED = ("relations", "assumptions")
_MOST_SHOTS = 64


@dataclass(frozen=True)
class PromptConfig:
    """A way to put questions (see `PromptSettings`)."""

    form: str = PROMPTS["form"]
    direct: bool = PROMPTS["direct"]
    shots: int = PROMPTS["shots"]
    omit: Sequence[str] = PROMPTS["omit"]

    def __post_init__(self) -> None:
        for name, values, known in (("form", (self.form,), FORMS), ("omit", self.omit, OMITTED)):
            for value in values:
                if value not in known:
                    raise ConfigError(f"{name}: {value!r} is not one of {', '.join(known)}")
        if not 0 <= self.shots <= _MOST_SHOTS:
            raise ConfigError(f"shots: {self.shots} is not from 0 to {_MOST_SHOTS}")


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
        return put(puzzle, self.config.form, self.world, self._undetermined)

    def _message(self, puzzle: Puzzle, asked: QuestionForm) -> str:
        story = text.without_brackets(puzzle.story).strip()
        question = text.question(puzzle.query, asked, self.world.lexicon.phrases)
        return f"Story: {story}\n\n{question}\n\n{self._ending}"


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
