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
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

from clutrr.puzzle import CANNOT_BE_TOLD
from clutrr.scoring.claims import PLAIN, ClaimReader, FoundClaim, spellings
from clutrr.scoring.marks import answer_in, marked_lines, words
from clutrr.world import World

YES, NO = "yes", "no"
_LONGEST = 50_000  # characters; what is longer is no answer
_UNFOLDED = 3  # times as many characters as there were, at most

_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff*"), None)
# What may be between the words of one relation; and a sentence, or what explains one, with its end.
_JOIN = re.compile(r"[ \t]?[-—_]?[ \t]?")
_PIECE = re.compile(
    r"(?=.)((?:because|since)?.*?)([.;:!?\n()]|\s[-—]\s|\b(?=because\b|since\b)|\Z)", re.DOTALL
)
_SENTENCE_END = re.compile(r"[.!?]\s")
_UNDETERMINED = re.compile(
    r"\b(?:(?:cannot|can ?not|can't|could ?n[o']t|impossible to|not possible to|unable to|no way to)(?: be)?"
    r"(?: [a-z]{1,20}ly)?"
    r" (?:tell|told|determined?|known?|inferred|infer|deduced?|decided?|said|say|established)"
    r"|undetermined|indeterminate|undeterminable|undecidable|ambiguous|unknown(?=\s*(?:\Z|[.,;:(\n]))"
    r"|(?:not|[a-z]{2,6}n't)(?: [a-z]{2,12}){0,2} (?:enough|sufficient) info(?:rmation)?"
    r"(?: to (?:tell|determine|say))?"
    r"|insufficient info(?:rmation)?|more than one (?:answer|relation) is possible)\b"
    r"(?=(\s*,?\s*(?:whether|if|which|what|who|how|between|because|since|as)\b)?)"
)
# What denies as "not" does: the words after it, or else those before it.
_DENYING = re.compile(
    r"\b(?:(?:any|every)thing but|other than|except(?: for)?|rather than|instead of|rul(?:es?|ing) out"
    r"|far from|lack of|opposite of|nothing like|hardly|scarcely|(?<!no )(?<!any )(?<!a )doubt"
    r"|rejects?|excludes?|den(?:y|ies)|out of the question"
    r"|(?:wrong|false|incorrect|untrue) (?:to|that))\b|(?<!\S)[~!\xac](?=\w)|[\u2717\u2718\u274c\U0001f44e]"
)
# What stands for these in a text, and for those with "whether".
_OPEN, _OPEN_IF = "cannotbetold", "cannotbetoldif"
# Letters of scripts without spaces between words: Thai, Lao, Burmese, Khmer, Japanese, Chinese.
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_OPTION = re.compile(
    r"""[\s*_`"'$(\[<]*([A-Za-z])[\s*_`"'$)\]>]*(?:[.):\]-].*|,?\s*\b(?:because|since)\b.*|,\s*not\b.*)?\s*\Z""",
    re.DOTALL,
)
_OPTION_SAID = re.compile(r"\b(?i:answer|option|choice|letter|choose|pick)(?: is)?:?[\s*_(\[]*([A-Z])\b(?!')")
_NO_DENIED = re.compile(
    r"\b(?:not|never) (?:no|false)\b|\bno (?:answer|idea|info\w*|comment|one|matter|doubt|problem)\b"
    r"|\b(?:no|false|incorrect|wrong)\W{0,3}(?:(?:which|but that) )?(?:is|was|isn't|would|cannot|seems)\b"
)
_OTHER_OPTION = re.compile(r"(?:\b(?i:or|and)\b|[/&,])\s*\(?[A-Z]\b(?!')")
_HEDGED = re.compile(rf"\b(?:{'|'.join(words('hedge'))}|not (?:so |quite )?(?:sure|certain))\b")
_TAKEN_BACK = re.compile(
    rf"(?:^|[.!?\n])\s*(?:{'|'.join(words('retraction'))})\b|\b{re.escape(CANNOT_BE_TOLD)}\b"
)
_UNSURE = re.compile(r"[%\u2260~\u22a5=\xac]|</")  # in a marked answer: "father (0%)"
_EVERY = re.compile(r"\b(?:all|any|both|each|every|none|neither)\b")  # beside a letter, "yes" or "no"
_SUBJECTS, _YES_WORDS, _NO_WORDS, _WRONG, _RIGHT, _SO, _BARE, _FRAME = map(
    words, ("subject", "yes", "no", "wrong", "right", "conclusion", "bare", "frame")
)
_DENIAL_ALONE = _BARE | _WRONG | _RIGHT | words("denial")


