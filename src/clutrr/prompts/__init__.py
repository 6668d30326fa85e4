"""Questions for language models: puzzles as chat messages.

text      the words of a prompt, and their version                        PROMPT_VERSION
shots     worked examples from train, with the solver's proof
prompter  puzzles to messages                                             Prompter, Prompt, PromptConfig
"""

from clutrr.config import PromptConfig
from clutrr.prompts.prompter import Prompt, Prompter, prompter_for, prompts_of
from clutrr.prompts.text import PROMPT_VERSION

__all__ = [
    "PROMPT_VERSION",
    "Prompt",
    "PromptConfig",
    "Prompter",
    "prompter_for",
    "prompts_of",
]
