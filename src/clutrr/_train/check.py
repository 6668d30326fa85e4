"""What every model must keep: its scores and its loss are numbers, of the right shape; padding and the other
stories of a batch do not change its answers."""

import pyarrow as pa
import torch
from torch import Tensor

from clutrr._train.run import Run
from clutrr.errors import ConfigError, short
from clutrr.models import Batch, Blueprint, StoryTensors
from clutrr.models.batch import Draw

_STORIES = 6
_ENTITIES = 10_000  # more than a story has
_NO_NUMBERS = "holds nan before any training: look for 0 / 0, log(0) and an empty softmax"
_NEAR = 1e-3  # of two scores that are the same


class _SameVectors(Batch):
    """A batch in which entities have the same random vectors in every story, however many there are."""

    def draw(self, how: Draw, *shape: int) -> Tensor:
        if shape[0] != len(self) or len(shape) == 1:
            return super().draw(how, *shape)
        drawn = how(
            (max(_ENTITIES, shape[1]), *shape[2:]), generator=torch.Generator().manual_seed(0)
        )
        return drawn[: shape[1]].expand(shape)


def check_own_model(run: Run, made_from: Blueprint, table: pa.Table) -> None:
    """Refuse a model that cannot be trained, or whose answer to a story depends on the stories beside it."""
    by_length = sorted(range(len(table)), key=lambda i: len(table["story"][i].as_py()))
    table = table.take(by_length[:: max(1, len(by_length) // _STORIES)])
    model = run.build(made_from).eval()
    together = made_from.encode(table, run.vocabulary, teach=True)
    if not isinstance(together, StoryTensors):
        return

    def batch(stories: StoryTensors, ids: list[int]) -> Batch:
        index = torch.tensor(ids if len(stories) > 1 else [0])
        return _SameVectors(stories, index, torch.Generator().manual_seed(0))

    def scores(stories: StoryTensors, ids: list[int]) -> Tensor:
        with torch.inference_mode():
            found = model(batch(stories, ids))
        _check_scores(found, (len(ids), len(run.vocabulary.relations)))
        return found  # type: ignore[no-any-return]

    every = list(range(len(table)))
    for i, found in enumerate(scores(together, every)):
        alone = scores(made_from.encode(table.slice(i, 1), run.vocabulary), [i])[0]  # type: ignore[arg-type]
        if not torch.allclose(found, alone, rtol=_NEAR, atol=_NEAR):
            story = short(table["id"][i].as_py(), quote=False)
            raise ConfigError(
                f"{run.config.model}: its answer to story {story} changes with padding or with the "
                "other stories of its batch: leave out what is not there (batch.is_node, batch.length, "
                "batch.sentences > 0); see docs/own-model.md",
                setting="model",
            )
    _check_loss(model.train().learn(batch(together, every))[0])


def _check_scores(found: object, shape: tuple[int, int]) -> None:
    if not isinstance(found, Tensor) or found.shape != shape:
        got = list(found.shape) if isinstance(found, Tensor) else type(found).__name__
        raise ConfigError(
            f"its scores are {got}, not {list(shape)}: a row for each story of the batch, "
            "a number for each relation (sizes.relations)",
            setting="model",
        )
    if found.softmax(-1).isnan().any():
        raise ConfigError(f"its output {_NO_NUMBERS}", setting="model")


def _check_loss(loss: object) -> None:
    if not isinstance(loss, Tensor) or loss.shape or not loss.requires_grad:
        raise ConfigError(
            "its loss is not one number that depends on the weights: return a tensor without "
            "dimensions, such as a mean, computed from the scores",
            setting="model",
        )
    if loss.isnan():
        raise ConfigError(f"its loss {_NO_NUMBERS}", setting="model")
