"""Reads what ordinary sentences say of people: "[A] and his wife [B]", "[B], [A]'s son", "[A] married [B]".

A relation word says what somebody is to somebody else. Its owner stands before it, by name or as "his" and
"her", or after "of"; those whom it describes stand next to it. What is not taken for a fact: a word whose
sentence ends before the next name ("[A]'s brother. [B] came home."), unless what follows gives the name ("her
son. His name is [B]."); and the relation of somebody without brackets in between ("[A]'s daughter Paula and
Paula's brother [B]").
"""

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from clutrr.labels import Labels
from clutrr.puzzle import Fact
from clutrr.sentences import ENTITY, NOT_NAMES, OPENING_WORDS, cut_sentences, entities_in, shape_of
from clutrr.theory.theory import FreeReader, FreeReading

_PIECE = re.compile(rf"{ENTITY}|'s\b|n't\b|\w+(?=n't\b)|[\w-]+(?: in law\b)?(?:'s\b)?|[.,!?;:]")
_CAPITALISED = re.compile(r"\b[A-Z][\w-]*(?: [A-Z][\w-]*)*")
_CALLED = ("named", "called")
# What may stand between a relation word and the name of the person that it describes.
_NAMED = frozenset("named called name is was , : his her by the of whose are were".split())
# How a sentence starts that only gives the name.
_NAME_IS = {(his, "name", be) for his in ("his", "her", "their", "the") for be in ("is", "was", "of")}
# A word for somebody and a word for what they have, "her daughter's son": what it makes.
_OF = {
    ("child", "child"): "grand",
    ("child", "SO"): "in-law",
    ("SO", "inv-child"): "inv-in-law",
    ("inv-child", "inv-child"): "inv-grand",
    ("inv-child", "sibling"): "inv-un",
    ("inv-child", "SO"): "inv-child",
    ("sibling", "child"): "un",
    ("inv-child", "child"): "sibling",
    ("sibling", "inv-child"): "inv-child",
}
# Words of any gender, of one person and of several.
_ANY = {
    "SO": ("spouse partner", "spouses partners"),
    "child": ("child kid baby", "children kids babies"),
    "inv-child": ("parent", "parents"),
    "sibling": ("sibling twin", "siblings twins"),
    "grand": ("grandchild", "grandchildren grandkids"),
    "inv-grand": ("grandparent", "grandparents"),
}
_IS_A_MAN = re.compile(r" is an? (man|woman|boy|girl|male|female)\b")
_PRONOUNS = {"his": "male", "her": "female", "their": ""}
_IS = frozenset("is was are were became be".split())
_AND = frozenset((",", "and", "&"))
_ENDS = frozenset(".!?;")
_WED = frozenset("married marries wed weds".split())
_UNSURE = frozenset(
    "not n't never if would could might may perhaps maybe unless whether nobody no ex former future".split()
)
# Words of kinship that a world may have no label for, and what makes another relation of a label.
_OTHER_KIN = frozenset(
    """
    adopted adoptive ancestor aunt aunts bride brother-in-law brothers-in-law cousin cousins descendant
    divorced engaged fiance fiancee foster god godfather godmother great groom half in-law in-laws nephew
    nephews niece nieces relative relatives sister-in-law sisters-in-law step stepbrother stepdaughter
    stepfather stepmother stepsister stepson uncle uncles widow widower
    """.split()
)
_NOTHING = "!" * 8  # after the last piece, so that one can look ahead
_WINDOW = 40  # pieces before a word, in which its owner is looked for


class _Word(NamedTuple):
    """What a relation word says. form: the number of a gender, None for any. many: whether of several."""

    kind: str
    form: int | None
    many: bool


class _Statement(NamedTuple):
    """The person is that kind to the owner. at: the piece that says so."""

    owner: str
    kind: str
    person: str
    at: int


