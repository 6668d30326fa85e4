"""The words of a prompt. A change to any of them needs a new version."""

from clutrr._lexicon import Speech, World
from clutrr._lexicon.phrases import Phrases
from clutrr._puzzle import CANNOT_BE_TOLD
from clutrr._score.replies import NO, YES, QuestionForm

PROMPT_VERSION = "4"


def opening(form: str, world: World, relations: bool, undetermined: bool) -> str:
    """Return what to do and which answers there are. undetermined: whether "cannot be told" is one."""
    say = world.lexicon.phrases.say
    parts = [say("read", entities=world.lexicon.phrases.entities)]
    if world.lexicon.language.split("-")[0] != "en":
        parts.append(say("language", language=world.lexicon.language))
    if form == "choice":
        parts.append(say("offered"))
    elif relations:
        listed = say("relations").join(dict.fromkeys(world.relations))
        parts.append(say("one of", relations=listed))
    if undetermined:
        parts.append(say("several", answer=say(CANNOT_BE_TOLD)))
    return say("sentences").join(filter(None, parts))


def granted(world: World, assume: str | None) -> str:
    """Return what a reader may take for granted: an assumption, if one is named, and what relations mean.

    Where a lexicon defines its labels, they are not plain words, and are always explained.
    """
    phrases = world.lexicon.phrases
    defined = phrases.meanings
    told = [
        phrases.say("meaning", r=label, told=defined[label].format(a="X", b="Y"))
        for label in world.relations
        if label in defined
    ]
    listed = phrases.say("listed").join(told)
    meanings = phrases.say("meanings", told=listed) if told else ""
    if assume is not None:
        assumed = phrases.assumption(assume, world.theory.assumption(assume).about)
        meanings = meanings or phrases.say("defined") or world.theory.meanings(world.labels)
        meanings = phrases.say("sentences").join(filter(None, (assumed, meanings)))
    return phrases.say("granted", told=meanings) if meanings else ""


def question(asked: QuestionForm, speech: Speech) -> str:
    """Return the question in plain words: what the second entity is to the first."""
    first, second = asked.query
    if asked.form == "yes-no":
        put = speech.ask("confirm", first, second, asked.relations[0])
        return speech.say("ask", question=put)
    put, complete = (speech.ask(form, first, second) for form in ("question", "complete"))
    lines = [speech.say("sentence", question=put, sentence=complete)]
    if asked.form == "choice":
        offered = (speech.say(one) if one == CANNOT_BE_TOLD else one for one in asked.relations)
        lines += [f"{letter(number)}) {relation}" for number, relation in enumerate(offered)]
    return "\n".join(lines)


def ending(direct: bool, form: str, undetermined: bool, phrases: Phrases) -> str:
    """Return how the reply should look. direct: without reasoning first."""
    either = "yes, no or" if undetermined else "yes or no"
    answer = {"which": "the relation", "yes-no": either, "choice": "the letter"}[form]
    asked = phrases.say(answer, answer=phrases.say(CANNOT_BE_TOLD))
    how = phrases.say("direct" if direct else "reasoned")
    return f"{how}\n{phrases.say('answer', answer=f'<{asked}>')}"


def answered(answer: str, phrases: Phrases) -> str:
    """Return the line of a reply that gives an answer."""
    said = phrases.say(answer) if answer in (CANNOT_BE_TOLD, YES, NO) else answer
    return phrases.say("answer", answer=said)


def letter(number: int) -> str:
    return chr(ord("A") + number)
