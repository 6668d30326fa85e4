"""What is given and what follows, in words: facts, alternatives, denials, closures and forms."""

from collections.abc import Sequence

from clutrr._lexicon.components import in_one_phrase
from clutrr._lexicon.world import World
from clutrr._statement import Statement, StatementKind
from clutrr.theory.given import Given
from clutrr.theory.solver import Claim


def say_given(world: World, one: Given) -> str:
    """Return a fact or a statement as a clause."""
    speech = world.speech
    if not isinstance(one, Statement):
        return world.say(*one)
    if one.kind is StatementKind.FORM:
        return speech.say("is", b=one.head, r=say_forms(world, one.relations))
    if one.kind is StatementKind.CLOSURE:
        return _say_closure(world, one)
    if one.kind is not StatementKind.DENIAL:
        return say_claim(world, Claim(one.head, one.relations, one.tail))
    if world.lexicon.phrases.clauses:
        return speech.say("not related", a=one.head, b=one.tail, r=_quoted(world, one.relations))
    return speech.say("is not", b=one.tail, r=speech.relation(one.head, one.relations))


def say_claim(world: World, claim: Claim, verb: str = "is") -> str:
    """Return that one of several relations holds ("is"), or can hold ("can be"), as a clause."""
    head, relations, tail = claim
    speech = world.speech
    if len(relations) == 1:
        return world.say(head, relations[0], tail)
    if not world.lexicon.phrases.clauses:
        kinds = {world.meaning[relation].kind.name for relation in relations}
        phrase = in_one_phrase(world.lexicon.partial, kinds)
        return speech.say(verb, b=tail, r=speech.relation(head, [phrase] if phrase else relations))
    left_out = [relation for relation in world.relations if relation not in relations]
    text = {"is": "related", "can be": "can be related"}[verb]
    if 0 < len(left_out) < len(relations):
        text = {"is": "not related", "can be": "cannot be related"}[verb]
        relations = tuple(left_out)
    return speech.say(text, a=head, b=tail, r=_quoted(world, relations))


def say_forms(world: World, forms: Sequence[str]) -> str:
    """Return what an entity of one of these forms is."""
    phrases = world.lexicon.phrases
    return phrases.say("or").join(phrases.form_names.get(form, form) for form in forms)


def _say_closure(world: World, one: Statement) -> str:
    speech, plurals = world.speech, world.lexicon.phrases.plurals
    groups = _groups(world, one.relations)
    if not all(group in plurals for group in groups):  # a lexicon without these words
        closed = speech.relation(one.head, one.relations)
        if not one.entities:
            return speech.say("nobody", r=closed)
        return speech.say("everybody", r=closed, names=speech.names(one.entities))
    only, several = zip(*(plurals[group] for group in groups), strict=True)
    if not one.entities:
        return speech.say("none", a=one.head, r=speech.say("or").join(several))
    if len(one.entities) == len(groups) == 1:
        return speech.say("is", b=one.entities[0], r=speech.relation(one.head, only))
    closed = speech.relation(one.head, several)
    return speech.say("all", r=closed, names=speech.names(one.entities))


def _groups(world: World, relations: Sequence[str]) -> list[str]:
    """Return the labels, those of a kind together where all of them are there: "daughter/son"."""
    found: dict[str, None] = {}
    for relation in relations:
        words = world.meaning[relation].kind.words
        together = "/".join(dict.fromkeys(words))
        whole = set(words) <= set(relations) and together in world.lexicon.phrases.plurals
        found[together if whole else relation] = None
    return list(found)


def _quoted(world: World, relations: Sequence[str]) -> str:
    """Return labels that do not fit into a sentence by themselves."""
    say = world.speech.say
    *others, last = (say("quoted", r=relation) for relation in relations)
    return f"{say('names').join(others)}{say('or')}{last}" if others else last
