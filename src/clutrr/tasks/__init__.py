"""The questions in the frameworks that people already use.

questions      items of a stream as messages, for TRL and `datasets`               Questions
difficulty     how hard they are, levels, and what moves between them              LEVELS, Controller
inspect_task   a task for Inspect: `inspect eval clutrr/kinship`                   extra `inspect`
gym            a data set and a curriculum for reasoning-gym                       extra `rl`
lm_eval/       a folder of tasks for the language model evaluation harness
"""

from pathlib import Path

from clutrr.tasks.difficulty import LEVELS, Controller, Difficulty
from clutrr.tasks.questions import Questions

LM_EVAL = Path(__file__).parent / "lm_eval"

__all__ = ["LEVELS", "LM_EVAL", "Controller", "Difficulty", "Questions"]
