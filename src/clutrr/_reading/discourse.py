"""Who is meant: from the conditions of sentences to statements about entities.

A pronoun means the one who can be meant: of those named before it in its sentence, or else in the sentence before, the
only one that its gender and number fit. Where several could be meant nobody is. Somebody without a name is known by a
relation to others: "Ann's mother's brother, Karl" is an uncle, where the theory makes one relation of the two.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from clutrr._reading.meaning import Condition, Conditions, Says
from clutrr._reading.senses import Senses
from clutrr._reading.tokens import Token
from clutrr._reading.words import Words
from clutrr._statement import Statement, StatementKind, Status

Forms = Mapping[str, frozenset[str]]
_NOBODY: tuple[str, ...] = ()
_IN_PLACES = frozenset("in near into outside throughout".split())
_IN_PEOPLE = frozenset(  # before "in", and then somebody
    "believe believes believed believing confide confides confided confiding trust trusts trusted faith interest interested "
    "saw see sees seen found find disappointed confidence delight delighted came bumped ran crashed put placed".split()
)


@dataclass
class Mentioned:
    """Who a sentence speaks of, for the next one. groups: those named together; unnamed: by noun, with what is known.

    one_of_another: whether it says what one is of another, "Olga is Max's daughter", and names nobody else.
    """

    names: list[str] = field(default_factory=list)
    groups: list[tuple[str, ...]] = field(default_factory=list)
    unnamed: list[tuple[str, Conditions, Mapping[int, tuple[str, ...]]]] = field(
        default_factory=list
    )
    strangers: int = 0
    one_of_another: bool = False
    topic: str = ""
    speaker: str = ""
    hearer: str = ""


@dataclass
class Said:
    """What a sentence says.

    unclear: tokens whose antecedent is not. beyond: tokens of a relation between entities that has no label.
    """

    statements: list[Statement] = field(default_factory=list)
    unclear: list[int] = field(default_factory=list)
    beyond: list[tuple[int, ...]] = field(default_factory=list)
    mentioned: Mentioned = field(default_factory=Mentioned)
    forms: dict[str, set[str]] = field(default_factory=dict)


def shared(ways: Sequence[Said], senses: Senses, narrow: bool = False) -> Said:
    """Return what all ways to read a sentence share: of a pair, that one of their relations holds.

    narrow: whether what all of them leave possible holds, as where a label may be a plain word, too.
    """
    first, *others = ways
    if not others:
        return first
    found: list[Statement] = []
    for one in first.statements:
        sides = [[_as_seen(two, one, senses) for two in way.statements] for way in others]
        same = [[two for two in way if two is not None and _same_pair(one, two)] for way in sides]
        if not all(same):
            continue
        relations = dict.fromkeys(one.relations)
        common = set(relations).intersection(*(matching[0].relations for matching in same))
        if narrow and common:
            relations = {label: None for label in relations if label in common}
        else:
            for matching in same:
                relations |= dict.fromkeys(matching[0].relations)
        kind = one.kind
        if kind in (StatementKind.FACT, StatementKind.ALTERNATIVES):
            kind = StatementKind.ALTERNATIVES if len(relations) > 1 else StatementKind.FACT
        found.append(replace(one, kind=kind, relations=tuple(relations)))
    unclear = [at for at in first.unclear if all(at in way.unclear for way in others)]
    forms = {
        name: {form for form in some if all(form in way.forms.get(name, ()) for way in others)}
        for name, some in first.forms.items()
    }
    beyond = [places for way in ways for places in way.beyond]
    return Said(found, unclear, beyond, first.mentioned, forms)


def _as_seen(one: Statement, like: Statement, senses: Senses) -> Statement | None:
    """Return a statement from the side of another one about the same two, where that can be."""
    if (one.head, one.tail) != (like.tail, like.head):
        return one
    relations = senses.turned(one.relations)
    return replace(one, head=like.head, relations=relations, tail=like.tail) if relations else None


def _same_pair(one: Statement, other: Statement) -> bool:
    return (one.head, one.tail, one.status) == (other.head, other.tail, other.status)


def describes_one(tokens: Sequence[Token]) -> bool:
    """Whether two are named, the second as whose relative the first is: "Olga is Max's daughter"."""
    places = [at for at, token in enumerate(tokens) if token.name]
    if len(places) != 2:
        return False
    last = places[1]
    return tokens[last - 1].norm == "of" or (
        last + 1 < len(tokens) and tokens[last + 1].norm == "'s"
    )


class Resolver:
    """Finds who is meant in the sentences of one text, one after the other. forms: told anywhere in the text."""

    def __init__(self, senses: Senses, forms: Forms, words: Words, reasoning: bool = False) -> None:
        self._senses = senses
        self._forms = forms
        self._words = words

    def resolve(
        self, tokens: Sequence[Token], said: Conditions, before: Mentioned, speaker: str = ""
    ) -> Said:
        """Return what a sentence says. before: whom the sentence before mentioned."""
        return _Sentence(
            self._senses, self._forms, self._words, tokens, said, before, speaker
        ).said()


class _Sentence:
    def __init__(
        self,
        senses: Senses,
        forms: Forms,
        words: Words,
        tokens: Sequence[Token],
        conditions: Conditions,
        before: Mentioned,
        speaker: str,
    ) -> None:
        self._senses, self._forms, self._tokens = senses, forms, tokens
        self._words = words
        self._conditions, self._before = conditions, before
        self._speaker = speaker or before.speaker
        self._result = Said()
        self._result.mentioned.speaker, self._result.mentioned.hearer = (
            before.speaker,
            before.hearer,
        )
        self._bindings: dict[int, list[Condition]] = {}
        for one in conditions:
            if one.says is Says.IS:
                self._bindings.setdefault(one.ones[0], []).append(one)
        self._pronouns: dict[int, tuple[str, ...]] = {}
        self._told: dict[str, set[str]] = {}  # forms that this sentence tells

    def said(self) -> Said:
        for one in self._conditions:
            if one.says is Says.SPEAKER:
                self._speaker = self._tokens[one.ones[0]].name
                quoted = any(token.norm in ("\u201c", '"') for token in self._tokens)
                if not quoted:
                    self._result.mentioned.speaker = self._speaker
            if one.says is Says.HEARER:
                self._result.mentioned.hearer = self._tokens[one.ones[0]].name
            if one.says is Says.TOPIC:
                self._result.mentioned.topic = self._tokens[one.ones[0]].name
        self._tell_forms()
        self._find_pronouns()
        for one in self._conditions:
            self._state(one)
        self._mention()
        self._result.forms = self._told
        return self._result

    # Forms

    def _tell_forms(self) -> None:
        for one in self._conditions:
            form = self._senses.form(one.sense)
            if not form or one.says not in (Says.RELATION, Says.AMONG):
                continue
            if one.says is Says.AMONG:
                places: Iterable[int] = one.ones if one.status is Status.ASSERTED else ()
            else:
                places = self._certain(one)
            for place in places:
                if self._tokens[place].name:
                    self._told.setdefault(self._tokens[place].name, set()).add(form)

    def _certain(self, one: Condition) -> Iterator[int]:
        """The names of those whom a relation describes."""
        if not one.given and one.status is not Status.ASSERTED:
            return
        for place in one.others:
            if self._tokens[place].name:
                yield place
            for binding in self._bindings.get(place, ()):
                if binding.status is Status.ASSERTED:
                    yield from (other for other in binding.others if self._tokens[other].name)

    def _may_be(self, name: str, forms: frozenset[str]) -> bool:
        told = self._told.get(name, set()) | self._forms.get(name, frozenset())
        return len(told) != 1 or told <= forms or not forms

    # Pronouns

    def _find_pronouns(self) -> None:
        owners = {
            place for one in self._conditions for place in one.ones if one.says is Says.RELATION
        }
        subjects = {
            place
            for one in self._conditions
            for place in (*one.ones, *one.others)
            if one.says is not Says.RELATION or not one.given
        }
        for at, token in enumerate(self._tokens):
            if token.norm == ":" and at in owners and self._before.topic:
                self._pronouns[at] = (self._before.topic,)
                self._result.mentioned.topic = self._before.topic
                continue
            if "<his>" not in token.keys and "<he>" not in token.keys and "<him>" not in token.keys:
                continue
            found = self._parallel(at) or self._antecedent(at, token)
            self._pronouns[at] = found
            naming = any(at in one.ones for one in self._conditions if one.says is Says.NAMED)
            if not found and at in owners | subjects and not naming:
                self._result.unclear.append(at)
            forms = self._pronoun_forms(token)
            if len(found) == 1 and len(forms) == 1:
                self._told.setdefault(found[0], set()).update(forms)

    def _pronoun_forms(self, token: Token) -> frozenset[str]:
        return frozenset(key[1:-1] for key in ("<male>", "<female>") if key in token.keys)

    def _antecedent(self, at: int, token: Token) -> tuple[str, ...]:
        if "<speaker>" in token.keys:
            return (
                (self._speaker,)
                if self._speaker and token.norm in ("i", "me", "my", "mine")
                else _NOBODY
            )
        if "<hearer>" in token.keys:
            hearer = self._result.mentioned.hearer
            return (hearer,) if hearer else _NOBODY
        if "<several>" in token.keys:
            return self._group_before(at)
        forms = self._pronoun_forms(token)
        if not forms and token.norm != "whose":
            return _NOBODY
        own = self._own(at)
        head = self._relative_head(at)
        if head and head not in own and self._may_be(head, forms):
            return (head,)
        if token.norm == "whose":
            return _NOBODY
        same = self._same_owner(at, token) or self._beside_spouse(at, own, forms)
        if same:
            return same
        controller = self._controller(at, forms, own)
        if controller:
            return controller
        candidates = self._candidates(at, forms, own)
        if candidates is not None and len(candidates) > 1:
            candidates = [
                name for name in candidates if name not in self._possessors(at)
            ] or candidates
        if candidates is None:
            return _NOBODY
        if not candidates:
            candidates = self._earlier(forms, own)
        if not candidates and candidates is not None:
            candidates = self._later(at, own, forms)
        if candidates is not None and len(candidates) > 1:
            candidates = self._plainly(at, candidates, forms)
        return tuple(candidates) if candidates is not None and len(candidates) == 1 else _NOBODY

    def _plainly(self, at: int, candidates: list[str], forms: frozenset[str]) -> list[str]:
        """The one who is told to have a form, where somebody is described by nobody else than one other.

        "Olga is Max's daughter. She ..." is about Olga.
        """
        places = [place for place in range(at) if self._tokens[place].name]
        before = [self._tokens[place].name for place in places]
        if not before:
            before = self._before.names if self._before.one_of_another else []
        elif not describes_one(self._tokens[: at + 1]):
            return []
        told = [
            name
            for name in candidates
            if forms and (self._told.get(name, set()) | self._forms.get(name, frozenset())) == forms
        ]
        return told if before and told == before[:1] else []

    def _parallel(self, at: int) -> tuple[str, ...]:
        """ "X is not west of Y; it is north of it": each pronoun has the part that a name had before."""
        mine = next(
            (one for one in self._conditions if not one.given and self._has_part(one, at)), None
        )
        if mine is None:
            return _NOBODY
        for one in self._conditions:
            if (
                one.says is not mine.says
                or one.given
                or one.status is Status.ASSERTED
                or one is mine
            ):
                continue
            names = self._who(one.others if at in mine.others else one.ones)
            before = all(
                place < at for place in (*one.ones, *one.others) if self._tokens[place].name
            )
            if len(names) == 1 and before:
                return names
        return _NOBODY

    def _has_part(self, one: Condition, at: int) -> bool:
        return one.says in (Says.RELATION, Says.IS) and at in (*one.ones, *one.others)

    def _own(self, at: int) -> set[str]:
        """Those who are described by what a possessive owns: nobody is their own relative."""
        found: set[str] = set(self._relatives(at))
        places = [at]
        while places:
            place = places.pop()
            for one in self._conditions:
                if one.says is Says.RELATION and place in one.ones:
                    for other in one.others:
                        if self._tokens[other].name:
                            found.add(self._tokens[other].name)
                        for binding in self._bindings.get(other, ()):
                            found |= {self._tokens[name].name for name in binding.others}
                        places.append(other)
        return found

    def _relatives(self, at: int) -> Iterator[str]:
        """Those as whose relative somebody is described: "she is Ann's mother" is not about Ann."""
        for binding in self._conditions:
            if binding.says is not Says.IS or at not in binding.others:
                continue
            for one in self._conditions:
                if one.says is Says.RELATION and binding.ones[0] in one.others:
                    yield from (
                        self._tokens[place].name for place in one.ones if self._tokens[place].name
                    )

    def _relative_head(self, at: int) -> str:
        """The one whom "who" or "whose" before this place goes on about."""
        if self._tokens[at].norm == "whose":
            place = at
        else:
            place = next(
                (i for i in range(at - 1, 0, -1) if self._tokens[i].norm in ("who", "whose", ";")),
                0,
            )
            if self._tokens[place].norm != "who":
                return ""
            if any(self._tokens[i].name for i in range(place + 1, at)):
                return ""
        before = place - 1
        if before > 0 and self._tokens[before].norm == ",":
            before -= 1
        return self._tokens[before].name if before >= 0 else ""

    def _same_owner(self, at: int, token: Token) -> tuple[str, ...]:
        """ "his brother Bob and his sister Eve": the owner of the one is that of the other."""
        near = [one.norm for one in self._tokens[max(0, at - 3) : at]]
        if self._goes_on(at):  # "and the house to his daughter"
            near = [one.norm for one in self._tokens[max(0, at - 5) : at]]
        if at < 3 or not {"and", "&"}.intersection(near):
            return _NOBODY
        if any(
            self._tokens[place].name
            for place in range(at - 1 - near[::-1].index("and" if "and" in near else "&"), at)
        ):
            return _NOBODY
        for place in range(at - 2, -1, -1):
            one = self._tokens[place]
            if one.norm == token.norm and self._pronoun_forms(one):
                return self._pronouns.get(place, _NOBODY)
            if one.norm == ";" and self._lists_survivors(place):
                continue
            if one.norm in ("who", "whose", ";", "that", ":"):
                return _NOBODY
        return _NOBODY

    def _lists_survivors(self, limit: int) -> bool:
        """Whether a list of somebody's relatives goes on here: "is survived by his wife, Ann; his son ..."."""
        norms = {token.norm for token in self._tokens[:limit]}
        return not norms.isdisjoint(("survived", "survivors", "leaves", "leave"))

    def _beside_spouse(self, at: int, own: set[str], forms: frozenset[str]) -> tuple[str, ...]:
        """ "Ann was born to Carlo and his wife, Pia": the spouse of the one just named."""
        if at < 2 or self._tokens[at - 1].norm not in ("and", "&") or not self._tokens[at - 2].name:
            return _NOBODY
        name = self._tokens[at - 2].name
        spouse = any(
            one.says is Says.RELATION and at in one.ones and one.sense.startswith("SO")
            for one in self._conditions
        )
        return (name,) if spouse and name not in own and self._may_be(name, forms) else _NOBODY

    def _goes_on(self, at: int) -> bool:
        """Whether a thing and a preposition stand between "and" and here, so that no verb can."""
        row = self._tokens[max(0, at - 4) : at]
        return (
            len(row) == 4
            and row[0].norm == "and"
            and row[1].norm in ("the", "a", "an")
            and row[3].norm in ("to", "for", "with", "from")
        )

    def _controller(self, at: int, forms: frozenset[str], own: set[str]) -> tuple[str, ...]:
        """ "Ann met Eve before picking up her son": the subject does both."""
        near = self._tokens[max(1, at - 4) : at]
        for place, token in enumerate(near[:-1]):
            if token.norm in ("before", "after", "while", "without", "by") and near[
                place + 1
            ].norm.endswith("ing"):
                subject = self._tokens[0].name
                if (
                    subject
                    and not any(one.name for one in near[place:])
                    and self._may_be(subject, forms)
                ):
                    several = self._tokens[1].norm in ("and", ",", "&", "'s")
                    return (subject,) if subject not in own and not several else _NOBODY
        return _NOBODY

    def _candidates(self, at: int, forms: frozenset[str], own: set[str]) -> list[str] | None:
        """Who can be meant of those mentioned before in the sentence; None if a stranger can be."""
        found: dict[str, None] = {}
        for place in range(at):
            token = self._tokens[place]
            if token.name:
                may_be = self._may_be(token.name, forms) and not self._is_place(place)
                if token.name not in own and may_be:
                    found[token.name] = None
            elif place in self._pronouns:
                meant = self._pronouns[place]
                unclear = not meant and bool(forms & self._pronoun_forms(token))
                if unclear and "<he>" in token.keys:
                    return None
                for name in meant if len(meant) == 1 else ():
                    if name not in own and self._may_be(name, forms):
                        found[name] = None
            elif self._is_stranger(place, forms):
                return None
        return list(found)

    def _possessors(self, at: int) -> set[str]:
        """Those who are only named as whose relative somebody is who is named too: "Kevin's daughter, Valerie,"."""
        found = set()
        for one in self._conditions:
            if one.says is Says.RELATION and one.given and one.others[0] in self._bindings:
                for place in one.ones:
                    genitive = "'s" in self._tokens[place + 1].keys and not any(
                        token.name for token in self._tokens[:place]
                    )
                    if genitive and all(
                        b.given and max(b.others) < at for b in self._bindings[one.others[0]]
                    ):
                        found.add(self._tokens[place].name)
        return found

    def _is_stranger(self, place: int, forms: frozenset[str]) -> bool:
        """Whether a word stands for somebody without a name who could be meant."""
        token = self._tokens[place]
        if self._is_unmarked(place):
            return True
        if self._words.nouns.get(token.norm, ("", False))[1]:
            return False  # several are not "he" or "she"
        if place in self._bindings or self._names_somebody(place):
            return False
        for one in self._conditions:
            if one.says is Says.RELATION and place in one.others:
                form = self._senses.form(one.sense)
                return not form or form in forms
        if "<person>" in token.keys:
            return True
        if "<thing>" in token.keys:
            return False
        opens = place == 1 or (place == 2 and "<open>" not in self._tokens[1].keys)
        return (
            opens
            and "<the>" in self._tokens[0].keys | self._tokens[place - 1].keys
            and "<open>" in token.keys
        )

    def _is_place(self, at: int) -> bool:
        """Whether a name is a place by what stands before it: "lives in Rome", but not "believes in Ann"."""
        if at < 1 or self._tokens[at - 1].norm not in _IN_PLACES:
            return False
        return at < 2 or self._tokens[at - 2].norm not in _IN_PEOPLE

    def _is_unmarked(self, place: int) -> bool:
        """Whether a word is somebody's name without the brackets that others have: "[Ann]'s daughter, Paula"."""
        token = self._tokens[place]
        if not place or token.name or not token.text[:1].isupper() or "<proper>" not in token.keys:
            return False
        if not any(one.bracketed for one in self._tokens):
            return False
        before = self._tokens[place - 1]
        if before.norm == ",":
            before = self._tokens[place - 2]
        after = self._tokens[place + 1].norm if place + 1 < len(self._tokens) else ""
        return not before.keys.isdisjoint(("<relation>", "<called>")) or after in ("'s", "and")

    def _names_somebody(self, place: int) -> bool:
        """Whether a name stands next to a noun: "the senator, Claude"."""
        for after in (place + 1, place + 2):
            if after < len(self._tokens) and self._tokens[after].name:
                return after == place + 1 or self._tokens[place + 1].norm == ","
        return False

    def _earlier(self, forms: frozenset[str], own: set[str]) -> list[str] | None:
        """Who can be meant of those whom the sentence before mentions."""
        if self._before.strangers:
            return None
        return [
            name
            for name in dict.fromkeys(self._before.names)
            if name not in own and self._may_be(name, forms)
        ]

    def _later(self, at: int, own: set[str], forms: frozenset[str]) -> list[str]:
        """The subject of a clause before which the pronoun stands: "Thanks to her aunt, Ann"."""
        for place in range(at + 1, len(self._tokens) - 2):
            if self._tokens[place].norm == "," and self._tokens[place + 1].name:
                name = self._tokens[place + 1].name
                if name not in own:
                    several = self._tokens[place + 2].norm in ("and", ",", "&", "'s")
                    return [name] if self._may_be(name, forms) and not several else []
        return []

    def _group_before(self, at: int) -> tuple[str, ...]:
        own = self._own(at)
        groups = [
            group for place, group in self._groups(at) if place < at and not own.intersection(group)
        ]
        if len(groups) == 1:
            return groups[0]
        names = dict.fromkeys(
            token.name
            for place, token in enumerate(self._tokens[:at])
            if token.name and token.name not in own and not self._is_place(place)
        )
        names |= {
            name: None for place, found in self._pronouns.items() if place < at for name in found
        }
        if not groups and len(names) == 2:
            return tuple(names)
        if groups or names:
            return _NOBODY
        earlier = [group for group in self._before.groups if not own.intersection(group)]
        return earlier[0] if len(earlier) == 1 else _NOBODY

    def _groups(self, limit: int) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Those who are named side by side: "Ann and Bob", "Ann, Bob and Carl", "Ann and her sister Eve"."""
        row: list[str] = []
        linked = False
        last = -1
        for place in range(limit):
            token = self._tokens[place]
            if token.name:
                row = [*row, token.name] if linked else [token.name]
                linked, last = False, place
            elif token.norm in ("and", "&") and row:
                linked = True
            elif token.norm == "," and row:
                linked = linked or last == place - 1
            elif linked and (
                "<his>" in token.keys or place in self._bindings or "<plain>" in token.keys
            ):
                continue
            else:
                if len(row) > 1 and not linked:
                    yield last, tuple(row)
                row, linked = [], False
        if len(row) > 1:
            yield last, tuple(row)

    # Statements

    def _state(self, one: Condition) -> None:
        if one.says is Says.RELATION:
            self._state_relation(one)
        elif one.says is Says.AMONG:
            names = self._who(one.ones)
            for number, head in enumerate(names):
                for tail in names[number + 1 :]:
                    self._add(head, one.sense, tail, one.status, one.ones)
        elif one.says is Says.NAMED:
            self._state_name(one)
        elif one.says is Says.NONE:
            self._close(one)

    def _state_relation(self, one: Condition) -> None:
        for place in one.others:
            for tails, status in self._described(place):
                status = status if one.given or one.status is Status.ASSERTED else one.status
                for heads, sense in self._owners(one.ones, one.sense, ()):
                    for head in heads:
                        for tail in tails:
                            if head != tail or self._is_named_twice(one, place, head):
                                self._add(head, sense, tail, status, (*one.ones, place))

    def _is_named_twice(self, one: Condition, place: int, name: str) -> bool:
        """Whether it is said outright that somebody is his own relative: "Ann is Ann's sister"."""
        owners = (self._tokens[at].name for at in one.ones)
        return not one.given and self._tokens[place].name == name and name in owners

    def _described(self, place: int) -> Iterator[tuple[tuple[str, ...], Status]]:
        """Whom a noun describes."""
        if place not in self._bindings:
            names = self._who((place,))
            if names:
                yield names, Status.ASSERTED
            return
        for binding in self._bindings[place]:
            yield self._who(binding.others), binding.status

    def _who(self, places: tuple[int, ...]) -> tuple[str, ...]:
        found: dict[str, None] = {}
        for place in places:
            if self._tokens[place].name:
                found[self._tokens[place].name] = None
            else:
                found |= dict.fromkeys(self._pronouns.get(place, ()))
                for binding in self._bindings.get(place, ()):
                    if binding.status is Status.ASSERTED:
                        found |= dict.fromkeys(self._who(binding.others))
        return tuple(found)

    def _owners(
        self, places: tuple[int, ...], sense: str, seen: tuple[int, ...]
    ) -> Iterator[tuple[tuple[str, ...], str]]:
        """The owners with names, and what their relative is to them, through those without."""
        for place in places:
            names = self._who((place,))
            if names:
                yield names, sense
                continue
            for one in self._conditions:
                if (
                    one.says is Says.RELATION
                    and one.given
                    and place in one.others
                    and place not in seen
                ):
                    for heads, first in self._owners(one.ones, one.sense, (*seen, place)):
                        composed = self._senses.composed(first, sense)
                        if composed:
                            yield heads, composed

    def _state_name(self, one: Condition) -> None:
        """ "Ruben has a sister. Her name is Talia." """
        forms = self._pronoun_forms(self._tokens[one.ones[0]]) if one.ones else frozenset()
        known = [*self._unnamed(), *self._before.unnamed] if one.ones else self._before.unnamed
        fitting = [
            (sense, said, meant)
            for sense, said, meant in known
            if not forms or self._senses.form(sense) in ("", *forms)
        ]
        names = self._who(one.others)
        if len(fitting) == 1 and len(names) == 1:
            sense, _, meant = fitting[0]
            for heads in meant.values():
                for head in heads:
                    self._add(head, sense, names[0], one.status, (*one.ones, *one.others))
            form = self._senses.form(sense)
            if form:
                self._told.setdefault(names[0], set()).add(form)

    def _add(
        self, head: str, sense: str, tail: str, status: Status, places: tuple[int, ...]
    ) -> None:
        relations = self._senses.labels_of(sense)
        if not relations:
            if status is Status.ASSERTED and sense:
                self._result.beyond.append(places)
            return
        if status is Status.DENIED:
            kind = StatementKind.DENIAL
        else:
            kind = StatementKind.FACT if len(relations) == 1 else StatementKind.ALTERNATIVES
        start = min(self._tokens[place].start for place in places)
        end = max(self._tokens[place].end for place in places)
        made = Statement(kind, head, relations, tail, status=status, start=start, end=end)
        if made not in self._result.statements:
            self._result.statements.append(made)

    def _close(self, one: Condition) -> None:
        """Nobody is that to somebody."""
        relations = self._senses.labels_of(one.sense)
        start = min(self._tokens[place].start for place in one.ones)
        asserted = one.status is Status.ASSERTED
        status = Status.DENIED if asserted else Status.POSSIBLE  # "is not an only child"
        for head in self._who(one.ones) if relations else ():
            made = Statement(
                StatementKind.CLOSURE,
                head,
                relations,
                status=status,
                start=start,
                end=self._tokens[-2].end,
            )
            self._result.statements.append(made)

    def _mention(self) -> None:
        mentioned = self._result.mentioned
        mentioned.names = [
            token.name
            for at, token in enumerate(self._tokens)
            if token.name and not self._is_place(at)
        ]
        mentioned.names += [
            name for found in self._pronouns.values() if len(found) == 1 for name in found
        ]
        mentioned.one_of_another = describes_one(self._tokens)
        mentioned.strangers = sum(map(self._is_unmarked, range(len(self._tokens))))
        groups = [group for _, group in self._groups(len(self._tokens))]
        mentioned.groups = groups or list(self._couple())
        mentioned.unnamed = list(self._unnamed())

    def _couple(self) -> Iterator[tuple[str, ...]]:
        """The two of a sentence that is about a couple and nobody else: "John is married to Zoe"."""
        named = [token.name for token in self._tokens if token.name]
        named += [name for found in self._pronouns.values() if len(found) == 1 for name in found]
        names = tuple(dict.fromkeys(named))
        meaning, said = self._senses.labels.meaning, self._result.statements
        wed = (
            one.status is Status.ASSERTED
            and {one.head, one.tail} == {*names}
            and all(meaning[relation].kind.name == "SO" for relation in one.relations)
            for one in said
        )
        if said and len(names) == 2 and all(wed):
            yield names

    def _unnamed(self) -> Iterator[tuple[str, Conditions, Mapping[int, tuple[str, ...]]]]:
        """Those without a name, by whose relative they are."""
        for one in self._conditions:
            if one.says is Says.RELATION and one.others[0] not in self._bindings:
                owners = self._who(one.ones)
                if (
                    owners
                    and not self._tokens[one.others[0]].name
                    and one.others[0] not in self._pronouns
                ):
                    yield one.sense, (one,), {0: owners}
