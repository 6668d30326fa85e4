r"""The answer that a reply gives: the one reader for scores, rewards and every integration.

Reasoning between <think> tags is set aside. An answer is marked by <answer> tags, \boxed{}, "answer" in JSON,
or a line that starts with "Answer:"; of several marks the last one counts. What explains a marked answer, in
a sentence of its own, in brackets or after "because", is not part of it. A reply without a mark is read as a
whole, unless it was cut short.
A relation is read from the world's words in any language. Several different relations do not count as an
answer, nor does one that is taken back ("not his daughter") or that is only part of another ("step-mother",
"great-grandmother", "sister-in-law" in a world without one).
"""

import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from clutrr.puzzle import CANNOT_BE_TOLD
from clutrr.world import World

YES, NO = "yes", "no"
_LONGEST = 50_000  # characters; what is longer is no answer
_UNFOLDED = 3  # times as many characters as there were, at most

_DASHES = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2212\ufe63\uff0d"), "-")
_APOSTROPHES = dict.fromkeys(map(ord, "\u2019\u2018\u02bc\u00b4"), "'")
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff*"), None)
# What may be between the words of one relation; and what ends the scope of a negation.
_JOIN = re.compile(r"[ \t]?[-—_]?[ \t]?")
_END = re.compile(r"[.;:!?\n()]")
_UNDETERMINED = re.compile(
    r"\b(?:(?:cannot|can ?not|can't|could ?n[o']t|impossible to|not possible to|unable to|no way to)(?: be)?"
    r"(?: [a-z]{1,20}ly)?"
    r" (?:tell|told|determined?|known?|inferred|infer|deduced?|decided?|said|say|established)"
    r"|undetermined|indeterminate|undeterminable|undecidable|not (?:enough|sufficient) info(?:rmation)?"
    r"|insufficient info(?:rmation)?|more than one (?:answer|relation) is possible)\b"
    r"(?=(\s*,?\s*(?:whether|if|which|what|who|how|between|because|since|as)\b)?)"
)
# What stands for these in a text, and for those with "whether".
_OPEN, _OPEN_IF = "cannotbetold", "cannotbetoldif"
_UNSPACED = frozenset("CJK HIRAGANA KATAKANA THAI LAO KHMER MYANMAR".split())
_SUBJECTS = frozenset("she he it they this that".split())
_YES_WORDS = frozenset("yes yeah yep true correct right ja oui sí si sì sim".split())
_NO_WORDS = frozenset("no nope false incorrect wrong untrue nein non não nee".split())
_OPTION = re.compile(
    r"""[\s*_`"'$(\[<]*([A-Za-z])[\s*_`"'$)\]>]*(?:[.):\]-].*|,?\s*\b(?:because|since)\b.*|,\s*not\b.*)?\s*\Z""",
    re.DOTALL,
)
_OPTION_SAID = re.compile(r"\b(?i:answer|option|choice|letter|choose|pick)(?: is)?:?[\s*_(\[]*([A-Z])\b(?!')")
_OPTION_DENIED = re.compile(r"[^\w,]*(?:is |was )?(?:not|isn't|never|wrong|incorrect|false)\b", re.IGNORECASE)
_OTHER_OPTION = re.compile(r"(?:\b(?i:or|and)\b|[/&,])\s*\(?[A-Z]\b(?!')")
# What explains an answer begins with such a word; and what denies the answer before it.
_BECAUSE = frozenset("because since".split())
_WRONG = frozenset("wrong incorrect false untrue impossible excluded".split())
_RIGHT = frozenset("right correct true possible".split())
_INSTEAD = {("rather", "than"), ("instead", "of")}
# A sentence of these words and a relation is not an explanation but another answer.
_BARE = frozenset(
    "a an the his her their he she it is or and maybe perhaps possibly probably either also could might may "
    "be as well else otherwise alternatively".split()
)

