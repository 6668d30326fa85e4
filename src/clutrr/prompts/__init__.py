"""Questions for language models: puzzles as chat messages.

text      the words of a prompt, and their version                        PROMPT_VERSION
prompter  puzzles to messages, with worked examples from train             Prompter, Prompt, PromptConfig
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
