"""The words of a prompt. Whoever changes any of them raises the version."""

import re
from collections.abc import Sequence

from clutrr.puzzle import CANNOT_BE_TOLD
from clutrr.scoring import Asked
from clutrr.world import Assumption, World
from clutrr.world.steps import Step, Word

PROMPT_VERSION = "1"

_BRACKETED = re.compile(r"\[([^\[\]]*)\]")

_OPENING = "Read the story, then answer the question about two of its people."
_KIN = (
    "Everybody has exactly one mother and one father, who are married to each other, and at most one spouse. "
    "Spouses are a woman and a man. Nobody is their own ancestor, and nobody marries a blood relative. "
    "Different names are different people. There may be people whom the story does not mention. "
    "Somebody's sex is known only from what the story says."
)
_TREE = (
    "No two families are linked by more than one marriage: for example, two brothers never marry two sisters."
)
_REPLY = {
    "direct": "Reply with one line and nothing else, in this form:\nAnswer: {form}",
    "reason": "Reason step by step. Then end your reply with one line in this form:\nAnswer: {form}",
}
# What needs no explanation.
_PLAIN = (((Step.PARENT,),), ((Step.CHILD,),), ((Step.SPOUSE,),))


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
    parts = ["Take this for granted.", _KIN]
    if assume is Assumption.TREE:
        parts.append(_TREE)
    meant = [
        f"{' or '.join(kind.relations)}: {' or '.join(map(_meaning, kind.words))}"
        for kind in world.kinds
        if kind.words not in _PLAIN
    ]
    if meant:
        parts.append(f"What is meant: {'; '.join(meant)}.")
    return " ".join(parts)


def _meaning(word: Word) -> str:
    """The way to a relative, nearest person last."""
    if word == (Step.SIBLING,):
        return "another child of both parents"
    return " of a ".join(step.name.lower() for step in reversed(word))


def question(query: Sequence[str], asked: Asked) -> str:
    """The question in plain words; the second person is asked about, seen from the first."""
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
