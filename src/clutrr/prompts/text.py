"""The words of a prompt. A change to any of them needs a new version."""

from collections.abc import Sequence

from clutrr.puzzle import CANNOT_BE_TOLD
from clutrr.scoring import QuestionForm
from clutrr.world import World
from clutrr.world.phrases import Phrases

PROMPT_VERSION = "3"

_OPENING = "Read the story, then answer the question about two of its {entities}."
_DIRECT = "Reply with one line and nothing else, in this form:"
_REASONED = "Reason step by step. Then end your reply with one line in this form:"

_ONE_OF = "One of these relations holds between them: {relations}."
_OFFERED = "One of the relations offered holds between them."
_SEVERAL = f'If the story leaves several answers possible, the answer is "{CANNOT_BE_TOLD}".'


def opening(form: str, world: World, relations: bool, undetermined: bool) -> str:
    """Return what to do and which answers there are. undetermined: whether "cannot be told" is one."""
    parts = [_OPENING.format(entities=world.lexicon.phrases.entities)]
    if world.lexicon.language.split("-")[0] != "en":
        parts.append(f'The story is in the language "{world.lexicon.language}".')
    if form == "choice":
        parts.append(_OFFERED)
    elif relations:
        parts.append(_ONE_OF.format(relations=", ".join(world.relations)))
    if undetermined:
        parts.append(_SEVERAL)
    return " ".join(parts)


def granted(world: World, assume: str | None) -> str:
    """Return what a reader may take for granted: an assumption, if one is named, and what relations mean.

    Where a lexicon defines its labels, they are not plain words, and are always explained.
    """
    defined = world.lexicon.phrases.meanings
    told = [
        f"{label}: {defined[label].format(a='X', b='Y')}" for label in world.relations if label in defined
    ]
    meanings = f"What the relations of Y to X mean: {'; '.join(told)}." if told else ""
    if assume is not None:
        about = world.theory.assumption(assume).prompt, meanings or world.theory.meanings(world.labels)
        meanings = " ".join(filter(None, about))
    return f"Take this for granted. {meanings}" if meanings else ""


def question(query: Sequence[str], asked: QuestionForm, phrases: Phrases) -> str:
    """Return the question in plain words: what the second entity is to the first."""
    first, second = query
    if asked.form == "yes-no":
        return f"Question: {phrases.confirm.format(a=first, b=second, r=asked.relations[0])}"
    put, complete = (text.format(a=first, b=second, r="...") for text in (phrases.question, phrases.complete))
    lines = [f"Question: {put} Complete the sentence: {complete}"]
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


def letter(number: int) -> str:
    return chr(ord("A") + number)