class _StoryPieces:
    """A story in pieces: words, marks, and people who are named.

    texts: the pieces in lower case, with [] for whoever is named. names: whom each names, "" for nobody.
    says: words that say what somebody is to somebody. strangers: people without brackets; they follow a
    relation word or "named", or have a relation. sentences: where each starts and ends, and what of it
    must be understood.
    """

    def __init__(self, sentences: Sequence[str], words: Container[str], matters: Container[str]) -> None:
        self.texts: list[str] = []
        self.names: list[str] = []
        self.sentences: list[tuple[int, int, list[int]]] = []
        self.strangers: set[str] = set()
        for sentence in sentences:
            start, named = len(self.texts), iter(entities_in(sentence))
            found = _PIECE.findall(shape_of(sentence))
            texts = [piece.lower().replace(" in law", "-in-law") for piece in found]
            near = [".", *texts, "."]
            for at, piece in enumerate(found):
                if piece[0].isupper() and len(piece) > 1 and start + at:
                    before = near[at - 1] if near[at] == "," else near[at]
                    has = len(piece) > 2 and piece.endswith("'s") and near[at + 2] in words
                    stranger = texts[at].removesuffix("'s")
                    if stranger not in words and (before in words or before in _CALLED or has):
                        self.strangers.add(stranger)
            self.texts += texts
            self.names += [next(named) if text == "[]" else "" for text in texts]
            known = [start + at for at, text in enumerate(texts) if text in matters]
            self.sentences.append((start, len(self.texts), known))
        self.says = [at for at, text in enumerate(self.texts) if text in words or text in _WED]
        self._ends = [at for at, text in enumerate(self.texts) if text in _ENDS]
        self.texts += _NOTHING
        self.names += [""] * len(_NOTHING)

    def clause(self, at: int) -> int:
        """Return the number of the clause that a piece is in."""
        return bisect_left(self._ends, at)

    def start(self, at: int) -> int:
        """Return the first piece of the clause of a piece."""
        before = self.clause(at)
        return self._ends[before - 1] + 1 if before else 0


