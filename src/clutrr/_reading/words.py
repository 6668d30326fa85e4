"""The words of a language and of a theory, and what a grammar may know each token by."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

from clutrr._io.yamls import read_yaml
from clutrr._reading.tokens import Token
from clutrr.errors import WorldError

ENGLISH = resources.files("clutrr._reading") / "english"
END = Token("", "", 0, 0, keys=frozenset(("<end>", ".")))
_NAME = frozenset(("<name>",))
_ENDS = frozenset((".", "!", "?", "...", "\u2026"))


@lru_cache
def read_words(name: str) -> Mapping[str, Any]:
    """Return what a file of the language holds."""
    found: dict[str, Any] = read_yaml(ENGLISH / f"{name}.yaml", WorldError)
    return found


@lru_cache
def closed_classes(reasoning: bool = False) -> Mapping[str, frozenset[str]]:
    """Return the closed words of the language by class. reasoning: whether "must be" concludes."""
    found = {name: frozenset(str(words).split()) for name, words in read_words("words").items()}
    if reasoning:
        found["modal"] -= found["concluding"]
    return found


@dataclass(frozen=True, eq=False)
class Words:
    """What a reader knows of words.

    nouns: of relation, with their sense and whether they are of several. senses: of other words. symmetric: kinds whose
    converse is themselves. classes: of each word. triggers: words without which a sentence is silent.
    """

    nouns: Mapping[str, tuple[str, bool]]
    senses: Mapping[str, str]
    symmetric: frozenset[str]
    classes: Mapping[str, frozenset[str]]
    triggers: frozenset[str]

    def may_relate(self, tokens: Sequence[Token]) -> bool:
        """Whether a sentence can state a relation at all."""
        return any(token.norm in self.triggers for token in tokens)

    def classify(self, token: Token, first: bool) -> Token:
        """Return the token with what the grammar may know it by. first: whether it begins its sentence."""
        text, norm, start, end, name, _, bracketed = token
        return Token(text, norm, start, end, name, self._keys(token, first), bracketed)

    def _keys(self, token: Token, first: bool) -> frozenset[str]:
        if token.name:
            return _NAME
        keys = self.classes.get(token.norm)
        if keys is not None:
            return keys
        if token.norm in _ENDS:
            return frozenset((token.norm, "<end>"))
        if token.norm[0].isdigit():
            return frozenset((token.norm, "<number>", "<figure>"))
        if not token.norm[0].isalpha():
            return frozenset((token.norm,))
        proper = token.text[0].isupper() and not first
        return frozenset((token.norm, "<proper>" if proper else "<open>"))

    def sentence(self, tokens: list[Token]) -> tuple[Token, ...]:
        """Return the tokens of a sentence with their keys, and one end."""
        while tokens and (tokens[-1].norm in _ENDS):
            tokens = tokens[:-1]
        joined = self._joined(tokens)
        verbal = _with_verbs(list(joined))
        found = [self.classify(token, at == 0) for at, token in enumerate(verbal)]
        for at, token in enumerate(found[:-1]):
            if token.norm in _ENDS and found[at + 1].norm in _QUOTES:  # a quotation ends
                found[at] = token._replace(keys=token.keys | {"<end>"})
        return (*found, END)

    def _joined(self, tokens: list[Token]) -> Iterator[Token]:
        """Yield the tokens, "mother in law" as the one word that it is."""
        at = 0
        while at < len(tokens):
            first, *rest = tokens[at : at + 3]
            in_law = [token.norm for token in rest] == ["in", "law"]
            word = f"{first.norm}-in-law" if in_law else ""
            if word in self.nouns:
                yield first._replace(text=word, norm=word, end=rest[-1].end)
                at += 3
            else:
                yield first
                at += 1


_DETERMINERS = frozenset("the a an not his her their my also therefore thus".split())


def _is_verb(row: Sequence[Token], at: int) -> bool:
    """Whether "'s" behind a name is a verb: a possessor is followed by a noun."""
    if row[at].norm != "'s" or at + 2 >= len(row):
        return False
    after, then = row[at + 1], row[at + 2]
    return after.norm in _DETERMINERS or (bool(after.name) and then.norm == "'s")


_QUOTES = frozenset('"\u201d')
_BEFORE_A_VERB = frozenset("he she it that there here this who what i we you they".split())
_VERBS = {"'s": "is", "'ve": "have"}


def _with_verbs(row: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens, with the verbs that stand shortened behind a pronoun: "he's Bob's son", "she's got a son"."""
    for at, token in enumerate(row):
        verb = _VERBS.get(token.norm, "")
        after = row[at + 1].norm if at + 1 < len(row) else ""
        if verb and at and row[at - 1].name and _is_verb(row, at):  # "Bob's the son of Ann"
            yield token._replace(norm="is")
            continue
        if not verb or not at or row[at - 1].norm not in _BEFORE_A_VERB or row[at - 1].name:
            yield token
            continue
        perfect = verb == "is" and after in ("been", "got", "had", "become")
        yield token._replace(norm="has" if perfect else verb)


_OF_NAMES = (
    "given",
    "calendar",
    "particle",
    "abbreviation",
    "title_female",
    "title_male",
    "kin_title",
)


def plural(word: str, irregular: Mapping[str, str]) -> str:
    if word in irregular:
        return irregular[word]
    if word.endswith("-in-law"):
        return word.removesuffix("-in-law") + "s-in-law"
    if word.endswith("y") and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    return word + "es" if word.endswith(("s", "x", "ch", "sh")) else word + "s"


def classes_of(
    *tables: Mapping[str, Iterator[str] | frozenset[str]], literals: frozenset[str]
) -> dict[str, frozenset[str]]:
    """Return the classes of each word, itself among them. literals: words that rules name."""
    found: dict[str, set[str]] = {word: {word} for word in literals}
    for table in tables:
        for name, words in table.items():
            if name in _OF_NAMES:
                continue
            for word in words:
                found.setdefault(word, {word}).add(f"<{name}>")
    for word, keys in found.items():
        if keys == {word, "<thing>"}:  # an ordinary word, for all that
            keys.add("<open>")
        if (
            len(keys) == 1 and word.isalpha()
        ):  # a rule names it, and it is an ordinary word elsewhere
            keys.add("<open>")
    return {word: frozenset(keys) for word, keys in found.items()}
