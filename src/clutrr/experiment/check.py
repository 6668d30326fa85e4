"""What every model must keep: padding and the order of a batch do not change its answers."""

from dataclasses import dataclass

import pyarrow as pa
import torch
from torch import Tensor

from clutrr.errors import ConfigError, short
from clutrr.experiment.run import Run
from clutrr.models import Batch, Blueprint, StoryTensors
from clutrr.models.batch import Draw

_STORIES = 6
_NEAR = 1e-3  # of two scores that are the same


@dataclass(frozen=True)
class _SameVectors(Batch):
    """A batch in which a story has the same random vectors wherever it stands. ids: of its stories."""

    ids: tuple[int, ...] = ()

    def draw(self, how: Draw, *shape: int) -> Tensor:
        if shape[0] != len(self):
            return super().draw(how, *shape)
        rows = (how(shape[1:], generator=torch.Generator().manual_seed(one)) for one in self.ids)
        return torch.stack(list(rows))


def check_own_model(run: Run, made_from: Blueprint, table: pa.Table) -> None:
    """Refuse a model whose answer to a story depends on the stories beside it."""
    by_length = sorted(range(len(table)), key=lambda i: len(table["story"][i].as_py()))
    table = table.take(by_length[:: max(1, len(by_length) // _STORIES)])
    model = run.build(made_from).eval()
    together = made_from.encode(table, run.vocabulary)
    if not isinstance(together, StoryTensors):
        return

    def scores(stories: StoryTensors, index: list[int], ids: list[int]) -> Tensor:
        with torch.inference_mode():
            batch = _SameVectors(stories, torch.tensor(index), torch.Generator().manual_seed(0), tuple(ids))
            found: Tensor = model(batch)
            return found

    every = list(range(len(table)))
    found = scores(together, every, every)
    turned = scores(together, every[::-1], every[::-1]).flip(0)
    alone = [scores(made_from.encode(table.slice(i, 1), run.vocabulary), [0], [i])[0] for i in every]  # type: ignore[arg-type]
    for what, others in (("order of a batch", turned), ("padding", torch.stack(alone))):
        for i in every:
            if not torch.allclose(found[i], others[i], rtol=_NEAR, atol=_NEAR):
                raise ConfigError(
                    f"model: {run.config.model}: the {what} changes its answer to story "
                    f"{short(table['id'][i].as_py(), quote=False)}: leave out what is not there "
                    "(batch.is_node, batch.length, batch.sentences > 0; see docs/own-model.md)"
                )
