"""The answer that a reply gives: the one reader for scores, rewards and every integration.

A relation is read from the world's words in any language. Several different relations do not count as an
answer, nor does one that is taken back ("not his daughter") or that is only part of another ("step-mother",
"great-grandmother", "sister-in-law" in a world without one).
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from clutrr.puzzle import CANNOT_BE_TOLD
from clutrr.scoring.marks import answer_in
from clutrr.world import World

YES, NO = "yes", "no"
_LONGEST = 50_000  # characters; what is longer is no answer

_DASHES = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2212\ufe63\uff0d"), "-")
_APOSTROPHES = dict.fromkeys(map(ord, "\u2019\u2018\u02bc\u00b4"), "'")
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff*"), None)
# What may be between the words of one relation; and what ends the scope of a negation.
_JOIN = re.compile(r"[ \t]?[-—_]?[ \t]?")
_END = re.compile(r"[.;:!?\n()]")
_UNDETERMINED = re.compile(
    r"\b(?:(?:cannot|can ?not|can't|could ?n[o']t|impossible to|not possible to|unable to)(?: be)?"
    r" (?:tell|told|determined?|known?|inferred|infer|deduced?|decided?|said|say|established)"
    r"|undetermined|indeterminate|undecidable|not (?:enough|sufficient) information"
    r"|insufficient information|more than one (?:answer|relation) is possible)\b"
)
_WHETHER = re.compile(r"\s*,?\s*(?:whether|if|which|what|who|how|between|because|since|as)\b")
_SUBJECTS = frozenset("she he it they this that".split())
_YES_WORDS = frozenset("yes yeah yep true correct ja oui sí si sì sim".split())
_NO_WORDS = frozenset("no nope false incorrect nein non não nee".split())
_OPTION = re.compile(r"[\s*_(\[]*([A-Za-z])[\s*_)\]]*(?:[.):\]-].*)?\s*\Z", re.DOTALL)
_OPTION_SAID = re.compile(r"\b(?i:answer|option|choice)(?: is)?:?[\s*_(\[]*([A-Z])\b(?!')")

# English words count in every world, since replies are often in English; others in their language.
# A word that takes back the relations after it, up to the end of the clause.
_NEGATIONS = {
    "en": "not no never neither nor cannot without isnt wasnt arent cant couldnt doesnt",
    "de": "nicht kein keine keiner keinen weder noch nie niemals",
    "fr": "pas ni jamais aucun aucune",
    "es": "no ni nunca tampoco",
    "it": "non né mai",
    "pt": "não nem nunca",
    "nl": "niet geen noch nooit",
}

# A word that starts a new clause, in which earlier negations no longer count.
_CONTRARY = {
    "en": "but rather instead however so therefore thus hence",
    "de": "sondern aber also daher sie er es",
    "fr": "mais donc elle il c",
    "es": "sino pero así ella él",
}


@dataclass(frozen=True)
class QuestionForm:
    """The form of a question.

    form: "which" relation; "yes-no", whether relations[0] holds; or "choice", which of the relations,
    lettered from A.
    """

    form: str = "which"
    relations: tuple[str, ...] = ()

    def right(self, target: str, possible: Sequence[str] | None = None) -> str:
        """Return the right answer, if this is the target of the puzzle."""
        if self.form != "yes-no":
            return target
        if target == CANNOT_BE_TOLD:
            return CANNOT_BE_TOLD if self.relations[0] in (possible or self.relations) else NO
        return YES if self.relations[0] == target else NO


WHICH = QuestionForm()


@dataclass(frozen=True)
class _Token:
    text: str
    start: int
    end: int


class AnswerReader:
    """Reads what replies answer to questions about stories of one world."""

    def __init__(self, world: World) -> None:
        words = world.lexicon.phrases.words
        languages = ("en", world.lexicon.language.split("-")[0].lower())
        self._synonyms, self._prefixes = words.synonyms, words.prefixes
        self._modifiers = {word for language in languages for word in words.modifiers.get(language, ())}
        self._suffixes = {tuple(suffix.split("-")) for suffix in words.suffixes}
        self._negations, self._contrary = _words(_NEGATIONS, languages), _words(_CONTRARY, languages)
        self._forms: dict[tuple[str, ...], str] = {}
        self._unspaced: dict[str, str] = {}  # relations in scripts without spaces between words
        for relation in world.relations:
            self._add(relation)
        self._longest = max(map(len, self._forms), default=0)
        own = {word for form in self._forms for word in form}
        self._unlabelled = words.unlabelled - own  # relations that an answer may name all the same

    def read(self, reply: str, asked: QuestionForm = WHICH, *, strict: bool = False) -> str | None:
        """Return the answer: a relation, "cannot be told", or for a yes-no question "yes" or "no"; or None.

        strict: only if exactly one answer is marked, as rewards require.
        """
        said = answer_in(reply, strict=strict)
        if said is None or len(said) > _LONGEST:
            return None
        text = _plain(said)
        if asked.form == "yes-no":
            return _yes_no(text)
        named = {relation for relation, negated in self._mentions(text) if not negated}
        if asked.form == "choice" and (letter := _letter(said, len(asked.relations))) is not None:
            named.add(asked.relations[letter])
        return named.pop() if len(named) == 1 else None

    def _add(self, relation: str) -> None:
        plain = _plain(relation)
        if any(map(_unspaced, plain)):
            self._unspaced[plain] = relation
            return
        pieces = tuple(token.text for token in _tokens(plain))
        self._forms[pieces] = relation
        self._forms["".join(pieces),] = relation
        for prefix in self._prefixes:
            if pieces and pieces[0].startswith(prefix) and pieces[0] != prefix:
                self._forms[prefix, pieces[0].removeprefix(prefix), *pieces[1:]] = relation

    def _mentions(self, text: str) -> "Iterator[tuple[str | None, bool]]":
        """Yield each relation that is named, None for one that the world lacks, and whether it is negated."""
        end = 0
        for found in _UNDETERMINED.finditer(text):
            if found.start() < end:  # within the clause before
                continue
            yield CANNOT_BE_TOLD, False
            end = self._clause(text, found.end()) if _WHETHER.match(text, found.end()) else found.end()
            text = f"{text[: found.start()]}{' ' * (end - found.start())}{text[end:]}"
        reach = 0  # what is named before this place is negated
        tokens = list(_tokens(text))
        at = 0
        while at < len(tokens):
            token = tokens[at]
            if token.text in self._negations and token.start >= reach:
                reach = self._clause(text, token.end)
            size, relation = self._match(text, tokens, at)
            if size:
                whole = self._whole(text, tokens, at, size)
                yield (relation if whole else None), token.start < reach
                at += size
                continue
            if token.text in self._unlabelled:
                yield None, token.start < reach
            for relation in self._within(token.text):
                yield relation, token.start < reach
            at += 1

    def _match(self, text: str, tokens: list[_Token], at: int) -> tuple[int, str | None]:
        """Return the longest relation that starts with this token: how many tokens, and which."""
        for size in range(min(self._longest, len(tokens) - at), 0, -1):
            here = tokens[at : at + size]
            if any(not _JOIN.fullmatch(text, a.end, b.start) for a, b in pairwise(here)):
                continue
            first = self._synonyms.get(here[0].text, here[0].text)
            rest = tuple(token.text for token in here[1:])
            for form in ((here[0].text, *rest), (first, *rest)):
                if form in self._forms:
                    return size, self._forms[form]
        return 0, None

    def _whole(self, text: str, tokens: list[_Token], at: int, size: int) -> bool:
        """Return whether the tokens are a relation, and not part of another word."""
        last = at + size - 1
        if last + 1 < len(tokens) and text[tokens[last].end : tokens[last + 1].start] == "-":
            return False
        before = text[tokens[at - 1].end : tokens[at].start] if at else ""
        if before == "-" or (before == " " and tokens[at - 1].text in self._modifiers):
            return False
        after = tokens[last + 1 : last + 3]
        return tuple(token.text for token in after) not in self._suffixes

    def _within(self, token: str) -> Iterator[str]:
        """Yield the relations in text of a script without spaces between words, longer ones first."""
        for form in sorted(self._unspaced, key=len, reverse=True):
            if form in token:
                yield self._unspaced[form]
                token = token.replace(form, " ")

    def _clause(self, text: str, start: int) -> int:
        """Return where the clause of a word ends."""
        end = match.start() if (match := _END.search(text, start)) else len(text)
        for token in _tokens(text[start:end]):
            before = text[start : start + token.start].rstrip()
            if token.text in self._contrary or (before.endswith(",") and token.text in _SUBJECTS):
                return start + token.start
        return end


def _words(table: Mapping[str, str], languages: Sequence[str]) -> frozenset[str]:
    return frozenset(" ".join(table.get(language, "") for language in languages).split())


def _plain(text: str) -> str:
    """Return the text in lower case, with one kind of dash and apostrophe, without invisible characters."""
    text = unicodedata.normalize("NFKC", text).translate({**_DASHES, **_APOSTROPHES, **_INVISIBLE})
    return unicodedata.normalize("NFC", text.casefold())


def _tokens(text: str) -> Iterator[_Token]:
    """Yield the words: letters and the marks on them; "isn't" is one word, "Ann's" is two."""
    start = None
    for at, char in enumerate(f"{text} "):
        inside = unicodedata.category(char)[0] in "LM" or (
            char == "'" and start is not None and text[at - 1 : at + 2] == "n't"
        )
        if inside and start is None:
            start = at
        elif not inside and start is not None:
            yield _Token(text[start:at].replace("'", ""), start, at)
            start = None


def _unspaced(char: str) -> bool:
    """Return whether the character is of a script that has no spaces between words."""
    return unicodedata.name(char, "").split(" ")[0] in (
        "CJK",
        "HIRAGANA",
        "KATAKANA",
        "THAI",
        "LAO",
        "KHMER",
        "MYANMAR",
    )


def _yes_no(text: str) -> str | None:
    if _UNDETERMINED.search(text):
        return CANNOT_BE_TOLD
    words = [token.text for token in _tokens(text)]
    found = {YES for word in words if word in _YES_WORDS} | {NO for word in words if word in _NO_WORDS}
    return found.pop() if len(found) == 1 else None


def _letter(said: str, options: int) -> int | None:
    """Return the number of the option whose letter is given: `B`, `(B)`, `B) daughter`, `the answer is B`."""
    match = _OPTION.match(said) or _OPTION_SAID.search(said)
    number = ord(match[1].upper()) - ord("A") if match else options
    return number if number < options else None