# English words count in every world, since replies are often in English; others in their language.
# A word that takes back the relations after it, up to the end of the clause.
_NEGATIONS = {
    "en": "not no never neither nor cannot without isnt wasnt arent cant couldnt doesnt dont didnt wont",
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
    lettered from A. query: the two entities, if they are known.
    """

    form: str = "which"
    relations: tuple[str, ...] = ()
    query: tuple[str, ...] = ()

    def of(self, query: Sequence[str]) -> "QuestionForm":
        """Return the form of a question about these entities."""
        return QuestionForm(self.form, self.relations, tuple(query))

    def right(self, target: str, possible: Sequence[str] | None = None) -> str:
        """Return the right answer, if this is the target of the puzzle."""
        if self.form != "yes-no":
            return target
        if target == CANNOT_BE_TOLD:
            return CANNOT_BE_TOLD if self.relations[0] in (possible or self.relations) else NO
        return YES if self.relations[0] == target else NO


WHICH = QuestionForm()


class _Token(NamedTuple):
    text: str
    start: int
    end: int


@dataclass
class _Sentence:
    """What a piece of a reply names: relations, None for one that the world lacks, each unless taken back.

    bare: whether it says nothing else. turns: whether it begins with "so", "but" or the like.
    """

    named: list[str | None] = field(default_factory=list)
    bare: bool = True
    turns: bool = False


def spellings(world: World) -> dict[str, str]:
    """Return the words for each label: itself, and synonyms.

    A synonym may also stand for the label at the beginning of another one: "mom-in-law".
    """
    synonyms = world.lexicon.phrases.words.synonyms.items()
    found = {word: label for word, label in synonyms if label in world.meaning}
    for word, label in synonyms:
        for relation in world.relations:
            if relation.startswith(f"{label}-"):
                found[f"{word}{relation.removeprefix(label)}"] = relation
    return found | {relation: relation for relation in world.relations}


class AnswerReader:
    """Reads what replies answer to questions about stories of one world."""

    def __init__(self, world: World) -> None:
        words = world.lexicon.phrases.words
        languages = ("en", world.lexicon.language.split("-")[0].lower())
        self._prefixes = words.prefixes
        self._modifiers = {word for language in languages for word in words.modifiers.get(language, ())}
        self._suffixes = {tuple(suffix.split("-")) for suffix in words.suffixes}
        self._negations, self._contrary = _words(_NEGATIONS, languages), _words(_CONTRARY, languages)
        self._lines, self._foreign = _marks(languages), _marks(_ANSWER.keys() - set(languages))
        self._forms: dict[tuple[str, ...], str] = {}
        self._unspaced: dict[str, str] = {}  # relations in scripts without spaces between words
        for word, relation in spellings(world).items():
            self._add(word, relation)
        self._labels = frozenset(world.relations)
        # Seen from the other side, a relation is known where its word does not depend on a form.
        others = {label: world.kind(kind.converse).words for label, (kind, _) in world.meaning.items()}
        self._converse = {label: words[0] for label, words in others.items() if len(words) == 1}
        self._longest = max(map(len, self._forms), default=0)
        own = {word for form in self._forms for word in form}
        self._unlabelled = words.unlabelled - own  # relations that an answer may name all the same

    def read(
        self, reply: str, asked: QuestionForm = WHICH, *, strict: bool = False, cut: bool = False
    ) -> str | None:
        """Return the answer: a relation, "cannot be told", or for a yes-no question "yes" or "no"; or None.

        strict: only if exactly one answer is marked, as rewards require. cut: whether the reply was cut off.
        """
        said, marked = answer_in(reply, self._lines, strict=strict)
        if said is None or len(said) > _LONGEST:
            return None
        if not marked and (foreign := self._foreign.search(said)):  # read only where it is a label alone
            word = _plain(foreign[1]).strip(" .*`\"'")
            return word if word in self._labels else None
        plain = _plain(said)
        if len(plain) > _LONGEST or (not marked and (cut or _unfinished(said))):
            return None
        sentences = list(self._sentences(plain, asked.form == "yes-no"))
        letter = _letter(said, len(asked.relations)) if asked.form == "choice" else None
        if letter is None:
            first = next((i for i, sentence in enumerate(sentences) if sentence.named), len(sentences))
            found, rest = {*(sentences[first].named if sentences[first:] else [])}, sentences[first + 1 :]
        else:
            found, rest = {asked.relations[letter]}, sentences
        for sentence in rest:
            # Several relations after "cannot be told" are the reason for it.
            reason = found == {CANNOT_BE_TOLD} and len(sentence.named) > 1
            if not marked or sentence.turns or (sentence.bare and not reason):
                found.update(sentence.named)
        if len(found) != 1:
            return None
        turned = asked.query and asked.form != "yes-no" and _turned(plain, *map(_plain, asked.query))
        return self._converse.get(found.pop() or "") if turned else found.pop()

    def _add(self, words: str, relation: str) -> None:
        plain = _plain(words)
        if any(map(_unspaced, plain)):
            self._unspaced[plain] = relation
            return
        pieces = tuple(token.text for token in _tokens(plain))
        self._forms[pieces] = relation
        self._forms["".join(pieces),] = relation
        for prefix in self._prefixes:
            if pieces and pieces[0].startswith(prefix) and pieces[0] != prefix:
                self._forms[prefix, pieces[0].removeprefix(prefix), *pieces[1:]] = relation

    def _sentences(self, text: str, yes_no: bool) -> Iterator[_Sentence]:
        """Yield what each sentence names: relations, or whether it says yes or no."""
        text = _UNDETERMINED.sub(lambda found: f" {_OPEN_IF if found[1] else _OPEN} ", text)
        tokens, sentence = list(_tokens(text)), _Sentence()
        at = end = clause = 0  # clause: how many were named before this clause
        taken_back = skipped = False  # what follows in the clause, and what only says which answers are open
        while at < len(tokens):
            word, gap = tokens[at].text, text[end : tokens[at].start]
            if _END.search(gap) or (word in _BECAUSE and not skipped):
                if "?" in gap:  # a question that the reply goes on to answer
                    sentence.named = []
                yield sentence
                sentence = _Sentence(turns=word in self._contrary)
                clause, taken_back, skipped = 0, False, False
            elif word in self._contrary or (gap.rstrip().endswith(",") and word in _SUBJECTS):
                clause, taken_back, skipped = len(sentence.named), False, False
            size, named = (1, []) if skipped else self._named(text, tokens, at, yes_no)
            if word in (_OPEN, _OPEN_IF) and not skipped:
                denied = at and tokens[at - 1].text in self._negations
                sentence.named.append(None if denied else CANNOT_BE_TOLD)
                skipped = word == _OPEN_IF
            elif taken_back and yes_no:
                sentence.named += [NO if one == YES else None for one in named]
            elif named and not taken_back:
                sentence.named += named
            elif word in self._negations or (at and (tokens[at - 1].text, word) in _INSTEAD):
                taken_back = True
            elif word in _WRONG or (taken_back and word in _RIGHT):
                del sentence.named[clause:]
            sentence.bare &= skipped or bool(named) or word in _BARE
            end, at = tokens[at + size - 1].end, at + size
        yield sentence

    def _named(self, text: str, tokens: list[_Token], at: int, yes_no: bool) -> tuple[int, list[str | None]]:
        """Return what is named from this token on, and in how many tokens."""
        word = tokens[at].text
        if yes_no:
            return 1, [YES] if word in _YES_WORDS else [NO] if word in _NO_WORDS else []
        size, relation = self._match(text, tokens, at)
        if size:
            return size, [relation if self._whole(text, tokens, at, size) else None]
        return 1, [None] if word in self._unlabelled else [*self._within(word)]

    def _match(self, text: str, tokens: list[_Token], at: int) -> tuple[int, str | None]:
        """Return the longest relation that starts with this token: how many tokens, and which."""
        for size in range(min(self._longest, len(tokens) - at), 0, -1):
            here = tokens[at : at + size]
            relation = self._forms.get(tuple(token.text for token in here))
            if relation and all(_JOIN.fullmatch(text, a.end, b.start) for a, b in pairwise(here)):
                return size, relation
        return 0, None

    def _whole(self, text: str, tokens: list[_Token], at: int, size: int) -> bool:
        """Return whether the tokens are a relation, and not part of another word."""
        last = tokens[at + size - 1]
        before = text[tokens[at - 1].end : tokens[at].start] if at else ""
        if text[last.end : last.end + 1] == "-" or before == "-" or text[last.end : last.end + 2] == "'s":
            return False
        if before == " " and tokens[at - 1].text in self._modifiers:
            return False
        return tuple(token.text for token in tokens[at + size : at + size + 2]) not in self._suffixes

    def _within(self, token: str) -> Iterator[str]:
        """Yield the relations in text of a script without spaces between words, longer ones first."""
        for form in sorted(self._unspaced, key=len, reverse=True):
            if form in token:
                yield self._unspaced[form]
                token = token.replace(form, " ")


def _words(table: Mapping[str, str], languages: Sequence[str]) -> frozenset[str]:
    return frozenset(" ".join(table.get(language, "") for language in languages).split())


def _plain(text: str) -> str:
    """Return the text in lower case, with one kind of dash and apostrophe, without invisible characters."""
    unfolded = unicodedata.normalize("NFKC", text)
    if len(unfolded) <= _UNFOLDED * len(text):  # a letter may become eighteen
        text = unfolded
    text = text.translate({**_DASHES, **_APOSTROPHES, **_INVISIBLE})
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
    return unicodedata.name(char, "").split(" ")[0] in _UNSPACED


def _letter(said: str, options: int) -> int | None:
    """Return the number of the option whose letter is given: `B`, `(B)`, `B) daughter`, `the answer is B`."""
    match = _OPTION.match(said) or _OPTION_SAID.search(said)
    if match is None or _OTHER_OPTION.search(said, match.end(1)) or _OPTION_DENIED.match(said, match.end(1)):
        return None
    number = ord(match[1].upper()) - ord("A")
    return number if number < options else None


def _turned(text: str, first: str, second: str) -> bool:
    """Return whether a text says what the first entity is to the second: it is the question turned round."""
    one, other = re.escape(first), re.escape(second)
    return any(
        re.search(rf"(?<!\w){pattern}(?!\w)", text) is not None
        for pattern in (
            rf"{one} (?:is|was) (?:{other}'s|(?:the |an? )?[\w-]+(?: [\w-]+){{0,4}} {other})",
            rf"{other}'s [\w-]+(?: [\w-]+){{0,4}} (?:is|was) {one}",
        )
    )


def _unfinished(said: str) -> bool:
    """Return whether a text stops in the middle of its last sentence, and that is not its only one."""
    said = said.strip()
    return said[-1:].isalnum() and _SENTENCE_END.search(said) is not None


# Where in a reply the answer is

_THOUGHT = re.compile(
    r"<(think|thinking|thought|reasoning)\b[^<>]{0,100}>.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE
)
# A chat template may have opened the reasoning before the reply began.
_THOUGHT_BEFORE = re.compile(r"\A.*</(?:think|thinking|thought|reasoning)\s*>", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<answer\b[^<>]{0,100}>(.*?)(</answer\s*>|(?=<answer\b)|\Z)", re.DOTALL | re.IGNORECASE)
_BOXED = re.compile(r"\\f?boxed\s*\{")
_BRACE = re.compile(r"[{}]")
_JSON = re.compile(r'"(?:final[ _]?)?answer"\s*:\s*("(?:[^"\\]|\\.)*"?|[^,}\n]*)', re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?]\s")
# "Answer:" in the languages in which worlds are likely to be written.
_ANSWER = {
    "en": "answer",
    "de": "antwort",
    "fr": "réponse|reponse",
    "es": "respuesta",
    "it": "risposta",
    "pt": "resposta",
    "nl": "antwoord",
    "sv": "svar",
    "pl": "odpowiedź",
    "ru": "ответ",
    "zh": "答案",
    "ja": "答え",
}


def _marks(languages: Iterable[str]) -> re.Pattern[str]:
    """Return what finds lines that mark an answer in these languages: "Answer: x", or a heading and x."""
    word = "|".join(_ANSWER[language] for language in languages if language in _ANSWER)
    named = rf"(?:(?:the|my)[ \t]+)?(?:(?:final|correct|endgültige)[ \t]+)?(?:{word})"
    return re.compile(
        r"(?:^[^\w\n]*(?:\d{1,3}[.):][^\w\n]*)?(?:(?:so|thus|hence|therefore|finally|in conclusion)\b[ ,:]*)?"
        rf"{named}(?:(?:[ \t]+is)?[ \t*_`]*[:\uff1a]|[ \t]+is\b)|^[ \t]*[#*_]+[ \t]*{named}[ \t*_]*$"
        rf"|(?<=[.!?][ \t]){named}[*_]*:)"
        r"[ \t*_`]*(?:\n[ \t]*)*(.*)$",
        re.MULTILINE | re.IGNORECASE,
    )


_LATEX = re.compile(r"\\(?:text|textbf|textit|mathrm|mathbf|mathit|mbox)\s*\{([^{}]*)\}")


class _Mark(NamedTuple):
    """A marked answer by its places alone: the texts of nested marks would take memory without bound.

    start, stop: the place of what it says. closed: whether the end of the mark is there too.
    """

    begin: int
    end: int
    start: int
    stop: int
    closed: bool


def answer_in(reply: str, lines: re.Pattern[str], *, strict: bool = False) -> tuple[str | None, bool]:
    """Return what the reply gives as its answer, and whether that is marked.

    lines: what finds lines that mark one. strict: None unless exactly one is marked, completely.
    """
    # Without its reasoning; nothing is left if it was cut short while reasoning.
    said = _THOUGHT_BEFORE.sub("", _THOUGHT.sub(" ", reply))
    found = _innermost([*_tags(said), *_boxes(said), *_found(_JSON, said), *_found(lines, said)])
    marks = sorted(found, key=lambda mark: mark.end)
    if strict and (len(marks) != 1 or not marks[0].closed):
        return None, False
    return (_LATEX.sub(r"\1", said[marks[-1].start : marks[-1].stop]), True) if marks else (said, False)


def _innermost(marks: list[_Mark]) -> Iterator[_Mark]:
    """Yield those with no other within them."""
    least = sys.maxsize  # the first end among those that begin later
    for mark in sorted(marks, key=lambda mark: (mark.begin, -mark.end), reverse=True):
        if least > mark.end:
            yield mark
        least = min(least, mark.end)


def _tags(text: str) -> Iterator[_Mark]:
    for match in _TAG.finditer(text):
        yield _Mark(*match.span(), *match.span(1), closed=match[2].startswith("</"))


def _found(pattern: re.Pattern[str], text: str) -> Iterator[_Mark]:
    for match in pattern.finditer(text):
        yield _Mark(*match.span(), *match.span(1), closed=True)


def _boxes(text: str) -> Iterator[_Mark]:
    """Yield each box to the brace that closes it, or to the end."""
    closing, opened = dict[int, int](), list[int]()
    for brace in _BRACE.finditer(text):
        if brace[0] == "{":
            opened.append(brace.start())
        elif opened:
            closing[opened.pop()] = brace.start()
    for match in _BOXED.finditer(text):
        close = closing.get(match.end() - 1)
        stop = len(text) if close is None else close
        yield _Mark(match.start(), stop + (close is not None), match.end(), stop, close is not None)
