"""Compare stories with the facts that their columns hold."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from clutrr.puzzle import Entity, Fact, Sentence
from clutrr.wording.reading import StoryReader, StoryReading
from clutrr.world import World


class Agreement(StrEnum):
    """How the text of a story and its facts compare."""

    AGREES = "agrees"  # the text states them, and no others
    DISAGREES = "disagrees"  # it states something else
    UNREAD = "not read"  # some of it could not be read
    NO_TEXT = "no text"


@dataclass(frozen=True)
class Checked:
    """A story compared with its facts.

    facts: those that the text states. why: what disagrees, or was not read, in words; "" if the text agrees.
    """

    agreement: Agreement
    facts: tuple[Fact, ...]
    why: str = ""


class TextCheck:
    """Reads stories and compares them with their facts.

    Text in known wording is read completely. In free text, each fact is looked for in the sentences that
    name its two entities, if the theory can read such sentences.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._reader = StoryReader(world)
        self.free = self._reader.free

    def read(self, story: str, entities: Sequence[Entity] = ()) -> StoryReading:
        """Take a story apart."""
        return self._reader.read(story, [entity.name for entity in entities])

    def sentences(
        self, story: str, stated: Sequence[Fact], entities: Sequence[Entity]
    ) -> tuple[Sentence, ...]:
        """Return where the sentences are and which of the facts each states; none if that is uncertain."""
        if not self._reader.may_know(story):
            return ()
        reading = self._reader.read(story, [entity.name for entity in entities], free=False)
        if reading.unread:
            return ()
        found = []
        for start, end, _, _, facts in reading.sentences:
            numbers = [i for fact in facts for i, other in enumerate(stated) if self._same(fact, other)]
            if len(numbers) < len(facts):
                return ()
            found.append(Sentence(start, end, tuple(dict.fromkeys(numbers))))
        return tuple(found)

    def check(
        self,
        story: str,
        stated: Sequence[Fact],
        entities: Sequence[Entity],
        read: tuple[Fact, ...] | None = None,
    ) -> Checked:
        """Compare a story with the facts that it should state. read: those that it does, if this is known."""
        if not story.strip():
            return Checked(Agreement.NO_TEXT, (), "there is no text")
        if read is None:
            reading = self._reader.read(story, [entity.name for entity in entities], free=False)
            if reading.unread:
                return self._check_free(story, stated, entities)
            read = reading.facts
        if set(read) == set(stated):
            return Checked(Agreement.AGREES, tuple(stated))
        for facts, others, who in ((stated, read, "no sentence"), (read, stated, "only the text")):
            if fact := self._beyond(facts, others):
                why = f"{who} states that {self._world.say(*fact)}"
                return Checked(Agreement.DISAGREES, read, why)
        return Checked(Agreement.AGREES, read)

    def each(self, story: str, stated: Sequence[Fact], entities: Sequence[Entity]) -> tuple[bool | None, ...]:
        """Return for each fact whether the text says so; None if nothing was read about its two entities.

        Sentences in known wording count even if others of the story could not be read.
        """
        forms = _forms(stated, entities)
        reading = self.read(story, entities)
        read = reading.facts
        return tuple(self._states(story, fact, read, forms if reading.unread else None) for fact in stated)

    def _states(
        self, story: str, fact: Fact, read: Sequence[Fact], forms: Mapping[str, str] | None
    ) -> bool | None:
        """forms: None if everything was read, so that nothing more can be found."""
        about = [other for other in read if {other.head, other.tail} == {fact.head, fact.tail}]
        if about:
            return any(self._same(fact, other) for other in about)
        found = None if forms is None else self._read_free(story, fact, forms)
        return None if found is None else found == fact.relation

    def _check_free(self, story: str, stated: Sequence[Fact], entities: Sequence[Entity]) -> Checked:
        whole = self.read(story, entities)
        beyond = whole.unread or self._beyond(whole.facts, stated) or self._beyond(stated, whole.facts)
        if stated and not beyond:
            return Checked(Agreement.AGREES, tuple(stated))
        forms = _forms(stated, entities)
        why = "" if stated else "no fact is known that its sentences could be seen to state"
        for fact in stated:
            found = self._read_free(story, fact, forms)
            if found is None:
                why = why or f"nothing was read of what {fact.tail} is to {fact.head}"
            elif found != fact.relation:
                other = self._world.say(fact.head, found, fact.tail)
                why = f"the text states that {other}, not that {self._world.say(*fact)}"
                return Checked(Agreement.DISAGREES, (), why)
        return Checked(Agreement.UNREAD, (), why) if why else Checked(Agreement.AGREES, tuple(stated))

    def _read_free(self, story: str, fact: Fact, forms: Mapping[str, str]) -> str | None:
        return None if self.free is None else self.free.relation(story, fact.head, fact.tail, forms)

    def _beyond(self, facts: Sequence[Fact], others: Sequence[Fact]) -> Fact | None:
        """The first of the facts that is not one of the others."""
        return next((fact for fact in facts if not any(self._same(fact, one) for one in others)), None)

    def _same(self, one: Fact, other: Fact) -> bool:
        """Whether two facts say the same of two entities; seen from opposite ends, forms may differ."""
        if (one.head, one.tail) == (other.head, other.tail):
            return one.relation == other.relation
        if (one.head, one.tail) != (other.tail, other.head):
            return False
        meaning = self._world.meaning
        return meaning[one.relation].kind.converse == meaning[other.relation].kind.name


def _forms(stated: Sequence[Fact], entities: Sequence[Entity]) -> dict[str, str]:
    """The form of each entity; "" where it is not known."""
    return {name: "" for fact in stated for name in (fact.head, fact.tail)} | dict(entities)