class KinshipFreeReader(FreeReader):
    """Reads what one person is to another out of sentences that name both; remembers the last stories.

    synonyms: other words for labels.
    """

    def __init__(self, labels: Labels, synonyms: Mapping[str, str]) -> None:
        self._labels = labels
        known = {word: word for word in labels.meaning} | {
            word: label for word, label in synonyms.items() if label in labels.meaning
        }
        self._words: dict[str, _Word] = {}
        for word, label in known.items():
            kind, form = labels.meaning[label]
            self._words[word] = _Word(kind.name, form, False)
            first, dash, rest = word.partition("-")  # "sons-in-law"
            plural = "wives" if word == "wife" else f"{first}s{dash}{rest}"
            self._words[plural] = _Word(kind.name, form, True)
        for name, numbers in _ANY.items():
            for many, words in enumerate(numbers):
                if name in labels.index:
                    self._words |= {word: _Word(name, None, bool(many)) for word in words.split()}
        # What must be understood for its sentence to be.
        matters = (*self._words, *_WED, *_OTHER_KIN, *_UNSURE)
        self._matters = frozenset((*matters, *(f"{word}'s" for word in matters)))
        self._story = lru_cache(2)(self._pieces)
        self._votes = lru_cache(1)(self._count)

    def _pieces(self, sentences: tuple[str, ...]) -> _StoryPieces:
        return _StoryPieces(sentences, self._words, self._matters)

    def relation(self, story: str, head: str, tail: str, forms: Mapping[str, str]) -> str | None:
        """Return what tail is to head, in tail's gender; None if no sentence says so plainly."""
        if forms[tail] not in self._labels.forms:
            return None
        votes = self._votes(story, frozenset(forms.items())).get((head, tail))
        if not votes:
            return None
        (kind, times), *others = votes.most_common(2)
        if others and others[0][1] == times:  # the text says both
            return None
        return self._labels.kind(kind).words[self._labels.forms.index(forms[tail])]

    def _count(self, story: str, genders: frozenset[tuple[str, str]]) -> dict[tuple[str, str], Counter[str]]:
        """How often the sentences say each kind of two people."""
        votes: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        pieces = self._story(tuple(cut_sentences(story)))
        for owner, kind, person, _ in _Sayings(pieces, self._words, dict(genders), self._labels).all():
            votes[owner, person][kind] += 1
            votes[person, owner][self._labels.kind(kind).converse] += 1
        return votes

    def shows_form(self, text: str, entity: str) -> bool:
        """Return whether a sentence says "[A] is a man"."""
        return _IS_A_MAN.match(text.partition(f"[{entity}]")[2]) is not None

    def read(self, sentences: Sequence[str]) -> FreeReading:
        """Return what sentences state whose every word of kinship is understood."""
        marked = list(sentences)
        if not any("[" in one for one in marked):
            marked = [self._marked(one) for one in marked]
        story = self._story(tuple(marked))
        genders: dict[str, str] = {}
        for _ in range(2):  # the second time with what the first has shown
            sayings = _Sayings(story, self._words, genders, self._labels, strict=True)
            said = list(sayings.all())
            genders = genders | sayings.shown
            if all(genders.get(name, gender) == gender for name, gender in sayings.supposed):
                break
        couples = list(_couples(said))
        for a, b in [*couples, *couples]:
            self._differ(genders, a, b)
        some = dict(genders)  # where none is shown, one that marriages allow
        for a, b in couples:
            some.setdefault(a, self._labels.forms[0])
            self._differ(some, a, b)
        facts: list[tuple[Fact, ...] | None] = []
        for start, end, matters in story.sentences:
            about = [one for one in said if start <= one.at < end]
            read = {one.at for one in about} | sayings.passed
            facts.append(
                tuple(self._fact(one, some) for one in about) if about and read.issuperset(matters) else None
            )
        people = {name for one in said for name in (one.owner, one.person)}
        return FreeReading(facts, {name: genders.get(name, "") for name in people})

    def _marked(self, sentence: str) -> str:
        """The sentence with square brackets around what looks like a name."""

        def mark(match: re.Match[str]) -> str:
            low = match[0].lower()
            plain = low in NOT_NAMES or low in OPENING_WORDS or low in self._words
            return match[0] if plain else f"[{match[0]}]"

        return _CAPITALISED.sub(mark, sentence)

    def _differ(self, genders: dict[str, str], a: str, b: str) -> None:
        """Give the other of two people the other gender."""
        one, other = self._labels.forms
        for known, spouse in ((a, b), (b, a)):
            if known in genders:
                genders.setdefault(spouse, other if genders[known] == one else one)

    def _fact(self, said: _Statement, genders: Mapping[str, str]) -> Fact:
        form = self._labels.form(genders.get(said.person, "")) or 0
        return Fact(said.owner, self._labels.kind(said.kind).words[form], said.person)


def _couples(said: Sequence[_Statement]) -> Iterator[tuple[str, str]]:
    """Those who are married, or have a child together."""
    parents: dict[str, dict[str, None]] = {}
    for owner, kind, person, _ in said:
        if kind == "SO":
            yield owner, person
        elif kind in ("child", "inv-child"):
            child, parent = (person, owner) if kind == "child" else (owner, person)
            parents.setdefault(child, {})[parent] = None
    for found in parents.values():
        if len(found) == 2:
            one, other = found
            yield one, other


