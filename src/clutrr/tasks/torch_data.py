"""The questions of a stream as a data set of PyTorch."""

from collections.abc import Iterator
from itertools import count
from typing import TYPE_CHECKING, Any

from torch.utils.data import IterableDataset, get_worker_info

if TYPE_CHECKING:
    from clutrr.tasks.questions import Questions


class QuestionData(IterableDataset[dict[str, Any]]):
    """Rows without end, from an item on. Worker w of n has items w, w + n, w + 2n and so on."""

    def __init__(self, questions: "Questions", start: int = 0) -> None:
        self.questions, self.start = questions, start

    def __iter__(self) -> Iterator[dict[str, Any]]:
        worker = get_worker_info()
        first, step = (0, 1) if worker is None else (worker.id, worker.num_workers)
        return map(self.questions.row, count(self.start + first, step))
