"""The questions of a stream as a data set of PyTorch."""

from collections.abc import Iterator
from itertools import count
from typing import TYPE_CHECKING, Any

from torch.utils.data import IterableDataset, get_worker_info

from clutrr.errors import ConfigError

if TYPE_CHECKING:
    from clutrr.tasks.questions import Questions


class QuestionData(IterableDataset[dict[str, Any]]):
    """Rows without end, from an item on. Worker w of n has batches w, w + n, w + 2n and so on."""

    def __init__(self, questions: "Questions", start: int = 0, batch_size: int = 1) -> None:
        if start < 0 or batch_size < 1:
            raise ConfigError(f"start: {start}, batch_size: {batch_size}; at least 0, and at least 1")
        self.questions, self.start, self.batch_size = questions, start, batch_size

    def __iter__(self) -> Iterator[dict[str, Any]]:
        worker = get_worker_info()
        first, step = (0, 1) if worker is None else (worker.id, worker.num_workers)
        size = self.batch_size
        for batch in count(self.start + first * size, step * size):
            yield from map(self.questions.row, range(batch, batch + size))
