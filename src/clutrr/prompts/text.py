"""The words of a prompt. A change to any of them needs a new version."""

import re
from collections.abc import Sequence

from clutrr.puzzle import CANNOT_BE_TOLD
from clutrr.scoring import QuestionForm
from clutrr.world import Assumption, World
from clutrr.world.in_words import assumed, meant

PROMPT_VERSION = "2"

_BRACKETED = re.compile(r"\[([^\[\]]*)\]")

_OPENING = "Read the story, then answer the question about two of its people."
_DIRECT = "Reply with one line and nothing else, in this form:"
_REASONED = "Reason step by step. Then end your reply with one line in this form:"


def without_brackets(text: str) -> str:
    """Return a story as people read it: the names and values without their square brackets."""
    return _BRACKETED.sub(r"\1", text)


def opening(form: str, world: World, relations: bool, undetermined: bool) -> str:
    """Return what to do and which answers there are. undetermined: whether "cannot be told" is one."""
    parts = [_OPENING]
    if world.language.split("-")[0] != "en":
        parts.append(f'The story is in the language "{world.language}".')
    if relations and form == "which":
        parts.append(f"One of these relations holds between them: {', '.join(world.relations)}.")
    if undetermined and form != "choice":
        parts.append(f'If the story leaves several answers possible, the answer is "{CANNOT_BE_TOLD}".')
    return " ".join(parts)


def assumptions(world: World, assume: Assumption) -> str:
    """Return what a reader may take for granted, and what the relations mean."""
    return " ".join(filter(None, ("Take this for granted.", assumed(assume), meant(world))))


def question(query: Sequence[str], asked: QuestionForm) -> str:
    """Return the question in plain words: what the second person is to the first."""
    first, second = query
    if asked.form == "yes-no":
        return f"Question: Is {second} the {asked.relations[0]} of {first}?"
    lines = [f"Question: What is {second} to {first}? Complete the sentence: {second} is the ... of {first}."]
    if asked.form == "choice":
        lines += [f"{letter(number)}) {relation}" for number, relation in enumerate(asked.relations)]
    return "\n".join(lines)


def ending(direct: bool, form: str, undetermined: bool) -> str:
    """Return how the reply should look. direct: without reasoning first."""
    answer = {
        "which": "the relation",
        "yes-no": f"yes, no, or {CANNOT_BE_TOLD}" if undetermined else "yes or no",
        "choice": "the letter",
    }[form]
    return f"{_DIRECT if direct else _REASONED}\nAnswer: <{answer}>"


def answer_line(answer: str) -> str:
    """Return the last line of a right reply."""
    return f"Answer: {answer}"


def letter(number: int) -> str:
    return chr(ord("A") + number)
