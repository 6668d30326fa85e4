"""Rules for the labels of a world, as proofs and those who reason use them: "X meets Y", "X is met by Y"."""

import re
from collections.abc import Iterator

from clutrr._lexicon import World

_BE = re.compile(r"(?:is|was) ")
_PLAIN = re.compile(r"[\w' {}-]+")


def kin_rules(world: World) -> str:
    """Return the rules of labels as names, "the relation of Bob to Ann is son", for reasoning.grammar."""
    lines = ["LabelName:"]
    for word, label in dict.fromkeys(_words(world)):
        if _PLAIN.fullmatch(word):
            kind, form = world.meaning[label]
            sense = kind.name if form is None else f"{kind.name}:{world.forms[form]}"
            lines.append(f"  {word} -> word({sense})")
    return "\n".join(lines) + "\n"


def thing_rules(world: World) -> str:
    """Return the rules of labels as names, after "is" and as verbs, for reasoning-things.grammar."""
    lines = ["LabelName:"]
    for word, label in dict.fromkeys(_words(world)):
        if _PLAIN.fullmatch(word):
            lines.append(f"  {word} -> kinds({world.meaning[label].kind.name})")
    lines += ["Predicate:", *_rules(dict.fromkeys(_after_be(world)))]
    lines += ["Act:", *_rules(dict.fromkeys(_verbs(world)))]
    return "\n".join(lines) + "\n"


def label_words(world: World) -> frozenset[str]:
    """Return the words of these rules."""
    texts = [text for text, _ in (*_after_be(world), *_verbs(world))]
    return frozenset(word for text in texts for word in text.replace("{a}", " ").split())


def _after_be(world: World) -> Iterator[tuple[str, str]]:
    """Yield what may stand after "is", with the kind: "met by {a}"."""
    for label, clause in world.lexicon.phrases.clauses.items():
        rest = clause.removeprefix("{b} ")
        if _BE.match(rest):
            yield _BE.sub("", rest, count=1).lower(), world.meaning[label].kind.name
    for word, label in _words(world):
        yield f"{word} {{a}}", world.meaning[label].kind.name


def _verbs(world: World) -> Iterator[tuple[str, str]]:
    """Yield what follows the subject without "is", with the kind: "meets {a}"."""
    for label, clause in world.lexicon.phrases.clauses.items():
        rest = clause.removeprefix("{b} ")
        if not _BE.match(rest):
            kind = world.meaning[label].kind.name
            yield rest.lower(), kind
            for word, same in _words(world):
                if same == label:
                    yield f"{word} {{a}}", kind


def _words(world: World) -> Iterator[tuple[str, str]]:
    """Yield each label, and each word for one."""
    yield from ((label, label) for label in world.relations)
    for word, label in world.lexicon.phrases.words.synonyms.items():
        if label in world.meaning:
            yield word, label


def _rules(texts: dict[tuple[str, str], None]) -> Iterator[str]:
    for text, kind in texts:
        if not _PLAIN.fullmatch(text) or text.count("{a}") != 1:
            continue
        items = text.replace("{a}", " Noun ").split()
        at = items.index("Noun") + 1
        if at < len(items):
            items.insert(at, ",?")
        yield f"  {' '.join(items)} -> is_kinds({kind}, {at})"
