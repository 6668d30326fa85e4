"""The progress of an experiment's trainings, on standard error."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from clutrr.cli.show import say, shown

if TYPE_CHECKING:
    from clutrr.experiment.cells import CellProgress
    from clutrr.scoring import Result


class Watch:
    """Lines for a file or a pipe: what is going on, and each finished training."""

    def __init__(self, cells: int) -> None:
        self.cells = cells
        self.finished = 0

    def say(self, text: str) -> None:
        say(text, file=sys.stderr, flush=True)

    def show(self, progress: "CellProgress") -> None:
        """Do nothing: a line for each finished training is enough."""

    def finish(self, result: "Result") -> None:
        self.finished += 1
        tested = ", ".join(f"{subset} {score.accuracy:.1f}" for subset, score in result.tested.items())
        seconds = 0.0 if result.training is None else result.training.seconds
        self.say(f"[{self.finished} of {self.cells}] {result.name}: {tested} % in {seconds:.0f} s")


class _LiveWatch(Watch):
    """Bars for a terminal: one for the whole run and one for each training at work."""

    def __init__(self, cells: int, bar: Any) -> None:
        super().__init__(cells)
        self._bar = bar
        self._whole = bar.add_task("all", total=cells, about="")
        self._cells: dict[str, Any] = {}
        self._shares: dict[str, float] = {}

    def say(self, text: str) -> None:
        self._bar.console.print(shown(text), highlight=False, markup=False)

    def show(self, progress: "CellProgress") -> None:
        name = progress.name
        self._shares[name] = progress.share
        self._bar.update(self._whole, completed=sum(self._shares.values()))
        if progress.share >= 1:
            if name in self._cells:
                self._bar.remove_task(self._cells.pop(name))
            return
        if name not in self._cells:
            self._cells[name] = self._bar.add_task(shown(name), total=1, about="")
        accuracy = "" if progress.accuracy is None else f"accuracy {progress.accuracy:.1f} %"
        self._bar.update(self._cells[name], completed=progress.share, about=accuracy)

    def finish(self, result: "Result") -> None:
        self.finished += 1
        self._bar.update(self._whole, about=f"{self.finished} of {self.cells} finished")


@contextmanager
def watch(cells: int) -> Iterator[Watch]:
    """Bars while standard error is a terminal, else lines."""
    if not sys.stderr.isatty():
        yield Watch(cells)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(30),
        TaskProgressColumn(),
        TextColumn("{task.fields[about]}", markup=False),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield _LiveWatch(cells, bar)
