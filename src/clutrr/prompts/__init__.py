"""Questions for language models: puzzles as chat messages.

text      the words of a prompt, and their version                        PROMPT_VERSION
prompter  puzzles to messages, with worked examples from train            Prompter, Prompt
"""