class _Sayings:
    """Finds what the relation words of a story say. genders: of the people, "" or none where not known.

    strict: whether to leave out what two people could be meant by, and what only follows.
    """

    def __init__(
        self,
        story: _StoryPieces,
        words: Mapping[str, _Word],
        genders: Mapping[str, str],
        labels: Labels,
        strict: bool = False,
    ) -> None:
        self._story, self._words, self._genders, self._labels = story, words, genders, labels
        self._texts, self._names = story.texts, story.names
        self._strict = strict
        self.shown: dict[str, str] = {}  # genders that words and pronouns show
        self.passed: set[int] = set()  # words that are part of what others say
        self.supposed: list[tuple[str, str]] = []  # genders of people that nothing has shown yet
        self._owners: dict[int, list[str]] = {}  # of each relation word that was read
        self._by_pronoun: dict[int, str] = {}  # names that "his son [B]" gives: the pronoun

    def all(self) -> Iterator[_Statement]:
        """Yield every statement."""
        for at in self._story.says:
            yield from self._married(at) if self._texts[at] in _WED else self._said_by(at)

    def _said_by(self, at: int) -> Iterator[_Statement]:
        """What a relation word says."""
        word = self._words[self._texts[at]]
        kind, start = word.kind, at
        before = self._texts[at - 1].removesuffix("'s") if at else ""
        if at and self._texts[at - 1].endswith("'s") and before in self._words:  # "her daughter's son"
            kind, start = _OF.get((self._words[before].kind, kind), ""), at - 1
            if kind not in self._labels.index:
                return
            self.passed.add(at - 1)
        first, determiner = self._determiner(start)
        gender = "" if word.form is None else self._labels.forms[word.form]
        places = [
            place
            for place in self._after(at, word) or self._before(first, word)
            if not gender or self._may_be(self._names[place], gender)
        ]
        members = [self._names[place] for place in places]
        self._owners[at] = owners = self._owner(at, first, determiner, members)
        for place, name in zip(places, members, strict=True):
            if gender:
                self.shown.setdefault(name, gender)
            self._by_pronoun.setdefault(place, determiner if determiner in _PRONOUNS else "")
            yield from (_Statement(owner, kind, name, at) for owner in owners if owner != name)
        if self._strict and owners:
            return
        # What follows of several people of whom one thing is said.
        if word.many and kind in ("child", "sibling"):
            for one, other in combinations(dict.fromkeys(members), 2):
                yield _Statement(one, "sibling", other, at)
        both = members if word.many and kind == "inv-child" else owners if determiner == "their" else []
        if len(both) == 2 and kind in ("child", "inv-child"):
            yield _Statement(
                both[0], "sibling" if (kind, both) == ("inv-child", owners) else "SO", both[1], at
            )

    def _may_be(self, name: str, gender: str) -> bool:
        """Return whether somebody can have a gender, as far as it is known."""
        if not self._genders.get(name):
            self.supposed.append((name, gender))
            return True
        return self._genders[name] == gender

    def _determiner(self, at: int) -> tuple[int, str]:
        """Where the words that belong to a relation word start, and what they start with.

        That is "'s", "his", "the", "of" a list such as "and"; "" if there is none.
        """
        for place in range(at - 1, max(-1, at - 5), -1):
            text = self._texts[place]
            if text == "'s" and self._names[place - 1]:
                return place - 1, "'s"
            if text in _PRONOUNS or text in ("the", "a", "an", "another"):
                return place, text
            if text in _AND:
                return place + 1, "and"
            if text.endswith("'s"):  # "Paula's brother": of somebody without brackets
                return place, "the"
            if self._names[place] or text in _ENDS or text in self._words:
                return place + 1, ""
            if text in _IS or text in ("with", "has", "have", "had", "to"):
                return place + 1, text
        return at, ""

    def _after(self, at: int, word: _Word) -> list[int]:
        """Where those are named after a relation word whom it describes."""
        texts, names = self._texts, self._names
        place = at + 1
        if texts[place] in ("of", "to") and names[place + 1]:  # "the son of [A] is [B]"
            place += 2
            if texts[place] not in (*_IS, ","):
                return []
        while texts[place] in _NAMED and not names[place]:
            place += 1
        if not names[place]:
            return self._name_given(at)
        apposed = texts[place - 1] in (",", *_IS) and texts[place + 1] == "'s"
        if apposed and not self._words.keys().isdisjoint(texts[place + 2 : place + 4]):
            return []  # "her aunt, [B]'s sister"
        found = [place]
        while word.many and texts[place + 1] in _AND:
            place += 2 if texts[place + 2] not in _AND else 3
            if not names[place]:
                break
            found.append(place)
        return found

    def _name_given(self, at: int) -> list[int]:
        """Where the next sentence gives the name, "His name is [B]"."""
        texts, names = self._texts, self._names
        place = at + 1
        while texts[place] not in _ENDS:
            if names[place] or texts[place] in self._words:
                return []
            place += 1
        given = tuple(texts[place + 1 : place + 4]) in _NAME_IS and names[place + 4]
        return [place + 4] if given else []

    def _before(self, first: int, word: _Word) -> list[int]:
        """ "[B], her grandfather", "[B] is [A]'s", "[B], who is the", "[A] and [B] are"."""
        texts, names = self._texts, self._names
        place = first - 1
        while place >= 0 and texts[place] in (",", "who", "is", "was", "are", "were", "both"):
            place -= 1
        if place < 0 or not names[place] or self._story.clause(place) != self._story.clause(first):
            return []
        found = [place]
        while word.many and place > 1 and texts[place - 1] in _AND and names[place - 2]:
            place -= 2
            found.append(place)
        return found

    def _owner(self, at: int, first: int, determiner: str, members: list[str]) -> list[str]:
        """Whose relative the word names."""
        texts, names = self._texts, self._names
        if texts[at + 1] in ("of", "to") and names[at + 2]:
            return [names[at + 2]]
        if determiner == "'s":
            others = names[first - 2 : first - 1] if first > 1 and texts[first - 1] == "and" else []
            return [names[first], *filter(None, others)]
        if determiner == "the":  # "presented the baby to the new grandmother, [B]": the baby's
            return []
        if determiner == "and":  # "his son [A] and daughter [B]"
            here = [w for w in self._owners if w < at and self._story.clause(w) == self._story.clause(at)]
            if here:
                return self._owners[here[-1]]
        if determiner == "their":
            return self._pair(first, members)
        if determiner not in _PRONOUNS:  # "[A] and [B] have a son", "They have a son"
            start = self._story.start(first)
            if not {"has", "have", "had"}.isdisjoint(texts[start:first]):
                named = list(dict.fromkeys(filter(None, names[start:first])))
                if texts[start] == "they":
                    return self._pair(start, members)
                if len(named) == 2 and "have" in texts[start:first]:
                    return named
        return self._nearest(first, determiner, members)

    def _pair(self, first: int, members: list[str]) -> list[str]:
        """The people before "their": the last two that are named together."""
        found: dict[str, int] = {}  # with the sentences that name them
        for place in range(first - 1, max(-1, first - _WINDOW), -1):
            if self._names[place] and self._names[place] not in members:
                found.setdefault(self._names[place], self._story.clause(place))
            if len(found) == 2:
                break
        apart = len(found) < 2 or len(set(found.values())) > 1
        return [] if self._strict and apart else list(found)

    def _nearest(self, first: int, pronoun: str, members: list[str]) -> list[str]:
        """The nearest person before a word whom "his" or "her" fits."""
        gender, found, where = _PRONOUNS.get(pronoun, ""), "", -1
        for place in range(first - 1, max(-1, first - _WINDOW), -1):
            name = self._names[place]
            if found and self._story.clause(place) != where:
                break
            if not name:
                if not found and self._texts[place].removesuffix("'s") in self._story.strangers:
                    return []
                continue
            if name in (found, *members) or (gender and self._by_pronoun.get(place) == pronoun):
                continue
            if not gender or self._may_be(name, gender):
                if found:
                    return []  # it could be either
                found, where = name, self._story.clause(place)
                if not self._strict:
                    return [name]
        if found and gender:
            self.shown.setdefault(found, gender)
        return [found] if found else []

    def _married(self, at: int) -> Iterator[_Statement]:
        """ "[A] married [B]", "[A] is married to [B]", "[A] and [B] got married"."""
        texts, names = self._texts, self._names
        after = at + 2 if texts[at + 1] == "to" else at + 1
        place = at - 1
        while place > max(0, at - 5) and not names[place] and texts[place] not in _ENDS:
            place -= 1
        if place < 0 or not names[place]:
            return
        if names[after]:
            yield _Statement(names[place], "SO", names[after], at)
        elif place > 1 and texts[place - 1] == "and" and names[place - 2]:
            yield _Statement(names[place - 2], "SO", names[place], at)
