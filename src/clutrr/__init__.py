"""CLUTRR: stories about relations whose answers are proved.

Make data       generate, stream, book, chains, puzzle, read, write, convert, learn_world
Look at data    info, explore, statements, solve, audit, check_theory
Train and test  train, evaluate, load_run
Ask models      prompts, ask, score, reward, verify, read_answer, task_path
The paper       reproduce, report, plot, paths

Every command of `clutrr --help` is a function of the same name and the same defaults (`clutrr tasks` is
`task_path`). What they exchange: Puzzle, Fact, Entity, Sentence, Statement, World. To extend: the packages
`clutrr.theory`, `clutrr.models` and `clutrr.tasks`. What can go wrong: `clutrr.errors`.

puzzles = clutrr.generate(preset="sound", k=4, size=100, seed=7)
puzzles[0].story, puzzles[0].query, puzzles[0].target
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from clutrr import _version

if TYPE_CHECKING:
    from clutrr import errors
    from clutrr._ask.ask import ask, prompts
    from clutrr._audit.audit import audit
    from clutrr._audit.convert import convert
    from clutrr._books.book import book
    from clutrr._chains.chains import chains
    from clutrr._check_theory import check_theory
    from clutrr._data.given import puzzle, read, write
    from clutrr._explore.explore import explore
    from clutrr._generate.generate import generate, stream
    from clutrr._generate.learn_world import learn_world
    from clutrr._lexicon import World
    from clutrr._paths import paths
    from clutrr._puzzle import Entity, Fact, Puzzle, Sentence
    from clutrr._report.figures import plot
    from clutrr._report.info import info
    from clutrr._report.report import report
    from clutrr._report.reproduce import reproduce
    from clutrr._report.score import score
    from clutrr._score.replies.reader import read_answer
    from clutrr._score.reward import reward
    from clutrr._score.steps import verify
    from clutrr._solve import solve, statements
    from clutrr._statement import Statement
    from clutrr._train.evaluate import evaluate
    from clutrr._train.run import load_run
    from clutrr._train.train import train
    from clutrr._worlds import load_world
    from clutrr.errors import ClutrrError
    from clutrr.tasks import task_path

__version__ = _version.VERSION
__all__ = [
    "ClutrrError",
    "Entity",
    "Fact",
    "Puzzle",
    "Sentence",
    "Statement",
    "World",
    "__version__",
    "ask",
    "audit",
    "book",
    "chains",
    "check_theory",
    "convert",
    "errors",
    "evaluate",
    "explore",
    "generate",
    "info",
    "learn_world",
    "load_run",
    "load_world",
    "paths",
    "plot",
    "prompts",
    "puzzle",
    "read",
    "read_answer",
    "report",
    "reproduce",
    "reward",
    "score",
    "solve",
    "statements",
    "stream",
    "task_path",
    "train",
    "verify",
    "write",
]

# Where each name lives. It is imported when it is first used, so that `import clutrr` takes no time.
_ROOMS = {
    "ask": "_ask.ask",
    "audit": "_audit.audit",
    "book": "_books.book",
    "chains": "_chains.chains",
    "check_theory": "_check_theory",
    "ClutrrError": "errors",
    "convert": "_audit.convert",
    "Entity": "_puzzle",
    "evaluate": "_train.evaluate",
    "explore": "_explore.explore",
    "Fact": "_puzzle",
    "generate": "_generate.generate",
    "info": "_report.info",
    "learn_world": "_generate.learn_world",
    "load_run": "_train.run",
    "load_world": "_worlds",
    "paths": "_paths",
    "plot": "_report.figures",
    "prompts": "_ask.ask",
    "Puzzle": "_puzzle",
    "puzzle": "_data.given",
    "read": "_data.given",
    "read_answer": "_score.replies.reader",
    "report": "_report.report",
    "reproduce": "_report.reproduce",
    "reward": "_score.reward",
    "score": "_report.score",
    "Sentence": "_puzzle",
    "solve": "_solve",
    "Statement": "_statement",
    "statements": "_solve",
    "stream": "_generate.generate",
    "task_path": "tasks",
    "train": "_train.train",
    "verify": "_score.steps",
    "World": "_lexicon",
    "write": "_data.given",
}
_PACKAGES = ("errors", "models", "tasks", "theory")


def __getattr__(name: str) -> Any:
    from clutrr.errors import extras_named

    if name not in _ROOMS and name not in _PACKAGES:
        raise AttributeError(f"module 'clutrr' has no attribute {name!r}")
    with extras_named():
        if name in _PACKAGES:
            value: Any = import_module(f"clutrr.{name}")
        else:
            value = getattr(import_module(f"clutrr.{_ROOMS[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_PACKAGES})
