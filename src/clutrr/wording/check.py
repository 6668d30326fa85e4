"""Whether a story states the facts that its columns hold."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from clutrr.facts import said
from clutrr.puzzle import Fact, Person, Sentence
from clutrr.wording.free import FreeReader
from clutrr.wording.reading import Reader, Reading
from clutrr.world import World


class Told(StrEnum):
    """What the text says about the facts."""

    AGREES = "agrees"  # it states them, and no others
    DISAGREES = "disagrees"  # it states something else
    UNREAD = "not read"  # some of it could not be read


@dataclass(frozen=True)
class Checked:
    """told: what the text says about the facts. facts: those that it states. why: what disagrees, or was
    not read, in words; "" if the text agrees."""

    told: Told
    facts: tuple[Fact, ...]
    why: str = ""


class TextCheck:
    """Reads stories and compares them with their facts.

    Text in known wording is read completely. In free text, each fact is looked for in the sentences that
    name its two people.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._reader = Reader(world)
        self._free = FreeReader(world)

    def read(self, story: str, people: Sequence[Person] = ()) -> Reading:
        """The story taken apart."""
        return self._reader.read(story, [person.name for person in people])

    def sentences(self, story: str, stated: Sequence[Fact], people: Sequence[Person]) -> tuple[Sentence, ...]:
        """Where the sentences are and which of the facts each states; none if that is uncertain."""
        reading = self._reader.read_whole(story, [person.name for person in people])
        if reading is None:
            return ()
        found = []
        for start, end, _, _, facts in reading.sentences:
            numbers = [i for fact in facts for i, other in enumerate(stated) if self._same(fact, other)]
            if len(numbers) < len(facts):
                return ()
            found.append(Sentence(start, end, tuple(dict.fromkeys(numbers))))
        return tuple(found)

    def check(self, story: str, stated: Sequence[Fact], people: Sequence[Person]) -> Checked:
        """Compare a story with the facts that it should state."""
        reading = self._reader.read_whole(story, [person.name for person in people])
        if reading is None:
            return self._check_free(story, stated, people)
        read = reading.facts
        if sorted(read) == sorted(stated):
            return Checked(Told.AGREES, read)
        for fact in stated:
            if not any(self._same(fact, other) for other in read):
                return Checked(Told.DISAGREES, read, f"no sentence states that {said(fact)}")
        for fact in read:
            if not any(self._same(fact, other) for other in stated):
                return Checked(Told.DISAGREES, read, f"only the text states that {said(fact)}")
        return Checked(Told.AGREES, read)

    def each(self, story: str, stated: Sequence[Fact], people: Sequence[Person]) -> tuple[bool | None, ...]:
        """For each fact, whether the text says so; None if nothing was read about its two people.

        Sentences in known wording count even if others of the story could not be read.
        """
        genders = {name: "" for fact in stated for name in (fact.head, fact.tail)} | dict(people)
        reading = self.read(story, people)
        read = reading.facts
        return tuple(self._says(story, fact, read, genders if reading.unread else None) for fact in stated)

    def _says(
        self, story: str, fact: Fact, read: Sequence[Fact], genders: Mapping[str, str] | None
    ) -> bool | None:
        """genders: None if everything was read, so that nothing more can be found."""
        about = [other for other in read if {other.head, other.tail} == {fact.head, fact.tail}]
        if about:
            return any(self._same(fact, other) for other in about)
        found = None if genders is None else self._free.relation(story, fact.head, fact.tail, genders)
        return None if found is None else found == fact.relation

    def _check_free(self, story: str, stated: Sequence[Fact], people: Sequence[Person]) -> Checked:
        genders = {name: "" for fact in stated for name in (fact.head, fact.tail)} | dict(people)
        missing = None
        for fact in stated:
            found = self._free.relation(story, fact.head, fact.tail, genders)
            if found is None:
                missing = missing or fact
            elif found != fact.relation:
                told = said(fact._replace(relation=found))
                return Checked(Told.DISAGREES, (), f"the text states that {told}, not that {said(fact)}")
        if missing is not None:
            return Checked(Told.UNREAD, (), f"nothing was read of what {missing.tail} is to {missing.head}")
        if not stated:
            return Checked(Told.UNREAD, (), "no fact is known that its sentences could be seen to state")
        return Checked(Told.AGREES, tuple(stated))

    def _same(self, one: Fact, other: Fact) -> bool:
        """Whether two facts say the same about two people; told from opposite ends, genders may differ."""
        if (one.head, one.tail) == (other.head, other.tail):
            return one.relation == other.relation
        if (one.head, one.tail) != (other.tail, other.head):
            return False
        kind, _ = self._world.meaning[one.relation]
        return kind.inverse == self._world.meaning[other.relation][0].name
