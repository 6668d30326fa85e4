"""The questions in the frameworks that people already use.

questions      prompts of a folder, or generated on the fly, endlessly              Questions
inspect_ai     a task for Inspect: `inspect eval clutrr/kinship`                    extra `inspect`
gym            a data set for reasoning-gym                                         extra `rl`
lm_eval/       a folder of tasks for the language model evaluation harness
"""

from pathlib import Path

from clutrr.tasks.questions import Questions

LM_EVAL = Path(__file__).parent / "lm_eval"

__all__ = ["LM_EVAL", "Questions"]
