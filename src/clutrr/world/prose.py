"""The grammar of stories in prose: what a world's prose.yaml says, taken apart and checked.

A sentence is a row of pieces: literal text, and slots for people, pronouns, relation words and things
told. It states a chain of facts: b is a's r1, c is b's r2, d is c's r3.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from clutrr.errors import WorldError

PEOPLE = "abcd"
FORMS = ("he", "his", "him")
SECTIONS = ("tell", "one", "two", "three")  # of prose.yaml, by how many facts their sentences state
_PIECE = re.compile(r"\{([^}]*)\}")
_SLOT = re.compile(r"(?P<person>[abcd])(\.(?P<form>\w+))?|(?P<word>[rn])(?P<fact>[123])")
_POSSESSIVE = "'s "


class Slot(NamedTuple):
    """A place in a sentence.

    what: "name"; a form of a pronoun, as it is or "He", "His" at the beginning; "does"; "r" or "n" for a
    relation word, "ar" or "an" for one with an article. of: the number of the person, or of the fact.
    """

    what: str
    of: int


Piece = str | Slot


@dataclass(frozen=True)
class ProseSentence:
    """A sentence of the grammar. facts: how many it states. kinds: which the first may be; none: any."""

    text: str
    facts: int
    pieces: tuple[Piece, ...]
    kinds: tuple[str, ...] = ()

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        return tuple(piece for piece in self.pieces if isinstance(piece, Slot))

    @cached_property
    def told(self) -> tuple[int, ...]:
        """About whom something is told, once for each thing."""
        return tuple(slot.of for slot in self.slots if slot.what == "does")

    @cached_property
    def gendered(self) -> frozenset[int]:
        """Whose gender a pronoun within the sentence tells."""
        return frozenset(slot.of for slot in self.slots if slot.what in FORMS)

    @cached_property
    def led(self) -> tuple[Piece, ...] | None:
        """The sentence with a pronoun at its beginning instead of a name; None if it cannot have one."""
        first, *rest = self.pieces
        if not isinstance(first, Slot) or first.what != "name" or not rest or not isinstance(rest[0], str):
            return None
        if rest[0].startswith(_POSSESSIVE):
            return Slot("His", first.of), rest[0].removeprefix("'s"), *rest[1:]
        return (Slot("He", first.of), *rest) if rest[0].startswith(" ") else None

    @property
    def lead(self) -> int:
        """Who stands at the beginning."""
        first = self.pieces[0]
        return first.of if isinstance(first, Slot) else -1


@dataclass(frozen=True)
class Prose:
    """A grammar.

    pronouns: of each form, by gender. words: of each relation, the label first. neutral: of each kind.
    about: of each attribute, texts with {value}. sentences: by how many facts they state.
    """

    pronouns: Mapping[str, tuple[str, str]]
    words: Mapping[str, tuple[str, ...]]
    neutral: Mapping[str, tuple[str, ...]]
    about: Mapping[str, tuple[str, ...]]
    sentences: Mapping[int, tuple[ProseSentence, ...]]

    @property
    def content(self) -> dict[str, Any]:
        """The content of prose.yaml."""

        def entry(sentence: ProseSentence) -> Any:
            return {"say": sentence.text, "for": list(sentence.kinds)} if sentence.kinds else sentence.text

        words = {relation: list(words[1:]) for relation, words in self.words.items() if words[1:]}
        return {
            "pronouns": {
                form: dict(zip(("female", "male"), words, strict=True))
                for form, words in self.pronouns.items()
            },
            "words": words,
            "neutral": {kind: list(words) for kind, words in self.neutral.items()},
            "about": {name: list(texts) for name, texts in self.about.items()},
            **{SECTIONS[facts]: [entry(s) for s in sentences] for facts, sentences in self.sentences.items()},
        }

    @cached_property
    def literals(self) -> frozenset[str]:
        """Every word that is written out in a sentence."""
        texts = [piece for all_ in self.sentences.values() for s in all_ for piece in s.pieces]
        return frozenset(
            word for text in texts if isinstance(text, str) for word in re.findall(r"[\w-]+", text)
        )

    def pronoun(self, form: str, gender: int) -> str:
        """As it stands in the text: "He" is the form "he" at the beginning of a sentence."""
        word = self.pronouns[form.lower()][gender]
        return word[0].upper() + word[1:] if form[0].isupper() else word


def with_article(word: str) -> str:
    return ("an " if word[0] in "aeiou" else "a ") + word


def parse_sentence(text: str, facts: int, kinds: tuple[str, ...]) -> ProseSentence:
    """Take a sentence apart. Raises WorldError with what is wrong, without the place."""
    parts = _PIECE.split(text)
    pieces: list[Piece] = []
    for literal, slot in zip(parts[::2], [*parts[1::2], ""], strict=True):
        article = bool(re.search(r"(^|\s)an?\s$", literal)) and slot[:1] in ("r", "n")
        if literal:
            literal = re.sub(r"an?\s$", "", literal) if article else literal
            pieces += [literal] if literal else []
        if slot or literal == "{}":
            pieces.append(_slot(slot, article))
    if "{" in "".join(parts[::2]) or "}" in "".join(parts[::2]):
        raise WorldError("a brace has no partner")
    sentence = ProseSentence(text, facts, tuple(pieces), kinds)
    _check(sentence)
    return sentence


def _slot(text: str, article: bool) -> Slot:
    match = _SLOT.fullmatch(text)
    if match is None or (match["form"] or "he") not in (*FORMS, "does"):
        raise WorldError(
            f"there is no slot {{{text}}}; the slots are {{a}}, {{a.he}}, {{a.his}}, {{a.him}}, {{a.does}}, "
            "{r1}, {n1}"
        )
    if match["person"]:
        return Slot(match["form"] or "name", PEOPLE.index(match["person"]))
    return Slot(("a" if article else "") + match["word"], int(match["fact"]) - 1)


def _check(sentence: ProseSentence) -> None:
    """What a sentence must fulfil to say what it should and to be readable."""
    people = range(sentence.facts + 1)
    named = [slot.of for slot in sentence.slots if slot.what == "name"]
    if sorted(named) != list(people):
        needs = ", ".join(f"{{{PEOPLE[person]}}}" for person in people)
        raise WorldError(f"must name {needs}, each once, and nobody else")
    said = [slot.of for slot in sentence.slots if slot.what[-1] in "rn" and slot.what not in FORMS]
    if sorted(said) != list(range(sentence.facts)):
        needs = ", ".join(f"{{r{fact + 1}}}" for fact in range(sentence.facts)) or "no relation"
        raise WorldError(f"must say {needs}, each once")
    if not sentence.text.endswith((".", "!")) or re.search(r"[.!?]\s", sentence.text):
        raise WorldError("must be one sentence that ends in a full stop")
    for at, slot in enumerate(sentence.slots):
        person = f"{{{PEOPLE[slot.of]}.{slot.what}}}"
        if slot.what in (*FORMS, "does") and slot.of not in people:
            raise WorldError(f"{person}: the sentence names no {{{PEOPLE[slot.of]}}}")
        if slot.what in FORMS and (meant := _meant(sentence, at)) != slot.of:
            whom = "nobody" if meant < 0 else f"{{{PEOPLE[meant]}}}"
            raise WorldError(f"{person} would be read as {whom}: a pronoun means who was named last")
        if slot.what in ("n", "an") and slot.of + 1 not in sentence.gendered:
            raise WorldError(
                f"{{n{slot.of + 1}}} leaves open whether {{{PEOPLE[slot.of + 1]}}} is a man; add a pronoun"
            )
    if sentence.facts:
        if 0 in sentence.told or len(set(sentence.told)) < len(sentence.told):
            raise WorldError("something can be told of {b}, {c} and {d}, once of each")
    elif not 1 <= len(sentence.told) <= 3:
        raise WorldError("must tell one to three things, {a.does}")


def _meant(sentence: ProseSentence, at: int) -> int:
    """Whom a reader takes the pronoun to mean: the person named last, but nobody as their own relative."""
    after = sentence.slots[at + 1 : at + 2]
    own = (
        after[0].of + 1 if sentence.slots[at].what == "his" and after and after[0].what in ("r", "n") else -1
    )
    named = [slot.of for slot in sentence.slots[:at] if slot.what == "name" and slot.of != own]
    return named[-1] if named else -1
