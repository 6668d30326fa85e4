"""Compare stories with the facts that their columns hold."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from clutrr._lexicon import World
from clutrr._lexicon.saying import say_given
from clutrr._puzzle import Entity, Fact, Sentence
from clutrr._reading import Readings, reader_of
from clutrr._reading.given import given_by
from clutrr._reading.records import Statements, Understood
from clutrr._statement import Statement, StatementKind
from clutrr.theory.given import Given, meant, statements_in

_PAIRED = (StatementKind.FACT, StatementKind.ALTERNATIVES)


class Agreement(StrEnum):
    """How the text of a story and its facts compare."""

    AGREES = "agrees"  # the text states them
    DISAGREES = "disagrees"  # it states something else
    UNREAD = "not read"  # some of it could not be read
    NO_TEXT = "no text"


@dataclass(frozen=True)
class Checked:
    """A story compared with its facts.

    given: what the text says, as far as it was read. why: what disagrees, or was not read, in words; "" if the
    text agrees. in_doubt: whether it may say more. revised: whether it may take something back.
    """

    agreement: Agreement
    given: tuple[Given, ...] = ()
    why: str = ""
    in_doubt: bool = False
    revised: bool = False


class TextCheck:
    """Reads stories and compares them with their facts.

    In the wording of its world a story must state its facts and no others. In text of people, each fact is
    looked for among the statements about its two entities.
    """

    def __init__(self, world: World, readings: Readings | None = None) -> None:
        """Make one for a world. readings: what stories are known to say; others are read."""
        self._world, self._readings = world, readings or {}
        # A story is asked for several times in a row.
        self._read = lru_cache(4)(reader_of(world).read)

    def read(self, story: str, names: Collection[str] | None = None) -> Statements:
        """Return what a story says. names: its entities, if they are known."""
        if names is not None:
            return reader_of(self._world).read(story, names)
        known = self._readings.get(story)
        return self._read(story) if known is None else known

    def sentences(self, story: str, stated: Sequence[Fact]) -> tuple[Sentence, ...]:
        """Return where the sentences are and which of the facts each states; none if that is uncertain."""
        told = self.read(story)
        if not _in_own_wording(told):
            return ()
        found = []
        for sentence in told.sentences:
            facts = sentence.facts
            numbers = [
                i for fact in facts for i, other in enumerate(stated) if self._same(fact, other)
            ]
            if len(numbers) < len(facts):
                return ()
            found.append(Sentence(sentence.start, sentence.end, tuple(dict.fromkeys(numbers))))
        return tuple(found)

    def check(
        self,
        story: str,
        stated: Sequence[Fact],
        entities: Sequence[Entity] = (),
        read: tuple[Fact, ...] | None = None,
        statements: Sequence[Statement] = (),
    ) -> Checked:
        """Compare a story with what it should state.

        - stated: the facts. statements: what is given beside them.
        - read: the facts that it states, and nothing else, if this is known.
        """
        if not story.strip():
            return Checked(Agreement.NO_TEXT, (), "there is no text")
        beside: tuple[Statement, ...] = ()
        if read is None or statements:
            told = self.read(story)
            if not _in_own_wording(told):
                return self._check_free(told, stated, entities, statements)
            read = told.facts
            beside = statements_in(given_by(told, self._world.labels))
            if why := self._differ(told, beside, statements):
                return Checked(Agreement.DISAGREES, (*read, *beside), why)
        if set(read) == set(stated):
            return Checked(Agreement.AGREES, (*stated, *beside))
        for facts, others, who in ((stated, read, "no sentence"), (read, stated, "only the text")):
            if fact := self._beyond(facts, others):
                why = f"{who} states that {self._world.say(*fact)}"
                return Checked(Agreement.DISAGREES, (*read, *beside), why)
        return Checked(Agreement.AGREES, (*read, *beside))

    def _differ(
        self, told: Statements, beside: Sequence[Statement], statements: Sequence[Statement]
    ) -> str:
        """Return how what a text gives beside facts differs from what it should, in words; "" if it does not.

        Where the data names no statements, those of the text count.
        """
        if not statements:
            return ""
        labels = self._world.labels
        read = {meant(one, labels): one for one in beside}
        for one in statements:
            if meant(one, labels) not in read and not _tells_form(told, one):
                return f"no sentence states that {say_given(self._world, one)}"
        should = {meant(one, labels) for one in statements}
        for key, one in read.items():
            if key not in should and one.kind is not StatementKind.FORM:
                return f"only the text states that {say_given(self._world, one)}"
        return ""

    def each(self, story: str, stated: Sequence[Fact]) -> tuple[bool | None, ...]:
        """Return for each fact whether the text says so; None if nothing was read about its two entities."""
        told = self.read(story)
        return tuple(self._states(told, fact) for fact in stated)

    def relation(self, story: str, head: str, tail: str, forms: Mapping[str, str]) -> str | None:
        """Return what tail is to head, as a label in tail's form; None if the story does not plainly say so.

        forms: of the entities, by name; "" where it is not known.
        """
        said: set[str] = set()
        for one in self._about(self.read(story), head, tail):
            kinds = {self._world.meaning[word].kind for word in one.relations}
            turned = (one.head, one.tail) != (head, tail)
            names = {kind.converse if turned else kind.name for kind in kinds}
            words = {self._world.labels.word(name, forms.get(tail, "")) for name in names}
            said |= words if turned or len(one.relations) > 1 else set(one.relations)
        (word,) = said if len(said) == 1 else (None,)
        return word if word in self._world.meaning else None

    def _check_free(
        self,
        told: Statements,
        stated: Sequence[Fact],
        entities: Sequence[Entity],
        statements: Sequence[Statement],
    ) -> Checked:
        """Compare a story in the words of people with what it should state."""
        given = tuple(_with_forms(given_by(told, self._world.labels), entities, self._world))
        agreement, why = Agreement.AGREES, ""
        if not stated and (told.in_doubt or not given):
            agreement = Agreement.UNREAD
            why = "no fact is known that its sentences could be seen to state"
        for fact in stated:
            found = self._states(told, fact)
            if found is None:
                agreement = Agreement.UNREAD
                why = why or f"nothing was read of what {fact.tail} is to {fact.head}"
            elif not found:
                (one, *_) = self._about(told, fact.head, fact.tail)
                other = self._world.say(one.head, one.relations[0], one.tail)
                why = f"the text states that {other}, not that {self._world.say(*fact)}"
                agreement = Agreement.DISAGREES
                break
        labels = self._world.labels
        read = {meant(one, labels) for one in statements_in(given)}
        for one in statements:
            if agreement is Agreement.AGREES and not (
                meant(one, labels) in read or _tells_form(told, one)
            ):
                agreement = Agreement.UNREAD
                why = f"nothing was read that says that {say_given(self._world, one)}"
        if told.revised:
            agreement, why = Agreement.UNREAD, "a sentence may take back what others say"
        if agreement is Agreement.AGREES and set(told.facts) != set(stated):
            # The columns know forms that the text leaves open.
            given = (*stated, *_beyond_pairs(statements_in(given), stated))
        in_doubt = bool(told.in_doubt) or agreement is Agreement.UNREAD
        return Checked(agreement, given, why, in_doubt, told.revised)

    def _states(self, told: Statements, fact: Fact) -> bool | None:
        """Whether a text states a fact; None if it says nothing of the two entities."""
        about = list(self._about(told, fact.head, fact.tail))
        if not about:
            return None
        return any(
            self._same(Fact(one.head, word, one.tail), fact)
            for one in about
            for word in one.relations
        )

    def _about(self, told: Statements, head: str, tail: str) -> Iterator[Statement]:
        """Yield what a text asserts of the relation of two entities."""
        for one in told.settled:
            if one.kind in _PAIRED and {one.head, one.tail} == {head, tail}:
                yield one

    def _beyond(self, facts: Sequence[Fact], others: Sequence[Fact]) -> Fact | None:
        """The first of the facts that is not one of the others."""
        return next(
            (fact for fact in facts if not any(self._same(fact, one) for one in others)), None
        )

    def _same(self, one: Fact, other: Fact) -> bool:
        """Whether two facts say the same of two entities; seen from opposite ends, forms may differ."""
        if (one.head, one.tail) == (other.head, other.tail):
            return one.relation == other.relation
        if (one.head, one.tail) != (other.tail, other.head):
            return False
        meaning = self._world.meaning
        return meaning[one.relation].kind.converse == meaning[other.relation].kind.name


def _beyond_pairs(statements: Iterable[Statement], facts: Iterable[Fact]) -> Iterator[Statement]:
    """Yield the statements that say more than what two entities are to each other of whom a fact says it."""
    pairs = {frozenset((fact.head, fact.tail)) for fact in facts}
    for one in statements:
        if one.kind is not StatementKind.FORM and frozenset((one.head, one.tail)) not in pairs:
            yield one


def _tells_form(told: Statements, one: Statement) -> bool:
    """Whether a statement is of a form, and the text tells that anywhere."""
    return one.kind is StatementKind.FORM and told.forms.get(one.head) in one.relations


def _in_own_wording(told: Statements) -> bool:
    """Whether every sentence is one of the world's own, or silent."""
    return all(
        sentence.worded or sentence.understood is Understood.SILENT for sentence in told.sentences
    )


def _with_forms(
    given: Iterable[Given], entities: Sequence[Entity], world: World
) -> Iterator[Given]:
    """Yield what is given, and the forms that the data tells where the text does not."""
    named: dict[str, bool] = {}  # and whether its form is told
    for one in given:
        yield one
        head, tail = one.head, one.tail
        told = one.kind is StatementKind.FORM if isinstance(one, Statement) else False
        named[head] = named.get(head, False) or told
        if not isinstance(one, Statement):
            shown = world.meaning[one.relation].form is not None
            named[tail] = named.get(tail, False) or shown
        elif tail:
            named.setdefault(tail, False)
    for name, form in entities:
        if form in world.forms and not named.get(name, True):
            yield Statement(StatementKind.FORM, name, (form,))
