"""A data set for reasoning-gym: `import clutrr.tasks.gym`, then `reasoning_gym.create_dataset("clutrr")`.

Item i is item i of a stream. The curriculum makes questions harder along every axis of `Difficulty`.
"""

from dataclasses import dataclass
from typing import Any

from reasoning_gym.coaching import (
    BaseCurriculum,
    RangeAttributeDefinition,
    ScalarAttributeDefinition,
)
from reasoning_gym.factory import ProceduralDataset, register_dataset

from clutrr._config import DEFAULT_WORLD, STYLES, Config, PromptConfig
from clutrr._generate.generate import stream
from clutrr._score.replies import AnswerReader, QuestionForm
from clutrr._worlds import load_world
from clutrr.tasks.difficulty import Difficulty
from clutrr.tasks.questions import Questions

NAME = "clutrr"
_AXES = ("k", "routes", "noise", "distractors", "style", "undetermined", "world")


@dataclass
class StreamConfig:
    """What a stream has, see `Difficulty`. Several routes, and prose, are for the worlds that have them.

    preset: unless a share of the questions is undetermined. disjoint: what train and test of one seed do not
    share, such as "wordings,names". form, direct: see `PromptConfig`.
    """

    min_k: int = min(Config.k)
    max_k: int = max(Config.k)
    min_routes: int = 1
    max_routes: int = 1
    noise: int = 0
    distractors: int = Config.distractors
    style: str = Config.style
    undetermined: float = 0.0
    world: str = DEFAULT_WORLD
    preset: str | None = Config.preset
    split: str = "train"
    disjoint: str = ""
    form: str = PromptConfig.form
    direct: bool = PromptConfig.direct
    seed: int | None = None
    size: int = 500

    def validate(self) -> None:
        assert 1 <= self.min_k <= self.max_k, "min_k must be from 1 to max_k"
        assert 1 <= self.min_routes <= self.max_routes, "min_routes must be from 1 to max_routes"
        PromptConfig(self.form, self.direct)

    @property
    def difficulty(self) -> Difficulty:
        world = load_world(self.world)
        routes = (
            range(self.min_routes, self.max_routes + 1) if world.theory.several_routes else (1,)
        )
        others = {axis: getattr(self, axis) for axis in _AXES[2:]}
        if world.lexicon.prose is None:
            others["style"] = STYLES[0]
        return Difficulty(tuple(range(self.min_k, self.max_k + 1)), tuple(routes), **others)


class StreamDataset(ProceduralDataset):
    """Stories whose answers are proved."""

    def __init__(self, config: StreamConfig) -> None:
        super().__init__(config=config, seed=config.seed, size=config.size)
        self._difficulty = config.difficulty
        settings = self._difficulty.settings
        if not config.undetermined:
            settings["preset"] = config.preset
        made = stream(
            seed=self.seed, split=config.split, disjoint=config.disjoint or (), **settings
        )
        self._questions = Questions(made, form=config.form, direct=config.direct)
        self._reader = AnswerReader(made.world)

    def __getitem__(self, idx: int) -> dict[str, Any]:
        row = self._questions[idx].to_dict()
        (*_, message), answer = row.pop("messages"), row.pop("answer")
        difficulty = {axis: getattr(self._difficulty, axis) for axis in _AXES}
        about = {"source_dataset": NAME, "source_index": idx, **row, "difficulty": difficulty}
        return {"question": message["content"], "answer": answer, "metadata": about}

    def score_answer(self, answer: str | None, entry: dict[str, Any]) -> float:
        """1 for the right answer, else 0. answer: what a reply gives, or the whole reply."""
        found = self._reader.read(answer or "", QuestionForm.of_row(entry["metadata"]))
        return float(found.value == entry["answer"])


class StreamCurriculum(BaseCurriculum):
    """Harder along every axis, together or one by one."""

    def __init__(self) -> None:
        super().__init__(StreamCurriculum.__name__, StreamConfig)
        for name, levels, about in (
            ("k", [2, 3, 4, 5, 6, 8, 10], "Facts on a route between the two entities"),
            ("routes", [1, 2, 3], "Routes between them, in worlds that have several"),
        ):
            ends = {"lower_field_name": f"min_{name}", "upper_field_name": f"max_{name}"}
            self._define_attributes(
                RangeAttributeDefinition(name=name, levels=levels, description=about, **ends)
            )
        worlds = [DEFAULT_WORLD, "order", "directions", "time", "regions"]
        for name, values, about in (
            ("noise", [0, 1, 2, 3], "Facts of each role that are off the routes"),
            ("distractors", [0, 1, 2, 4, 8], "Sentences about each entity alone"),
            ("style", list(STYLES), "How stories are written"),
            ("undetermined", [0.0, 0.2, 0.5], "The share of questions whose answer cannot be told"),
            ("world", worlds, "What the stories are about"),
        ):
            self._define_attributes(
                ScalarAttributeDefinition(
                    name=name, levels=values, description=about, field_name=name
                )
            )


register_dataset(NAME, StreamDataset, StreamConfig, StreamCurriculum)
