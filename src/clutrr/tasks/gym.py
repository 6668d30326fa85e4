"""A data set for reasoning-gym: `import clutrr.tasks.gym`, then `reasoning_gym.create_dataset("clutrr")`.

Item i is a pure function of the config and i. The curriculum asks for more and more facts.
"""

from dataclasses import dataclass
from typing import Any

from reasoning_gym.coaching import BaseCurriculum, RangeAttributeDefinition
from reasoning_gym.factory import ProceduralDataset, register_dataset

from clutrr.measure import numbers
from clutrr.prompts import PROMPT_VERSION, PromptConfig
from clutrr.scoring import AnswerReader, QuestionForm
from clutrr.tasks.questions import Questions

NAME = "clutrr"


@dataclass
class KinshipConfig:
    """min_k, max_k: facts of a route from one entity to the other. routes: how many, such as 1 or 1-3."""

    min_k: int = min(Questions.k)
    max_k: int = max(Questions.k)
    preset: str | None = Questions.preset
    distractors: int = Questions.distractors
    form: str = "which"
    direct: bool = False
    world: str = "kinship"
    routes: str = "1"
    seed: int | None = None
    size: int = 500

    def validate(self) -> None:
        assert 1 <= self.min_k <= self.max_k, "min_k must be from 1 to max_k"
        PromptConfig(self.form, self.direct)


class KinshipDataset(ProceduralDataset):
    """Stories whose answers are proved."""

    def __init__(self, config: KinshipConfig) -> None:
        super().__init__(config=config, seed=config.seed, size=config.size)
        self._questions = Questions(
            config.preset,
            tuple(range(config.min_k, config.max_k + 1)),
            self.seed,
            "train",
            config.distractors,
            config.world,
            PromptConfig(config.form, config.direct),
            numbers(config.routes, "routes"),
        )
        self._reader = AnswerReader(self._questions.loaded)

    def __getitem__(self, idx: int) -> dict[str, Any]:
        prompt = self._questions[idx]
        return {
            "question": prompt.messages[-1]["content"],
            "answer": prompt.answer,
            "metadata": {
                "source_dataset": NAME,
                "source_index": idx,
                "id": prompt.id,
                "k": prompt.k,
                "form": prompt.asked.form,
                "relations": list(prompt.asked.relations),
                "query": list(prompt.query),
                "prompt_version": PROMPT_VERSION,
                "difficulty": {"k": (self.config.min_k, self.config.max_k)},
            },
        }

    def score_answer(self, answer: str | None, entry: dict[str, Any]) -> float:
        """1 for the right answer, else 0. answer: what a reply gives, or the whole reply."""
        about = entry["metadata"]
        asked = QuestionForm(about["form"], tuple(about["relations"]), tuple(about["query"]))
        return float(self._reader.read(answer or "", asked) == entry["answer"])


class KinshipCurriculum(BaseCurriculum):
    """More and more facts on the route."""

    def __init__(self) -> None:
        super().__init__(KinshipCurriculum.__name__, KinshipConfig)
        self._define_attributes(
            RangeAttributeDefinition(
                name="k",
                levels=[2, 3, 4, 5, 6, 8, 10],
                description="Facts on the route between the two entities",
                lower_field_name="min_k",
                upper_field_name="max_k",
            )
        )


register_dataset(NAME, KinshipDataset, KinshipConfig, KinshipCurriculum)