@dataclass(frozen=True)
class QuestionForm:
    """The form of a question.

    form: "which" relation; "yes-no", whether relations[0] holds; or "choice", which of the relations,
    lettered from A. query: the two entities, if they are known.
    """

    form: str = "which"
    relations: tuple[str, ...] = ()
    query: tuple[str, ...] = ()

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> "QuestionForm":
        """Return the form of a question by the columns of its prompt."""
        return cls(row["ask"], tuple(row["relations"]), tuple(row["query"]))

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
class _Clause:
    """What a piece of a reply names: relations, None for one that the world lacks; and which it denies.

    bare: whether it says nothing else. turns: whether it begins with "so", "but" or the like; concludes: with
    "so" or the like. against: whether it only denies what was said before. loose: whether it denies anything
    but a relation that it names. said: its words.
    """

    named: list[str | None] = field(default_factory=list)
    denied: set[str | None] = field(default_factory=set)
    bare: bool = True
    turns: bool = False
    concludes: bool = False
    against: bool = False
    loose: bool = False
    said: frozenset[str] = frozenset()

    def deny(self, start: int) -> None:
        """Take back what it named from this number on."""
        self.denied.update(self.named[start:])
        del self.named[start:]
        self.loose = True


class AnswerReader:
    """Reads what replies answer to questions about stories of one world."""

    def __init__(self, world: World) -> None:
        about = world.lexicon.phrases.words
        languages = ("en", world.lexicon.language.split("-")[0].lower())
        self._prefixes = about.prefixes
        self._modifiers = {word for language in languages for word in about.modifiers.get(language, ())}
        self._suffixes = {tuple(suffix.split("-")) for suffix in about.suffixes}
        self._negations, self._contrary = words("negation", languages), words("contrary", languages)
        self._denials, self._against = self._negations | _WRONG, self._negations | _DENIAL_ALONE
        self._lines, self._foreign = marked_lines(languages), marked_lines(languages, other=True)
        self._world = world
        self._forms: dict[tuple[str, ...], str] = {}
        for word, relation in spellings(world).items():
            self._add(word, relation)
        self._labels = frozenset(world.relations)
        # Seen from the other side, a relation is known where its word does not depend on a form.
        others = {label: world.kind(kind.converse).words for label, (kind, _) in world.meaning.items()}
        self._converse = {label: words[0] for label, words in others.items() if len(words) == 1}
        self._longest = max(map(len, self._forms), default=0)
        own = {word for form in self._forms for word in form}
        english = languages[1] == "en"
        self._frame = (
            _FRAME | _YES_WORDS | _NO_WORDS | self._denials | own | about.unlabelled if english else None
        )
        self._unlabelled = about.unlabelled - own  # relations that an answer may name all the same

    def read(
        self, reply: str, asked: QuestionForm = WHICH, *, strict: bool = False, cut: bool = False
    ) -> str | None:
        """Return the answer: a relation, "cannot be told", or for a yes-no question "yes" or "no"; or None.

        strict: only if exactly one answer is marked, as rewards require. cut: whether the reply was cut off.
        """
        said, marked, after = answer_in(reply, self._lines, strict=strict)
        if said is None or len(said) > _LONGEST:
            return None
        if not marked and (foreign := self._foreign.search(said)):  # read only where it is a label alone
            word = _plain(foreign[1]).strip(" .*`\"'")
            return word if word in self._labels else None
        if len(_plain(said)) > _LONGEST or (cut and not marked):
            return None
        letter = _letter(said, len(asked.relations)) if asked.form == "choice" else None
        told, stated = self._about(said, asked)
        if not marked and (stated or _unfinished(said)):
            return stated.pop() if len(stated) == 1 else None
        sentences = [*self._sentences(_plain(told), asked.form == "yes-no")]
        found: set[str | None] = set() if letter is None else {asked.relations[letter]}
        for sentence in sentences:
            # Several relations after "cannot be told" are the reason for it.
            reason = found == {CANNOT_BE_TOLD} and len(sentence.named) > 1
            if sentence.against or not found or (not marked and sentence.concludes and sentence.named):
                found = {*sentence.named}
            elif not marked or sentence.turns or (sentence.bare and not reason):
                found.update(sentence.named)
            found -= sentence.denied
        if len(found) != 1 or (strict and not self._committed(said, found, sentences, asked, after)):
            return None
        return None if found == {NO} and _NO_DENIED.search(_plain(said)) else found.pop()

    def _committed(
        self,
        said: str,
        found: set[str | None],
        sentences: Sequence[_Clause],
        asked: QuestionForm,
        after: str,
    ) -> bool:
        """Return whether a marked answer says what was found and nothing that takes it back."""
        if (found != {NO} and any(one.loose for one in sentences)) or _UNSURE.search(said):
            return False
        if asked.form != "which" and (_EVERY.search(said.lower()) or _letters(said, asked) > 1):
            return False
        names = {token.text for name in asked.query for token in _tokens(_plain(name))}
        giving = next((one for one in sentences if one.named), None)
        if self._frame is not None and giving is not None and not giving.said <= self._frame | names:
            return False
        behind = after[:_LONGEST].lower()
        if _HEDGED.search(f"{said.lower()} {behind}"):
            return False
        if found != {CANNOT_BE_TOLD} and _TAKEN_BACK.search(behind):
            return False
        return not any(
            one.against or (one.bare and one.named and {*one.named} != found)
            for one in self._sentences(_plain(after[:_LONGEST]), asked.form == "yes-no")
        )

    @cached_property
    def _claims(self) -> ClaimReader:
        return ClaimReader(self._world)

    def _about(self, said: str, asked: QuestionForm) -> tuple[str, set[str]]:
        """Return a text with what it states of the two entities put as an answer, and these answers.

        "Dan is Ann's son", asked for Dan, becomes "son"; "Ann is north of Bob", asked for Bob, "south of";
        and what depends on a form that is not known, nothing.
        """
        stated, parts, at = set[str](), [], 0
        if not asked.query or not all(name in said for name in asked.query):
            return said, stated
        for one in self._claims.about(said, asked.query):
            answer = self._answer(one, asked)
            if answer is not None and (one.end < len(said) or not _unfinished(said)):
                stated.update(filter(None, (answer,)))
                parts += [said[at : one.start], f" {answer} "]
                at = one.end
        return "".join([*parts, said[at:]]), stated

    def _answer(self, said: FoundClaim, asked: QuestionForm) -> str | None:
        """Return the answer that a claim about the two entities gives, "" if none, None if it is unsure."""
        relation, turned = said.claim.relations[0], said.claim.head != asked.query[0]
        if said.hedged or said.other or len(said.claim.relations) > 1:
            return None
        if turned:
            relation = self._converse.get(relation, "")
        if asked.form == "yes-no":
            return (NO if said.denied else YES) if relation == asked.relations[0] else None
        return None if said.denied else relation

    def _add(self, words: str, relation: str) -> None:
        pieces = tuple(token.text for token in _tokens(_spaced(_plain(words))))
        self._forms[pieces] = relation
        self._forms["".join(pieces),] = relation
        for prefix in self._prefixes:
            if pieces and pieces[0].startswith(prefix) and pieces[0] != prefix:
                self._forms[prefix, pieces[0].removeprefix(prefix), *pieces[1:]] = relation

    def _sentences(self, text: str, yes_no: bool) -> Iterator[_Clause]:
        """Yield what each sentence names: relations, or whether it says yes or no."""
        text = _UNDETERMINED.sub(lambda found: f" {_OPEN_IF if found[1] else _OPEN} ", text)
        answered = not text.rstrip().endswith("?")
        for piece in _PIECE.finditer(_spaced(_DENYING.sub(" not ", text))):
            sentence = self._sentence(piece[1], yes_no)
            if piece[2] == "?" and answered:  # a question that the reply goes on to answer
                sentence.named = []
            elif piece[2] == "?":
                sentence.said |= {"?"}
            yield sentence

    def _sentence(self, text: str, yes_no: bool) -> _Clause:
        tokens, sentence = list(_tokens(text)), _Clause()
        words = [token.text for token in tokens]
        sentence.said = frozenset(words) - {_OPEN, _OPEN_IF}
        sentence.turns, sentence.concludes = (
            not kind.isdisjoint(words[:1]) for kind in (self._contrary, _SO)
        )
        sentence.against = not (yes_no or self._denials.isdisjoint(words)) and self._against.issuperset(words)
        # How many were named before this clause, the last comma, and the last conclusion.
        at = end = clause = comma = concluded = 0
        # What follows in the clause; a denial that has met nothing; what only says which answers are open.
        taken_back = loose = skipped = False
        while at < len(tokens):
            word, gap = words[at], text[end : tokens[at].start]
            comma = len(sentence.named) if "," in gap else comma
            if word in self._contrary or ("," in gap and word in _SUBJECTS):
                if loose:
                    sentence.deny(max(clause, comma))
                clause, taken_back, loose, skipped = len(sentence.named), False, False, False
                concluded = clause if word in _SO else concluded
            size, named = (1, []) if skipped else self._named(text, tokens, at, yes_no)
            if word in (_OPEN, _OPEN_IF) and not skipped:
                denied = at and words[at - 1] in self._negations
                sentence.named.append(None if denied else CANNOT_BE_TOLD)
                skipped = word == _OPEN_IF
            elif named and taken_back and not yes_no:
                sentence.denied.update(named)
                loose = False
            elif named:
                sentence.named += [NO if one == YES else None for one in named] if taken_back else named
                loose = False
            elif word in self._negations:
                taken_back = loose = True
            elif word in _WRONG or (taken_back and word in _RIGHT):
                sentence.deny(clause)
            sentence.bare &= (
                skipped or bool(named) or word == _OPEN or word in (self._against if yes_no else _BARE)
            )
            end, at = tokens[at + size - 1].end, at + size
        if yes_no and loose and words[-1] in self._negations:  # "he is not"
            sentence.named.append(NO)
        elif loose:
            sentence.deny(max(clause, comma))
        if len(sentence.named) > concluded:
            del sentence.named[:concluded]
        return sentence

    def _named(self, text: str, tokens: list[_Token], at: int, yes_no: bool) -> tuple[int, list[str | None]]:
        """Return what is named from this token on, and in how many tokens."""
        word = tokens[at].text
        if yes_no:
            return 1, [YES] if word in _YES_WORDS else [NO] if word in _NO_WORDS else []
        size, relation = self._match(text, tokens, at)
        if size:
            return size, [relation if self._whole(text, tokens, at, size) else None]
        return 1, [None] if word in self._unlabelled else []

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
        if (
            text[last.end : last.end + 1] == "-"
            or before[-1:] in ("-", "~", "!")
            or text[last.end : last.end + 2] == "'s"
        ):
            return False
        if before == " " and tokens[at - 1].text in self._modifiers:
            return False
        return tuple(token.text for token in tokens[at + size : at + size + 2]) not in self._suffixes


