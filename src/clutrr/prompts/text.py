"""The words of a prompt. A change to any of them needs a new version."""

from clutrr.puzzle import CANNOT_BE_TOLD
from clutrr.scoring.answers import QuestionForm
from clutrr.world import World
from clutrr.world.phrases import Phrases

PROMPT_VERSION = "3"


def opening(form: str, world: World, relations: bool, undetermined: bool) -> str:
    """Return what to do and which answers there are. undetermined: whether "cannot be told" is one."""
    say = world.lexicon.phrases.say
    parts = [say("read", entities=world.lexicon.phrases.entities)]
    if world.lexicon.language.split("-")[0] != "en":
        parts.append(say("language", language=world.lexicon.language))
    if form == "choice":
        parts.append(say("offered"))
    elif relations:
        parts.append(say("one of", relations=", ".join(dict.fromkeys(world.relations))))
    if undetermined:
        parts.append(say("several", answer=CANNOT_BE_TOLD))
    return " ".join(filter(None, parts))


def granted(world: World, assume: str | None) -> str:
    """Return what a reader may take for granted: an assumption, if one is named, and what relations mean.

    Where a lexicon defines its labels, they are not plain words, and are always explained.
    """
    phrases = world.lexicon.phrases
    defined = phrases.meanings
    told = [
        f"{label}: {defined[label].format(a='X', b='Y')}" for label in world.relations if label in defined
    ]
    meanings = phrases.say("meanings", told="; ".join(told)) if told else ""
    if assume is not None:
        assumed = phrases.assumption(assume, world.theory.assumption(assume).about)
        meanings = " ".join(filter(None, (assumed, meanings or world.theory.meanings(world.labels))))
    return phrases.say("granted", told=meanings) if meanings else ""


def question(asked: QuestionForm, phrases: Phrases) -> str:
    """Return the question in plain words: what the second entity is to the first."""
    first, second = asked.query
    if asked.form == "yes-no":
        return phrases.say("ask", question=phrases.confirm.format(a=first, b=second, r=asked.relations[0]))
    put, complete = (text.format(a=first, b=second, r="...") for text in (phrases.question, phrases.complete))
    lines = [phrases.say("sentence", question=put, sentence=complete)]
    if asked.form == "choice":
        lines += [f"{letter(number)}) {relation}" for number, relation in enumerate(asked.relations)]
    return "\n".join(lines)


def ending(direct: bool, form: str, undetermined: bool, phrases: Phrases) -> str:
    """Return how the reply should look. direct: without reasoning first."""
    either = "yes, no or" if undetermined else "yes or no"
    answer = {"which": "the relation", "yes-no": either, "choice": "the letter"}[form]
    asked = phrases.say(answer, **({"answer": CANNOT_BE_TOLD} if answer == "yes, no or" else {}))
    return f"{phrases.say('direct' if direct else 'reasoned')}\nAnswer: <{asked}>"


def letter(number: int) -> str:
    return chr(ord("A") + number)
