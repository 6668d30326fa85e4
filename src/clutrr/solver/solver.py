"""Facts and a query to the relations that are possible, with a proof or with examples."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product

from clutrr.errors import DataError
from clutrr.puzzle import Fact
from clutrr.solver.folding import ContradictionError, Folding, Link
from clutrr.solver.witness import Witness, witness
from clutrr.world import World
from clutrr.world.steps import Word, rise

_REMEMBERED = 200_000  # verdicts


@dataclass(frozen=True)
class Verdict:
    """What the second person of a query can be to the first, over all worlds with the facts.

    relations: those of the label set, in its order. outside: whether something else is possible.
    Nothing at all is possible where the facts contradict each other.
    """

    relations: tuple[str, ...]
    outside: bool

    @property
    def contradictory(self) -> bool:
        return not self.relations and not self.outside

    @property
    def proved(self) -> bool:
        return len(self.relations) == 1

    @property
    def entailed(self) -> bool:
        return self.proved and not self.outside


class Solver:
    """Answers questions in one world; remembers the verdicts of questions of the same form."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._kinds = {word: kind for kind in world.kinds for word in kind.words}
        # All words of a kind lead up by the same number of generations.
        self._rise = {relation: rise(kind.words[0]) for relation, (kind, _) in world.meaning.items()}
        self._verdicts: dict[tuple[tuple[int, str, int], ...], Verdict] = {}

    def verdict(self, facts: Sequence[Fact], query: tuple[str, str]) -> Verdict:
        """What is possible. The facts' own order and names do not matter."""
        form = _form(facts, query)
        verdict = self._verdicts.get(form)
        if verdict is None:
            if len(self._verdicts) >= _REMEMBERED:
                self._verdicts.clear()
            verdict = self._verdicts[form] = self._solve(form)
        return verdict

    def rise(self, relation: str) -> int:
        """How many generations the relation leads up."""
        return self._rise[relation]

    def consistent(self, facts: Sequence[Fact]) -> bool:
        """Whether there is a world with these facts."""
        if not facts:
            return True
        form = _form(facts, (facts[0].head, facts[0].tail))
        return any(True for _ in self._worlds(form))

    def witness(self, facts: Sequence[Fact], query: tuple[str, str], relation: str) -> Witness | None:
        """A small family in which the facts hold and the relation does; None if there is none."""
        names = _names(facts, query)
        form = _form(facts, query)
        for folding in self._worlds((*form, (0, relation, 1))):
            return witness(folding, names)
        return None

    def outside_witness(
        self, facts: Sequence[Fact], query: tuple[str, str]
    ) -> tuple[Witness, Word | None] | None:
        """A small family in which the facts hold and no relation of the label set does, and what does."""
        for folding, word in self._outside(_form(facts, query)):
            return witness(folding, _names(facts, query)), word
        return None

    def _solve(self, form: "Form") -> Verdict:
        if any(True for _ in islice(self._worlds(form), 1)):
            relations = tuple(
                relation
                for relation in self._candidates(form)
                if any(True for _ in self._worlds((*form, (0, relation, 1))))
            )
            return Verdict(relations, any(True for _ in self._outside(form)))
        return Verdict((), outside=False)

    def _candidates(self, form: "Form") -> Iterator[str]:
        """The relations of which generations and stated genders do not rule out all."""
        height = self._heights(form).get(1)
        gender = self._genders(form)[1]
        for kind in self.world.kinds:
            if height in (None, self._rise[kind.relations[0]]):
                for g, relation in enumerate(kind.relations):
                    if gender in (None, g):
                        yield relation

    def _heights(self, form: "Form") -> dict[int, int]:
        """How many generations above person 0 those stand who are linked to them."""
        heights = {0: 0}
        for _ in form:
            before = len(heights)
            for head, relation, tail in form:
                up = self._rise[relation]
                if head in heights:
                    heights.setdefault(tail, heights[head] + up)
                elif tail in heights:
                    heights.setdefault(head, heights[tail] - up)
            if len(heights) == before:
                break
        return heights

    def _genders(self, form: "Form") -> list[int | None]:
        genders: list[int | None] = [None] * (1 + max(max(head, tail) for head, _, tail in form))
        for _, relation, tail in form:
            gender = self.world.meaning[relation][1]
            if genders[tail] not in (None, gender):
                raise ContradictionError
            genders[tail] = gender
        return genders

    def _worlds(self, form: "Form") -> Iterator[Folding]:
        """The least folded worlds in which the facts of the form hold."""
        try:
            genders = self._genders(form)
        except ContradictionError:
            return
        heights = self._heights(form)
        for head, relation, tail in form:
            if head in heights and heights[tail] - heights[head] != self._rise[relation]:
                return
        choices = [self.world.meaning[relation][0].words for _, relation, _ in form]
        for words in product(*choices):
            links: list[Link] = [(h, word, t) for (h, _, t), word in zip(form, words, strict=True)]
            yield from Folding(len(genders), genders, links).solutions()

    def _outside(self, form: "Form") -> Iterator[tuple[Folding, Word | None]]:
        """Worlds in which the second person is nothing of the label set to the first."""
        for folding in self._worlds(form):
            yield from self._outside_of(folding)

    def _outside_of(self, folding: Folding) -> Iterator[tuple[Folding, Word | None]]:
        word = folding.word(0, 1)
        if word not in self._kinds:
            yield folding, word
            return
        # Folded further, the way between the two gets shorter; that may lead out of the labels.
        for further in folding.further(0, 1):
            yield from self._outside_of(further)


# A question without names: person 0 and 1 are asked for; the facts in an order of their own.
Form = tuple[tuple[int, str, int], ...]


def _names(facts: Sequence[Fact], query: tuple[str, str]) -> list[str]:
    """The people by number: the query's, then the others as the facts lead to them."""
    a, b = query
    if a == b:
        raise DataError(f"the question asks what {a} is to themselves")
    names = {a: 0, b: 1}
    for fact in _ordered(facts, a):
        names.setdefault(fact.head, len(names))
        names.setdefault(fact.tail, len(names))
    for name in query:
        if not any(name in (fact.head, fact.tail) for fact in facts):
            raise DataError(f"no fact of the story names {name}")
    return list(names)


def _form(facts: Sequence[Fact], query: tuple[str, str]) -> Form:
    number = {name: i for i, name in enumerate(_names(facts, query))}
    return tuple((number[f.head], f.relation, number[f.tail]) for f in _ordered(facts, query[0]))


def _ordered(facts: Sequence[Fact], start: str) -> list[Fact]:
    """The facts as one comes to them from a person, whatever their own order."""
    left = sorted(set(facts), key=lambda fact: fact.relation)
    known = {start}
    ordered: list[Fact] = []
    while left:
        found = [fact for fact in left if fact.head in known or fact.tail in known] or left[:1]
        for fact in found:
            known |= {fact.head, fact.tail}
            left.remove(fact)
        ordered += found
    return ordered
