"""The questions in the frameworks that people already use.

questions      items of a stream as messages, for TRL and `datasets`               Questions
difficulty     how hard they are, levels, and what moves between them              LEVELS, Controller
inspect_task   a task for Inspect: `inspect eval clutrr/kinship`                   extra `inspect`
gym            a data set and a curriculum for reasoning-gym                       extra `rl`
lm_eval/       a folder of tasks for the language model evaluation harness
"""

from pathlib import Path

from clutrr._arguments import public
from clutrr.errors import ConfigError
from clutrr.tasks.books import BookQuestions
from clutrr.tasks.difficulty import LEVELS, Controller, Difficulty
from clutrr.tasks.questions import Questions

LM_EVAL = Path(__file__).parent / "lm_eval"
_PLACES = {"lm-eval": str(LM_EVAL), "inspect": "clutrr/kinship"}

__all__ = [
    "LEVELS",
    "LM_EVAL",
    "BookQuestions",
    "Controller",
    "Difficulty",
    "Questions",
    "task_path",
]


@public
def task_path(framework: str) -> str:
    """Return where an evaluation framework finds our tasks.

    - framework: lm-eval (a folder, for `--include_path`) or inspect (the name of the task)

    >>> task_path("inspect")
    'clutrr/kinship'
    """
    if framework not in _PLACES:
        raise ConfigError(
            f"is not one of {', '.join(_PLACES)}", setting="framework", value=framework
        )
    return _PLACES[framework]
