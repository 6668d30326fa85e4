"""Decides questions about families: facts and a query to the relations that are possible."""

from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache

from clutrr.labels import Labels
from clutrr.puzzle import Fact
from clutrr.theory.apart import groups_apart
from clutrr.theory.drawing import Drawing, draw_facts
from clutrr.theory.kinship.folding import ContradictionError, Folding, Link, UndecidedError, Work
from clutrr.theory.kinship.presets import TREE
from clutrr.theory.kinship.question import Kinds, KinQuestion, NumberedFacts, genders, number_facts, parts
from clutrr.theory.kinship.row import Labelled, answer_row
from clutrr.theory.kinship.scene import FamilyScene, family_scene
from clutrr.theory.kinship.steps import Steps, way_in_words
from clutrr.theory.solver import Facts, Query, Scene, Solver
from clutrr.theory.verdict import Verdict

WORK = 2_000_000  # people looked at while cases are tried; beyond it, a question is not decided
_REMEMBERED = 200_000  # questions
Answers = tuple[tuple[str, ...], bool]  # the relations that are possible, and whether something else is


class KinshipSolver(Solver):
    """Answers questions about families; remembers questions that differ only in names.

    ways: of each kind, in the order of the label set. work: how much a question may take.
    """

    def __init__(
        self, labels: Labels, assume: str, ways: Sequence[tuple[Steps, ...]], work: int = WORK
    ) -> None:
        super().__init__(labels, assume)
        self._tree = assume == TREE.name
        self._kinds = Kinds(labels, ways)
        self._work = work
        self._answer = lru_cache(_REMEMBERED)(self._find_answer)

    def verdict(self, facts: Sequence[Fact], query: Query) -> Verdict:
        stated, _ = number_facts(facts, query)
        try:
            asked, others = parts(stated, self._kinds)
            known, done = [], 0
            for question in (*others, asked):
                if done > self._work:  # the parts of a question share what it may take
                    return Verdict((), False, self.assume, decided=False)
                answers, took = self._answer(question)
                if answers == ((), False):
                    raise ContradictionError
                known.append(answers)
                done += took
            if answers is None or None in known:
                return Verdict((), False, self.assume, decided=False)
            return Verdict(*answers, self.assume)
        except ContradictionError:
            return Verdict((), False, self.assume)

    def scene(self, facts: Sequence[Fact], query: Query, relation: str) -> FamilyScene | None:
        stated, named = number_facts(facts, query)
        folding = self._first((*stated, (0, relation, 1)), ())
        return family_scene(folding, named) if folding else None

    def outside_scene(self, facts: Sequence[Fact], query: Query) -> tuple[FamilyScene, str] | None:
        stated, named = number_facts(facts, query)
        folding = self._first(stated, self._kinds.all)
        if folding is None:
            return None
        family = family_scene(folding, named)
        return family, way_in_words(family.way(*query))

    def rivals(self, answer: str) -> list[str]:
        """Return the other labels of the same generation and gender."""
        kind, gender = self._kinds.of[answer]
        rises = self._kinds.rise
        others = [other for other, rise in enumerate(rises) if rise == rises[kind] and other != kind]
        return [self.labels.kinds[other].words[gender or 0] for other in others]

    def links(self, facts: Sequence[Fact], query: Query, scene: Scene) -> Facts:
        """Return the closest relations in a family that the facts rule out in trees, the query's aside."""
        assert isinstance(scene, FamilyScene)
        if self._tree or not scene.twice:
            return ()
        tree = KinshipSolver(self.labels, TREE.name, self._kinds.ways)
        named = {name for fact in facts for name in (fact.head, fact.tail)}
        found = []
        for one, step, other in scene.close():
            if one not in named or other not in named or {one, other} == set(query):
                continue
            kind = next((kind for kind, ways in enumerate(self._kinds.ways) if (step,) in ways), None)
            gender = scene.genders.get(other)
            verdict = tree.verdict(facts, (one, other))
            if kind is None or gender is None or not verdict.decided or verdict.contradictory:
                continue
            word = self.labels.kinds[kind].words[self.labels.forms.index(gender)]
            if word not in verdict.relations:
                found.append(Fact(one, word, other))
        # Each pair once, and about the first queried person if possible.
        found.sort(key=lambda fact: query[0] != fact.head)
        pairs: dict[frozenset[str], Fact] = {}
        for fact in found:
            pairs.setdefault(frozenset((fact.head, fact.tail)), fact)
        return tuple(pairs.values())

    def drawing(self, facts: Sequence[Fact]) -> Drawing:
        """Return a drawing of the facts alone, by generations."""
        rises = {relation: self._kinds.rise[kind] for relation, (kind, _) in self._kinds.of.items()}
        return draw_facts({(fact.head, fact.tail): rises[fact.relation] for fact in facts})

    def _first(self, stated: NumberedFacts, avoid: Sequence[Steps]) -> Folding | None:
        """Return a family with the facts in which none of the ways leads from person 0 to person 1."""
        try:
            links = [(head, self._kinds.of[relation][0], tail) for head, relation, tail in stated]
            folding = self._folding(KinQuestion(tuple(genders(stated, self._kinds)), tuple(links)))
            work = Work(self._work)
            found = next(folding.worlds(work, avoid), None)
            self.spent += work.done
            return found
        except ContradictionError:
            return None
        except UndecidedError:
            self.spent += self._work
            return None

    def _find_answer(self, question: KinQuestion) -> tuple[Answers | None, int]:
        """Return what is possible between persons 0 and 1, None if it is not decided; and the work it took.

        The work of a remembered question counts again: a verdict does not depend on those before.
        """
        found, done = None, 0
        # In trees, a row has very many cases: they are followed at once, not tried one by one.
        for find, limit in ((self._by_row, WORK), (self._by_cases, self._work)):
            work = Work(limit)
            with suppress(UndecidedError):
                found = find(question, work)
            done += work.done
            if found is not None:
                break
        self.spent += done
        return found and self._words(*found), done

    def _words(self, labels: Labelled, outside: bool) -> Answers:
        words = (
            word
            for number, kind in enumerate(self.labels.kinds)
            for gender, word in enumerate(kind.words)
            if (number, gender) in labels
        )
        return tuple(dict.fromkeys(words)), outside

    def _by_row(self, question: KinQuestion, work: Work) -> tuple[Labelled, bool] | None:
        return answer_row(question, self._kinds, work) if self._tree else None

    def _folding(self, question: KinQuestion) -> Folding:
        return Folding(question.genders, map(self._link, question.links), self._tree)

    def _link(self, link: tuple[int, int, int]) -> Link:
        head, kind, tail = link
        return head, self._kinds.ways[kind], tail

    def _by_cases(self, question: KinQuestion, work: Work) -> tuple[Labelled, bool]:
        try:
            height = self._rise(question) if self._tree else None
            base = self._folding(question)
            base.settle(work)
        except ContradictionError:
            return set(), False
        if next(base.copy().worlds(work), None) is None:
            return set(), False
        labels: Labelled = set()
        for kind, rise in enumerate(self._kinds.rise):
            for gender in (0, 1):
                if height in (None, rise):
                    folding = base.copy()
                    with suppress(ContradictionError):
                        folding.set_gender(1, gender)
                        folding.add(self._link((0, kind, 1)))
                        if next(folding.worlds(work), None) is not None:
                            labels.add((kind, gender))
        outside = next(base.worlds(work, self._kinds.all), None) is not None
        return labels, outside

    def _rise(self, question: KinQuestion) -> int | None:
        """Return how many generations above person 0 person 1 is; None if no facts join the two."""
        rises = self._kinds.rise
        groups, agree = groups_apart((head, tail, rises[kind]) for head, kind, tail in question.links)
        if not agree:
            raise ContradictionError
        return next((found[1] - found[0] for found in groups if found.keys() >= {0, 1}), None)
