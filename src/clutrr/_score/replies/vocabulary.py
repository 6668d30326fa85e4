"""The words by which a reply names the relations of a world."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from clutrr._lexicon import World
from clutrr._score.replies.question import NO, YES
from clutrr._score.replies.text import Token, plain, spaced, tokens
from clutrr._score.spelling import spellings
from clutrr._score.words import phrases, translations, words

# What may be between the words of one relation.
_JOIN = re.compile(r"[ \t]?[-—_,']?[ \t]?")
_PREPOSITIONS = frozenset(("of", "from", "as", "than", "to"))
_SHORTEST_MISSPELT = 8  # letters of a word that is known with one letter wrong


class Vocabulary:
    """Relations by their words: those of the world, synonyms, translations and misspellings.

    Args:
        world: whose relations are meant. Its language and English are followed in every reply;
            the labels of an English world are known in other languages, too.
    """

    def __init__(self, world: World) -> None:
        about = world.lexicon.phrases.words
        language = world.lexicon.language.split("-")[0].lower()
        languages = ("en", language)
        self.english = language == "en"
        self.labels = frozenset(world.relations)
        self._prefixes = about.prefixes
        self._modifiers = {word for one in languages for word in about.modifiers.get(one, ())}
        self._suffixes = {tuple(suffix.split("-")) for suffix in about.suffixes}
        self.negations = words("negation", languages)
        self.contrary = words("contrary", languages)
        self._relations: dict[tuple[str, ...], str] = {}
        if self.english:
            for said in translations().values():
                for word, relation in said.items():
                    if relation in self.labels:
                        self._add(word, relation)
        # A kind, "NE", is an answer where it stands alone and has one label.
        self.codes = {kind.name: kind.words[0] for kind in world.kinds if len(kind.words) == 1}
        for word, relation in _without_last_words(world.relations):
            self._add(word, relation)
        for word, relation in spellings(world).items():
            self._add(word, relation)
        self.words = {word for form in self._relations for word in form}
        self.other_relations = about.unlabelled - self.words
        self._answers = _yes_and_no()
        self._longest = max(map(len, self._relations), default=0)
        self._joined = {"".join(form): one for form, one in self._relations.items()}
        # Seen from the other side, a relation is known where its word does not depend on a form.
        others = {
            label: world.kind(kind.converse).words for label, (kind, _) in world.meaning.items()
        }
        self.converse = {label: said[0] for label, said in others.items() if len(said) == 1}

    def named(
        self, text: str, said: Sequence[Token], at: int, yes_no: bool
    ) -> tuple[int, list[str | None]]:
        """Return what is named from a token on, and in how many tokens; None for another relation.

        Args:
            text: what the tokens are of.
            said: its tokens.
            at: the number of the first.
            yes_no: whether "yes" and "no" are looked for instead of relations.
        """
        if yes_no:
            size, answer = self._match(text, said, at, self._answers)
            return (size, [answer]) if size else (1, [])
        size, relation = self._match(text, said, at, self._relations)
        if size:
            return size, [relation if self._whole(text, said, at, size) else None]
        misspelt = self._misspelt(said[at].text)
        if misspelt is not None:
            return 1, [misspelt if self._whole(text, said, at, 1) else None]
        return 1, [None] if said[at].text in self.other_relations else []

    def relation(self, word: str) -> str | None:
        """Return the relation that a word or phrase is, alone; None if it is none."""
        return self._relations.get(tuple(one.text for one in tokens(spaced(plain(word)))))

    def _add(self, said: str, relation: str) -> None:
        pieces = tuple(token.text for token in tokens(spaced(plain(said))))
        if not pieces:
            return
        self._relations[pieces] = relation
        self._relations["".join(pieces),] = relation
        for prefix in self._prefixes:
            if pieces[0].startswith(prefix) and pieces[0] != prefix:
                apart = prefix, pieces[0].removeprefix(prefix), *pieces[1:]
                self._relations[apart] = relation

    def _match(
        self, text: str, said: Sequence[Token], at: int, known: Mapping[tuple[str, ...], str]
    ) -> tuple[int, str | None]:
        """Return the longest phrase that starts with a token: how many tokens, and its meaning."""
        for size in range(min(self._longest, len(said) - at), 0, -1):
            here = said[at : at + size]
            meaning = known.get(tuple(token.text for token in here))
            if meaning and all(_JOIN.fullmatch(text, a.end, b.start) for a, b in pairwise(here)):
                return size, meaning
        return 0, None

    def _misspelt(self, word: str) -> str | None:
        """Return the relation of which a long word has one letter wrong, if it is only one.

        Its first and last letters must be right: "laughter" is no daughter, "grandsons" are many.
        """
        if len(word) < _SHORTEST_MISSPELT or not self.english:
            return None
        near = {
            relation
            for known, relation in self._joined.items()
            if known[0] == word[0] and known[-1] == word[-1] and _one_letter_apart(known, word)
        }
        return near.pop() if len(near) == 1 else None

    def _whole(self, text: str, said: Sequence[Token], at: int, size: int) -> bool:
        """Return whether tokens are a relation, and not part of another word."""
        last = said[at + size - 1]
        before = text[said[at - 1].end : said[at].start] if at else ""
        after = text[last.end : last.end + 2]
        if after[:1] == "-" or after == "'s" or before[-1:] in ("-", "~", "!"):
            return False
        if before == " " and said[at - 1].text in self._modifiers:
            return False
        following = tuple(token.text for token in said[at + size : at + size + 2])
        return following not in self._suffixes


def _without_last_words(labels: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield labels of several words without the preposition at their end: "inside at the edge"."""
    for label in labels:
        *before, last = label.split()
        if len(before) > 1 and last in _PREPOSITIONS:
            yield " ".join(before), label


def _yes_and_no() -> dict[tuple[str, ...], str]:
    found: dict[tuple[str, ...], str] = dict.fromkeys(((word,) for word in words("yes")), YES)
    found |= dict.fromkeys(((word,) for word in words("no")), NO)
    for name, answer in (("yes", YES), ("no", NO)):
        for phrase in phrases(name):
            found[tuple(one.text for one in tokens(spaced(plain(phrase))))] = answer
    return found


def _one_letter_apart(one: str, other: str) -> bool:
    """Return whether one letter is missing, added, changed, or exchanged with the next one."""
    if abs(len(one) - len(other)) > 1 or one == other:
        return False
    start = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    if start is None:
        return True
    a, b = one[start:], other[start:]
    swapped = a[:2] == b[:2][::-1] and a[2:] == b[2:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or swapped
