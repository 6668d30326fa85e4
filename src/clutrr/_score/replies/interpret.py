"""What the words of an answer say: clause by clause, what is named and what is denied."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from clutrr._puzzle import CANNOT_BE_TOLD
from clutrr._score.replies.question import NO, YES
from clutrr._score.replies.text import Token, plain, spaced, tokens
from clutrr._score.replies.vocabulary import Vocabulary
from clutrr._score.words import phrases, words

# A sentence, or what explains one, with its end.
_PIECE = re.compile(
    r"(?=.)((?:because|since|although|though|whereas)?.*?)"
    r"([.;:!?\n()]|\s[-—]\s|\b(?=(?:because|since|although|though|whereas)\b)|\Z)",
    re.DOTALL,
)
_UNDETERMINED = re.compile(
    r"\b(?:(?:cannot|can ?not|can't|could ?n[o']t|impossible to|not possible to|unable to"
    r"|no way to)(?: be)?(?: [a-z]{1,20}ly)?"
    r" (?:tell|told|determined?|known?|inferred|infer|deduced?|decided?|said|say|established)"
    r"|(?:story|text|passage|facts?|information)(?: given)? (?:do(?:es)? not|do(?:es)?n't|never)"
    r" (?:say|tell|specify|state|settle|determine|decide|reveal|mention)(?: us)?(?=\s+(?:whether|if|how|what|which|who)\b)"
    r"|nothing in the (?:story|text|passage) (?:determines|says|tells|settles|decides)(?: us)?"
    r"|(?:leaves?|left) (?:it |this |that |the \w+ )?(?:open|undecided)"
    r"|lacks? (?:the |any |enough |sufficient )?info(?:rmation)?(?: to (?:tell|determine|say|decide|know))?"
    r"|not determinable|unclear|(?<![a-z] )open(?=\s*(?:\Z|[.,;]))"
    r"|undetermined|indeterminate|undeterminable|undecidable|ambiguous|unknown(?=\s*(?:\Z|[.,;:(\n]))"
    r"|(?:not|[a-z]{2,6}n't)(?: [a-z]{2,12}){0,2} (?:enough|sufficient) info(?:rmation)?"
    r"(?: to (?:tell|determine|say))?"
    r"|(?:story|text|passage|facts?|information)(?: given)? (?:do(?:es)? not|do(?:es)?n't|never)"
    r" (?:say|tell|specify|state|settle|determine|decide|reveal|mention)(?: us| so| this| it)?(?=\s*(?:\Z|[.,;:(\n]))"
    r"|(?:is|are) (?:not|never) (?:determined|specified|stated|settled|decided|determinable|decidable)"
    r"|no (?:definite|single|unique|clear|definitive|certain) (?:answer|relation(?:ship)?|conclusion)"
    r"|insufficient info(?:rmation)?|more than one (?:answer|relation) is possible)\b"
    r"(?=(\s*,?\s*(?:whether|if|which|what|who|how|between|because|since|as)\b)?)"
)
# "not A (son)" denies what stands in brackets; "no other relation fits" is no "no".
_NOT_LETTER = re.compile(r"\b(not|than|isn't) (?:option )?[a-z] ?\((?=[^()]*\))")
_DENIED_ASIDE = re.compile(r"\((?:not|no)\b:? [^()]*\)")  # "nephew (not: son, brother)"
_NO_NOUN = re.compile(
    r"\bno (?=(?:other|one|doubt|further|more|need|relation|such|longer|way|reason|evidence|contradiction|question"
    r"|additional|alternative|exceptions?|gaps?|assumptions?)\b)"
)
_UNDETERMINED_ELSEWHERE = re.compile("|".join(phrases("open")))
# What denies as "not" does: the words after it, or else those before it.
_DENYING = re.compile(
    r"\b(?:(?:any|every)thing but|other than|except(?: for)?|rather than|instead of"
    r"|rul(?:es?|ing) out|far from|lack of|opposite of|nothing like|hardly|scarcely"
    r"|(?<!no )(?<!any )(?<!a )doubt|rejects?|excludes?|den(?:y|ies)|out of the question"
    r"|(?:wrong|false|incorrect|untrue) (?:to|that))\b"
    r"|(?<!\S)[~!\xac](?=\w)|[\u2717\u2718\u274c\U0001f44e]"
)
# What stands for these in a text, and for those with "whether".
_OPEN, _OPEN_IF = "cannotbetold", "cannotbetoldif"
_SUBJECTS, _WRONG, _RIGHT, _SO, _BARE = map(
    words, ("subject", "wrong", "right", "conclusion", "bare")
)
_DENIAL_ALONE = _BARE | _WRONG | _RIGHT | words("denial")


@dataclass
class Clause:
    """What a piece of a reply names and denies.

    Args:
        named: relations, "yes" or "no", in their order; None for a relation that the world lacks.
        denied: those that it takes back.
        bare: whether it says nothing else.
        turns: whether it begins with "so", "but" or the like.
        concludes: whether it begins with "so" or the like.
        against: whether it only denies what was said before.
        loose: whether it denies anything but a relation that it names.
        said: its words.
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


