"""Rewards by step in TRL's GRPO: every token learns from what its own step earned, and from what came of it.

    pip install trl
    python examples/train_by_steps.py MODEL OUT --steps 200

GRPO gives all tokens of a reply the same advantage. `StepTrainer` adds to it what the steps from that token on
still earn: a wrong claim counts against the words before it that led there, and not against those after it.
"""

import argparse
from typing import Any

import torch
from trl import GRPOConfig, GRPOTrainer

import clutrr
from clutrr.tasks import Questions

COLUMNS = ("answer", "ask", "relations", "query", "facts", "statements", "assume", "world")
PARTS = ("answer", "steps")


class StepTrainer(GRPOTrainer):
    """GRPO whose advantages differ from token to token. weight: of the steps beside the whole reply."""

    weight = 1.0

    def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> dict[str, Any]:
        made: dict[str, Any] = super()._generate_and_score_completions(inputs)
        columns = {name: [row[name] for row in inputs] for name in COLUMNS if name in inputs[0]}
        ids, mask = made["completion_ids"], made["completion_mask"]  # (batch, tokens)
        texts = self.processing_class.batch_decode(ids, skip_special_tokens=True)
        steps = clutrr.reward(texts, parts=PARTS, per_step=True, **columns)
        to_come = torch.zeros(ids.shape, device=ids.device)
        for row, earned in enumerate(steps):
            ends = self._ends(ids[row])
            for step in earned:
                # All tokens that begin before the step ends have a part in it.
                before = sum(end < step.end for end in ends) + 1
                to_come[row, :before] += step.value
        mean = (to_come * mask).sum(dim=0) / mask.sum(dim=0).clamp(
            min=1
        )  # of all replies, by place
        made["advantages"] = made["advantages"].unsqueeze(1) + self.weight * (to_come - mean) * mask
        return made

    def _ends(self, ids: torch.Tensor) -> list[int]:
        """Return where the text of each token ends."""
        decode = self.processing_class.decode
        return [
            len(decode(ids[: number + 1], skip_special_tokens=True)) for number in range(len(ids))
        ]


def total(completions: list[Any], **columns: Any) -> list[float]:
    """Return the reward of each whole reply."""
    known = {name: value for name, value in columns.items() if name in COLUMNS}
    return clutrr.reward(completions, parts=PARTS, **known)


def trainer(model: Any, out: str, steps: int, **settings: Any) -> StepTrainer:
    """Return a trainer on questions of two and three facts. settings: of the trainer."""
    questions = Questions(clutrr.stream(preset="strict", k=(2, 3), distractors=0))
    config = GRPOConfig(
        output_dir=out,
        max_steps=steps,
        per_device_train_batch_size=8,
        num_generations=8,
        max_completion_length=settings.pop("length", 256),
        report_to=[],
        save_strategy="no",
        use_cpu=not torch.cuda.is_available(),
    )
    return StepTrainer(
        model=model,
        reward_funcs=total,
        train_dataset=questions.to_hf(8 * steps),
        args=config,
        **settings,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", help="a folder or a name on the hub")
    parser.add_argument("out")
    parser.add_argument("--steps", type=int, default=200)
    given = parser.parse_args()
    made = trainer(given.model, given.out, given.steps)
    made.train()
    made.save_model(given.out)


if __name__ == "__main__":
    main()
