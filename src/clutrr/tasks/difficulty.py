"""How hard questions are: a point, named levels from easy to hard, and what moves a training between them.

stream = clutrr.stream(**LEVELS["easy"].settings)
controller = Controller(list(LEVELS.values()))
controller.report([1, 0, 1, 1])          # what replies to questions of `controller.point` earned
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from clutrr._config import DEFAULT_WORLD
from clutrr.errors import ConfigError, short


@dataclass(frozen=True)
class Difficulty:
    """Everything that makes questions harder.

    k: facts of a route. routes: how many. noise: facts off the route, of each role. distractors: sentences
    about each entity alone. style: `sentences` or `prose`. undetermined: the share of questions whose answer
    is "cannot be told".
    """

    k: tuple[int, ...] = (2,)
    routes: tuple[int, ...] = (1,)
    noise: int = 0
    distractors: int = 0
    style: str = "sentences"
    undetermined: float = 0.0
    world: str = DEFAULT_WORLD

    @property
    def settings(self) -> dict[str, Any]:
        """Return the arguments of `clutrr.stream`."""
        roles = ("disconnected",) if self.undetermined else ("irrelevant", "disconnected")
        found: dict[str, Any] = {"noise": dict.fromkeys(roles, self.noise)} if self.noise else {}
        if self.undetermined:
            found["undetermined"] = self.undetermined
        about = {
            name: getattr(self, name) for name in ("world", "k", "routes", "distractors", "style")
        }
        return {"preset": "mixed" if self.undetermined else "strict", **about, **found}


LEVELS: Mapping[str, Difficulty] = {
    "first": Difficulty(),
    "easy": Difficulty((2, 3)),
    "medium": Difficulty((3, 4), distractors=1),
    "hard": Difficulty((4, 5, 6), noise=1, distractors=2),
    "harder": Difficulty((5, 6, 7, 8), noise=2, distractors=2, style="prose"),
    "hardest": Difficulty((8, 10), noise=3, distractors=2, style="prose", undetermined=0.3),
}


@dataclass
class Controller:
    """Raises the level where most replies are right, and lowers it where few are.

    A level is judged by `window` scores in a row. To go back where it came from, it needs `patience` such
    windows that agree, so that it does not swing between two levels. Everything follows from the log: what
    was reported, call by call.
    """

    levels: Sequence[Difficulty] = tuple(LEVELS.values())
    raise_at: float = 0.7
    lower_at: float = 0.3
    window: int = 256
    patience: int = 2
    level: int = field(default=0, init=False)
    log: list[list[float]] = field(default_factory=list, init=False)
    _waiting: list[float] = field(default_factory=list, init=False, repr=False)
    _last: int = field(default=0, init=False, repr=False)  # the last move: 1 up, -1 down
    _agreed: int = field(default=0, init=False, repr=False)  # windows in a row that ask to go back

    def __post_init__(self) -> None:
        if not self.levels or not all(isinstance(level, Difficulty) for level in self.levels):
            raise ConfigError(
                "expected a list of Difficulty, such as LEVELS.values()", setting="levels"
            )
        if not 0 <= self.lower_at < self.raise_at <= 1:
            raise ConfigError(
                f"must be below raise_at, {self.raise_at}, from 0 to 1",
                setting="lower_at",
                value=self.lower_at,
            )
        if min(self.window, self.patience) < 1:
            raise ConfigError("at least 1", setting="window, patience")

    @property
    def point(self) -> Difficulty:
        """The current level."""
        return self.levels[self.level]

    def report(self, scores: Iterable[Any]) -> bool:
        """Take what replies to questions of this level earned, from 0 to 1. Returns whether it changed."""
        before = self.level
        try:
            # Of a tensor or an array, too; float() would also read text.
            given = [float("nan" if isinstance(score, str) else score) for score in scores]
        except (TypeError, ValueError, OverflowError, RuntimeError):  # of a number, or of a tensor
            given = [float("nan")]
        if not all(0 <= score <= 1 for score in given):
            raise ConfigError(
                f"expected numbers from 0 to 1, not {short(scores)}", setting="scores"
            )
        self.log.append(given)
        self._waiting += given
        while len(self._waiting) >= self.window:
            share = sum(self._waiting[: self.window]) / self.window
            del self._waiting[: self.window]
            if self._moved((share >= self.raise_at) - (share <= self.lower_at)):
                self._waiting.clear()  # what is left is of another level
        return self.level != before

    def _moved(self, step: int) -> bool:
        back = step == -self._last != 0
        self._agreed = self._agreed + 1 if back else 0
        if (
            not step
            or not 0 <= self.level + step < len(self.levels)
            or (back and self._agreed < self.patience)
        ):
            return False
        self.level, self._last, self._agreed = self.level + step, step, 0
        return True

    def replayed(self, log: Iterable[Iterable[float]]) -> "Controller":
        """Return a controller with these settings after what was reported: how a training is continued."""
        found = replace(self)
        for scores in log:
            found.report(scores)
        return found