class Interpreter:
    """Takes texts apart into clauses, by the vocabulary of a world."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._denials = vocabulary.negations | _WRONG
        self._only_denials = vocabulary.negations | _DENIAL_ALONE

    @property
    def denials(self) -> frozenset[str]:
        """Words that deny what stands beside them."""
        return self._denials

    def clauses(self, text: str, yes_no: bool) -> Iterator[Clause]:
        """Yield what each clause of a text names: relations, or whether it says yes or no."""
        text = _NOT_LETTER.sub(r"\1 ", plain(text))
        if yes_no:
            text = _NO_NOUN.sub(" ", text)
        text = _DENIED_ASIDE.sub(" ", text)
        text = _UNDETERMINED.sub(_marker, text)
        text = _UNDETERMINED_ELSEWHERE.sub(f" {_OPEN} ", text)
        answered = not text.rstrip().endswith("?")
        for piece in _PIECE.finditer(spaced(_DENYING.sub(" not ", text))):
            clause = self._clause(piece[1], yes_no)
            if piece[2] == "?" and answered:  # a question that the reply goes on to answer
                clause.named = []
            elif piece[2] == "?":
                clause.said |= {"?"}
            yield clause

    def _clause(self, text: str, yes_no: bool) -> Clause:
        scan = _Scan(text, list(tokens(text)), yes_no, self._vocabulary, self._denials)
        clause = scan.run()
        listed = [token.text for token in scan.tokens]
        clause.said = frozenset(listed) - {_OPEN, _OPEN_IF}
        first = listed[:1]
        clause.turns = not self._vocabulary.contrary.isdisjoint(first)
        clause.concludes = not _SO.isdisjoint(first)
        denies = not self._denials.isdisjoint(listed)
        clause.against = denies and not yes_no and self._only_denials.issuperset(listed)
        beside = self._only_denials if yes_no else _BARE
        clause.bare = all(word in beside for word in scan.beside)
        return clause


class _Scan:
    """One pass over the words of a clause.

    A negation takes back the next relation that is named, or, if none follows it up to the end of
    the clause, those named before it.
    """

    def __init__(
        self,
        text: str,
        said: Sequence[Token],
        yes_no: bool,
        vocabulary: Vocabulary,
        denials: frozenset[str],
    ) -> None:
        self.text, self.tokens, self._yes_no = text, said, yes_no
        self._vocabulary, self._denials = vocabulary, denials
        self.beside: list[str] = []  # the words that are neither named nor skipped
        self._clause = Clause()
        # How many were named before this part, the last comma, and the last conclusion.
        self._part = self._comma = self._concluded = 0
        self._taken_back = False  # a negation stands before, in this part
        self._loose = False  # a negation has met no relation yet
        self._skipped = False  # what only says which answers are open

    def run(self) -> Clause:
        """Return what the clause names and denies."""
        at = end = 0
        while at < len(self.tokens):
            gap = self.text[end : self.tokens[at].start]
            size = self._word(at, comma="," in gap)
            end, at = self.tokens[at + size - 1].end, at + size
        clause = self._clause
        if self._yes_no and self._loose and self._ends_in_negation():  # "he is not"
            clause.named.append(NO)
        elif self._loose:
            clause.deny(max(self._part, self._comma))
        if len(clause.named) > self._concluded:
            del clause.named[: self._concluded]
        return clause

    def _word(self, at: int, comma: bool) -> int:
        """Take in what begins with a token; return how many tokens it has."""
        word, named_so_far = self.tokens[at].text, len(self._clause.named)
        if comma:
            self._comma = named_so_far
        if word in self._vocabulary.contrary or (comma and word in _SUBJECTS):
            self._begin_part(word)
        if self._skipped:
            return 1
        if word in (_OPEN, _OPEN_IF):
            denied = at and self.tokens[at - 1].text in self._vocabulary.negations
            self._clause.named.append(None if denied else CANNOT_BE_TOLD)
            self._skipped = word == _OPEN_IF
            return 1
        size, named = self._vocabulary.named(self.text, self.tokens, at, self._yes_no)
        if named:
            self._name(named)
            return size
        if word in self._vocabulary.negations:
            self._taken_back = self._loose = True
        elif word in _WRONG or (self._taken_back and word in _RIGHT):
            self._clause.deny(self._part)
        self.beside.append(word)
        return size

    def _begin_part(self, word: str) -> None:
        """Begin a part of the clause in which earlier negations no longer count."""
        if self._loose:
            self._clause.deny(max(self._part, self._comma))
        self._part = len(self._clause.named)
        self._taken_back = self._loose = self._skipped = False
        if word in _SO:
            self._concluded = self._part

    def _name(self, named: list[str | None]) -> None:
        if self._taken_back and not self._yes_no:
            self._clause.denied.update(named)
        elif self._taken_back:
            self._clause.named += [NO if one == YES else None for one in named]
        else:
            self._clause.named += named
        self._loose = False

    def _ends_in_negation(self) -> bool:
        return self.tokens[-1].text in self._vocabulary.negations


def _marker(found: "re.Match[str]") -> str:
    return f" {_OPEN_IF if found[1] else _OPEN} "
