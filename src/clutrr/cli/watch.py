"""The progress of an experiment's trainings, on standard error."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from clutrr.cli.show import say, shown

if TYPE_CHECKING:
    from clutrr.experiment.cells import CellProgress
    from clutrr.scoring import Result


class Pace:
    """A count of what is done, and of the time that the rest takes at the pace so far."""

    def __init__(self, cells: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.cells = cells
        self._clock = clock
        self._first: dict[str, tuple[float, float]] = {}  # when a cell was first heard of, and its share then
        self._now: dict[str, float] = {}

    def tell(self, name: str, share: float) -> None:
        self._first.setdefault(name, (self._clock(), share))
        self._now[name] = share

    @property
    def finished(self) -> int:
        return sum(share >= 1 for share in self._now.values())

    @property
    def share(self) -> float:
        return sum(self._now.values()) / self.cells

    def left(self, name: str | None = None) -> float | None:
        """Return the seconds until a cell, or all, is done; None while that is not known.

        What was done before this run counts as done, but not for the pace.
        """
        names = self._now if name is None else [name]
        done = sum(self._now[each] - self._first[each][1] for each in names)
        if done <= 0:
            return None
        rest = (self.cells if name is None else 1) - sum(self._now[each] for each in names)
        started = min(self._first[each][0] for each in names)
        return (self._clock() - started) / done * rest


class Watch:
    """Lines for a file or a pipe: what is going on, and each finished training."""

    def __init__(self, pace: Pace) -> None:
        self.pace = pace

    def say(self, text: str) -> None:
        say(text, file=sys.stderr, flush=True)

    def show(self, progress: "CellProgress") -> None:
        self.pace.tell(progress.name, progress.share)

    def finish(self, result: "Result") -> None:
        tested = ", ".join(f"{subset} {score.accuracy:.1f}" for subset, score in result.tested.items())
        seconds = 0.0 if result.training is None else result.training.seconds
        left = self.pace.left()
        rest = "" if left is None or self.pace.finished == self.pace.cells else f"; {_clock(left)} left"
        self.say(
            f"[{self.pace.finished} of {self.pace.cells}] {result.name}: {tested} % in {seconds:.0f} s{rest}"
        )


class _LiveWatch(Watch):
    """Bars for a terminal: one for the whole run and one for each training at work."""

    def __init__(self, pace: Pace, bar: Any) -> None:
        super().__init__(pace)
        self._bar = bar
        self._whole = bar.add_task("preparing", total=None, about="")
        self._cells: dict[str, Any] = {}

    def say(self, text: str) -> None:
        self._bar.console.print(shown(text), highlight=False, markup=False)

    def show(self, progress: "CellProgress") -> None:
        super().show(progress)
        pace, name = self.pace, progress.name
        about = f"{pace.finished} of {pace.cells} finished{_left(pace.left())}"
        self._bar.update(self._whole, description="all", total=1, completed=pace.share, about=about)
        if progress.share >= 1:
            if name in self._cells:
                self._bar.remove_task(self._cells.pop(name))
            return
        if name not in self._cells:
            self._cells[name] = self._bar.add_task(shown(name), total=1, about="")
        accuracy = "" if progress.accuracy is None else f"accuracy {progress.accuracy:.1f} %"
        about = (accuracy + _left(pace.left(name))).removeprefix(", ")
        self._bar.update(self._cells[name], completed=progress.share, about=about)

    def finish(self, result: "Result") -> None:
        """Do nothing: the bars show it."""


@contextmanager
def watch(cells: int) -> Iterator[Watch]:
    """Bars while standard error is a terminal, else lines."""
    pace = Pace(cells)
    if not sys.stderr.isatty():
        yield Watch(pace)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(30),
        TaskProgressColumn(),
        TextColumn("{task.fields[about]}", markup=False),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield _LiveWatch(pace, bar)


def _left(seconds: float | None) -> str:
    return "" if seconds is None else f", {_clock(seconds)} left"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
