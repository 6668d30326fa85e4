"""The grammar of stories in prose: the content of a world's prose.yaml, taken apart and checked.

A sentence is a row of pieces: literal text, and slots for entities, pronouns, relation words and attributes.
Names may be in a case, {a:gen}, labels in a form, {r1:his}, and words by the form of an entity, {a:her|his}.
It states facts in a row: what b is to a, what c is to b, what d is to c. Literal text may say the first.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from clutrr._sentences import CLOSING
from clutrr.errors import WorldError

if TYPE_CHECKING:
    from clutrr._lexicon.lexicon import Lexicon

ENTITIES = "abcd"
CASES = ("he", "his", "him")  # of a pronoun
LEADS = ("He", "His")  # at the beginning of a sentence
SECTIONS = ("tell", "one", "two", "three")  # of prose.yaml, by how many facts their sentences state
WORDS = ("r", "ar", "n", "an", "t")  # slots for relation words
AGREES = "agrees"  # a word by the form of an entity
_PIECE = re.compile(r"\{([^}]*)\}")
_SLOT = re.compile(
    r"(?P<entity>[abcd])(\.(?P<what>\w+)|:(?P<spec>[^{}]+))?|(?P<word>[rnt])(?P<fact>[123])(:(?P<form>\w+))?"
)
_POSSESSIVE = "'s "
_SECOND = re.compile(rf"[.!?]\s|[{CLOSING}].")  # what begins after a sentence


class Slot(NamedTuple):
    """A place in a sentence.

    what: "name"; a case of a pronoun, as it is or "He", "His" at the beginning; "does" for an attribute; "r"
    for a relation word, "n" for one of any form, "ar" or "an" with an article, "t" for a phrase that leads
    from the first entity to the second; "agrees" for a word by the form of the entity. of: the number of the
    entity, or of the fact. spec: the case of a name, the form of a label, or the words of which one agrees.
    shows: whether the form of a label shows that of the first entity of its fact, as "her sister" does.
    """

    what: str
    of: int
    spec: str = ""
    shows: bool = False


Piece = str | Slot


@dataclass(frozen=True)
class ProseSentence:
    """A sentence of the grammar. facts: how many it states. kinds: which the first may be; none: any.
    unspaced: whether its language has no spaces between words.

    A sentence without a word for the first fact says it in literal text, and is for one kind.
    """

    text: str
    facts: int
    pieces: tuple[Piece, ...]
    kinds: tuple[str, ...] = ()
    unspaced: bool = False

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        return tuple(piece for piece in self.pieces if isinstance(piece, Slot))

    @cached_property
    def said(self) -> tuple[int, ...]:
        """The facts for which it has a relation word."""
        return tuple(slot.of for slot in self.slots if slot.what in WORDS)

    @cached_property
    def described(self) -> tuple[int, ...]:
        """The entities whose attributes are given, once for each attribute."""
        return tuple(slot.of for slot in self.slots if slot.what == "does")

    @cached_property
    def pronominal(self) -> frozenset[int]:
        """The entities whose form a pronoun or a word that agrees shows, within the sentence."""
        return frozenset(slot.of for slot in self.slots if slot.what in (*CASES, AGREES))

    @cached_property
    def shown(self) -> frozenset[int]:
        """The entities whose form any word but a label shows."""
        return self.pronominal.union(slot.of for slot in self.slots if slot.shows)

    @cached_property
    def led(self) -> tuple[Piece, ...] | None:
        """The sentence with a pronoun at its beginning instead of a name; None if it cannot have one."""
        first, *rest = self.pieces
        if (
            not isinstance(first, Slot)
            or first.what != "name"
            or first.spec
            or not rest
            or not isinstance(rest[0], str)
        ):
            return None
        if rest[0].startswith(_POSSESSIVE):
            return Slot("His", first.of), rest[0].removeprefix("'s"), *rest[1:]
        return (Slot("He", first.of), *rest) if rest[0].startswith(" ") or self.unspaced else None

    @property
    def lead(self) -> int:
        """The entity at the beginning; -1 if there is none."""
        first = self.pieces[0]
        return first.of if isinstance(first, Slot) else -1


@dataclass(frozen=True)
class Prose:
    """A grammar.

    content: of prose.yaml. pronouns: of each case, by form. words: of each relation, the label first, or
    phrases in its stead. neutral: of each kind, words of any form. turned: of each relation, phrases that
    lead from the first entity to the second. about: of each attribute, texts with {value}. sentences: by how
    many facts they state.
    """

    content: Mapping[str, Any]
    pronouns: Mapping[str, tuple[str, ...]]
    words: Mapping[str, tuple[str, ...]]
    neutral: Mapping[str, tuple[str, ...]]
    turned: Mapping[str, tuple[str, ...]]
    about: Mapping[str, tuple[str, ...]]
    sentences: Mapping[int, tuple[ProseSentence, ...]]

    def pronoun(self, case: str, form: int) -> str:
        """Return a pronoun as it is written: "He" is the case "he" at the beginning of a sentence."""
        word = self.pronouns[case.lower()][form]
        return word[0].upper() + word[1:] if case[0].isupper() else word


def with_article(word: str) -> str:
    return ("an " if word[0] in "aeiou" else "a ") + word


def parse_sentence(
    text: str, facts: int, kinds: tuple[str, ...], lexicon: "Lexicon"
) -> ProseSentence:
    """Take a sentence apart. Raises WorldError with what is wrong, without the place."""
    parts = _PIECE.split(text)
    pieces: list[Piece] = []
    for literal, slot in zip(parts[::2], [*parts[1::2], None], strict=True):
        article = bool(re.search(r"(^|\s)an?\s$", literal)) and (slot or "")[:1] in ("r", "n")
        article &= ":" not in (slot or "")
        literal = re.sub(r"an?\s$", "", literal) if article else literal
        pieces += [literal] if literal else []
        pieces += [] if slot is None else [_slot(slot, article, lexicon)]
    if "{" in "".join(parts[::2]) or "}" in "".join(parts[::2]):
        raise WorldError("unbalanced brace")
    sentence = ProseSentence(text, facts, tuple(pieces), kinds, not lexicon.space)
    _check(sentence)
    return sentence


def _slot(text: str, article: bool, lexicon: "Lexicon") -> Slot:
    match = _SLOT.fullmatch(text)
    if match is None or (match["what"] or "he") not in (*CASES, "does"):
        raise WorldError(
            f"there is no slot {{{text}}}; the slots are {{a}}, {{a.he}}, {{a.his}}, {{a.him}}, {{a.does}}, "
            "{r1}, {n1}, {t1}"
        )
    if match["entity"]:
        return _of_entity(
            match["what"] or "name", ENTITIES.index(match["entity"]), match["spec"], lexicon
        )
    form, fact = match["form"] or "", int(match["fact"]) - 1
    if not form:
        return Slot(("a" if article else "") + match["word"], fact)
    forms = lexicon.phrases.forms
    if match["word"] != "r" or form not in forms:
        known = ", ".join(forms) or "none"
        raise WorldError(f"{{{text}}} is none of the forms of labels in phrases.yaml, {known}")
    shows = all(len(set(one.split("|"))) > 1 for one in forms[form].values())
    return Slot("r", fact, form, shows)


def _of_entity(what: str, of: int, spec: str | None, lexicon: "Lexicon") -> Slot:
    """A slot of an entity: {a}, {a.he}, {a:gen} or {a:her|his}."""
    if spec is None:
        return Slot(what, of)
    if "|" in spec:
        if len(spec.split("|")) != max(1, len(lexicon.names)):
            raise WorldError(f"{{{ENTITIES[of]}:{spec}}} is no choice by the form of an entity")
        return Slot(AGREES, of, spec)
    if spec not in lexicon.cases.known:
        known = ", ".join(lexicon.cases.known) or "none"
        raise WorldError(f"names have no case {spec!r}; they have {known}")
    return Slot("name", of, spec)


def _check(sentence: ProseSentence) -> None:
    """Check that a sentence states what it should and can be read. Raises WorldError."""
    entities = range(sentence.facts + 1)
    named = [slot.of for slot in sentence.slots if slot.what == "name"]
    if sorted(named) != list(entities):
        needs = ", ".join(f"{{{ENTITIES[entity]}}}" for entity in entities)
        raise WorldError(f"must name {needs}, each once, and nothing else")
    literal = sentence.facts > 0 and 0 not in sentence.said
    if sorted(sentence.said) != list(range(literal, sentence.facts)):
        needs = ", ".join(f"{{r{fact + 1}}}" for fact in range(sentence.facts)) or "no relation"
        raise WorldError(f"must say {needs}, each once")
    if literal and len(sentence.kinds) != 1:
        raise WorldError("must say {r1}, or be for one kind")
    if not sentence.text.endswith((".", "!", *CLOSING)) or _SECOND.search(sentence.text):
        raise WorldError("must be one sentence that ends in a full stop")
    for at, slot in enumerate(sentence.slots):
        _check_slot(sentence, at, slot)
    described = sentence.described
    if sentence.facts:
        if 0 in described or len(set(described)) < len(described):
            raise WorldError("{b}, {c} and {d} can have an attribute, one each, but not {a}")
    elif not 1 <= len(described) <= 3:
        raise WorldError("must give one to three attributes, {a.does}")


def _check_slot(sentence: ProseSentence, at: int, slot: Slot) -> None:
    entity = f"{{{ENTITIES[slot.of]}.{slot.what}}}"
    if slot.what in (*CASES, "does") and slot.of > sentence.facts:
        raise WorldError(f"the sentence names no {{{ENTITIES[slot.of]}}}", place=entity)
    if slot.what in CASES and (meant := _meant(sentence, at)) != slot.of:
        which = "nothing" if meant < 0 else f"{{{ENTITIES[meant]}}}"
        raise WorldError(f"{entity} would be read as {which}: a pronoun means what was named last")
    if slot.what in ("n", "an") and slot.of + 1 not in sentence.pronominal:
        raise WorldError(
            f"{{n{slot.of + 1}}} leaves open the form of {{{ENTITIES[slot.of + 1]}}}; add a pronoun"
        )


def _meant(sentence: ProseSentence, at: int) -> int:
    """Return what a reader takes the pronoun to mean: the entity named last, but none related to itself."""
    after = sentence.slots[at + 1 : at + 2]
    related = sentence.slots[at].what == "his" and after and after[0].what in ("r", "n")
    own = after[0].of + 1 if related else -1
    named = [slot.of for slot in sentence.slots[:at] if slot.what == "name" and slot.of != own]
    return named[-1] if named else -1
