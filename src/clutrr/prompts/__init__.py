"""Questions for language models: puzzles as chat messages.

text      the words of a prompt, and their version                        PROMPT_VERSION
put       how a question is put: which relation, yes or no, a choice
shots     worked examples from train, with the solver's proof
prompter  puzzles to messages                                             Prompter, Prompt, PromptConfig
"""

from clutrr.prompts.prompter import Prompt, PromptConfig, Prompter, prompter_for, prompts_of
from clutrr.prompts.text import PROMPT_VERSION, without_brackets

__all__ = [
    "PROMPT_VERSION",
    "Prompt",
    "PromptConfig",
    "Prompter",
    "prompter_for",
    "prompts_of",
    "without_brackets",
]
