"""The words of a prompt. A change to any of them needs a new version."""

import re
from collections.abc import Sequence

from clutrr.puzzle import CANNOT_BE_TOLD
from clutrr.scoring import Asked
from clutrr.world import Assumption, World
from clutrr.world.in_words import assumed, meant

PROMPT_VERSION = "2"

_BRACKETED = re.compile(r"\[([^\[\]]*)\]")

_OPENING = "Read the story, then answer the question about two of its people."
_REPLY = {
    "direct": "Reply with one line and nothing else, in this form:\nAnswer: {form}",
    "reason": "Reason step by step. Then end your reply with one line in this form:\nAnswer: {form}",
}


def without_brackets(text: str) -> str:
    """A story as people read it: the names and values without their square brackets."""
    return _BRACKETED.sub(r"\1", text)


def opening(ask: str, world: World, relations: bool, untold: bool) -> str:
    """What to do, and which answers there are. untold: whether "cannot be told" is one of them."""
    parts = [_OPENING]
    if world.language.split("-")[0] != "en":
        parts.append(f'The story is in the language "{world.language}".')
    if relations and ask == "which":
        parts.append(f"One of these relations holds between them: {', '.join(world.relations)}.")
    if untold and ask != "choice":
        parts.append(f'If the story leaves several answers possible, the answer is "{CANNOT_BE_TOLD}".')
    return " ".join(parts)


def assumptions(world: World, assume: Assumption) -> str:
    """What a reader may take for granted, and what the relations mean."""
    return " ".join(filter(None, ("Take this for granted.", assumed(assume), meant(world))))


def question(query: Sequence[str], asked: Asked) -> str:
    """The question in plain words: what the second person is to the first."""
    first, second = query
    if asked.ask == "yes-no":
        return f"Question: Is {second} the {asked.relations[0]} of {first}?"
    lines = [f"Question: What is {second} to {first}? Complete the sentence: {second} is the ... of {first}."]
    if asked.ask == "choice":
        lines += [f"{letter(number)}) {relation}" for number, relation in enumerate(asked.relations)]
    return "\n".join(lines)


def reply_form(style: str, ask: str, untold: bool) -> str:
    """How the reply should look."""
    form = {
        "which": "the relation",
        "yes-no": f"yes, no, or {CANNOT_BE_TOLD}" if untold else "yes or no",
        "choice": "the letter",
    }[ask]
    return _REPLY[style].format(form=f"<{form}>")


def answer_line(answer: str) -> str:
    """The last line of a right reply."""
    return f"Answer: {answer}"


def letter(number: int) -> str:
    return chr(ord("A") + number)