def _plain(text: str) -> str:
    """Return the text in lower case, with one kind of dash and apostrophe, without invisible characters."""
    unfolded = unicodedata.normalize("NFKC", text)
    if len(unfolded) <= _UNFOLDED * len(text):  # a letter may become eighteen
        text = unfolded
    text = text.translate({**PLAIN, **_INVISIBLE})
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


def _spaced(text: str) -> str:
    """Return the text with each letter of a script that has no spaces between words as a word of its own."""
    return _UNSPACED.sub(r" \g<0> ", text)


def _letter(said: str, options: int) -> int | None:
    """Return the number of the option whose letter is given: `B`, `(B)`, `B) daughter`, `the answer is B`."""
    match = _OPTION.match(said) or _OPTION_SAID.search(said)
    if match is None or _OTHER_OPTION.search(said, match.end(1)):
        return None
    number = ord(match[1].upper()) - ord("A")
    return number if number < options else None


def _letters(said: str, asked: QuestionForm) -> int:
    """Return how many options a text names by their letters."""
    found = {*re.findall(r"(?<![\w'])(A(?! [a-z])|[B-Z])\b(?!')", said)}
    return sum(ord(letter) - ord("A") < len(asked.relations) for letter in found)


def _unfinished(said: str) -> bool:
    """Return whether a text stops in the middle of its last sentence, and that is not its only one."""
    said = said.strip()
    return said[-1:].isalnum() and _SENTENCE_END.search(said) is not None
