"""CLUTRR: stories about relations whose answers are proved.

generate    puzzles of a preset and length                 Puzzle, Fact, Entity, Sentence
stream      puzzles without end
read        the puzzles of a file, folder or frame         load_world, World
write       puzzles to a file or folder
solve       what a story leaves possible, with a proof
audit       what a data set is worth
train       a model on a data set
evaluate    what it answers
score       anybody's answers
reward      replies of a model in training
reproduce   a whole experiment
report      an experiment that was run
verify      what a reply claims, step by step

puzzles = clutrr.generate(preset="sound", k=4, size=100, seed=7)
puzzles[0].story, puzzles[0].query, puzzles[0].target
"""

import re
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from inspect import isfunction
from typing import TYPE_CHECKING, Any

from clutrr import version

if TYPE_CHECKING:
    from clutrr.api import (
        audit,
        evaluate,
        generate,
        read,
        report,
        reproduce,
        score,
        stream,
        train,
        write,
    )
    from clutrr.errors import ClutrrError
    from clutrr.puzzle import Entity, Fact, Puzzle, Sentence
    from clutrr.scoring.reward import reward
    from clutrr.scoring.steps import verify
    from clutrr.solver import solve
    from clutrr.world import World, load_world

__version__ = version.VERSION
__all__ = ["ClutrrError", "Entity", "Fact", "Puzzle", "Sentence", "World", "__version__", "load_world"]
__all__ += ["audit", "evaluate", "generate", "read", "report", "reproduce", "reward", "score", "solve"]
__all__ += ["stream", "train", "verify", "write"]

# Where the public names live, if not in the api; they are imported when first used.
_ELSEWHERE = {
    "ClutrrError": "clutrr.errors",
    **dict.fromkeys(("Entity", "Fact", "Puzzle", "Sentence"), "clutrr.puzzle"),
    **dict.fromkeys(("World", "load_world"), "clutrr.world"),
    "reward": "clutrr.scoring.reward",
    "solve": "clutrr.solver",
    "verify": "clutrr.scoring.steps",
}
_SWITCHES = {
    "force": "force=True",
    "skip-bad": "--skip-bad",  # of the command alone
    "trust": "trust=True",
    "facts": "facts=True",
    "no-brackets": "brackets=False",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'clutrr' has no attribute {name!r}")
    value = getattr(import_module(_ELSEWHERE.get(name, "clutrr.api")), name)
    if isfunction(value):
        value = _speaking_python(value)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _speaking_python(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, whose errors name missing extras, and arguments where those of commands name options."""
    from clutrr.errors import ClutrrError, extras_named

    def argument(option: re.Match[str]) -> str:
        name, value = option[1], option[2] or ""
        quoted = value if value.isdecimal() or not value else f'"{value}"'
        return _SWITCHES.get(name) or f"{name.replace('-', '_')}={quoted}"

    @wraps(function)
    def called(*given: Any, **named: Any) -> Any:
        try:
            with extras_named():
                return function(*given, **named)
        except ClutrrError as error:
            error.args = (re.sub(r"--([a-z][a-z-]*)(?:=([\w=,.-]*\w))?", argument, str(error)),)
            raise

    return called
