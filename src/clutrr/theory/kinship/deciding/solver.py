"""Decides questions about families: what is given and a query to the relations that are possible."""

from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache

from clutrr._labels import Labels
from clutrr._puzzle import Fact
from clutrr._statement import StatementKind
from clutrr.theory.apart import groups_apart
from clutrr.theory.drawing import Drawing, draw_facts
from clutrr.theory.given import Given, all_facts, facts_in, names_in
from clutrr.theory.kinship.deciding.folding import (
    Ban,
    ContradictionError,
    Folding,
    Link,
    UndecidedError,
    Work,
)
from clutrr.theory.kinship.deciding.question import (
    Kinds,
    KinQuestion,
    Numbered,
    genders,
    number_given,
    parts,
)
from clutrr.theory.kinship.deciding.row import Labelled, answer_row
from clutrr.theory.kinship.deciding.scene import FamilyScene, family_scene
from clutrr.theory.kinship.presets import TREE
from clutrr.theory.kinship.steps import Steps, way_in_words
from clutrr.theory.solver import Facts, Presumed, Query, Scene, Solver, query_named
from clutrr.theory.verdict import Verdict

WORK = 2_000_000  # people looked at while cases are tried; beyond it, a question is not decided
_REMEMBERED = 200_000  # questions
# The relations that are possible, whether something else is, and whether all are words of one kind.
Answers = tuple[tuple[str, ...], bool, bool]
_PARENTS = Presumed("parents", "everybody has a mother and a father, who are married to each other")


class KinshipSolver(Solver):
    """Answers questions about families; remembers questions that differ only in names.

    Args:
        ways: of each kind, in the order of the label set.
        work: how much a question may take.
        complete: whether the parents and spouses count whom everybody has and nothing names.
    """

    takes = frozenset(StatementKind)

    def __init__(
        self,
        labels: Labels,
        assume: str,
        ways: Sequence[tuple[Steps, ...]],
        work: int = WORK,
        complete: bool = True,
    ) -> None:
        super().__init__(labels, assume)
        self._tree = assume == TREE.name
        self._kinds = Kinds(labels, ways)
        self._work = work
        self._complete = complete
        self._anything = Ban(0, tuple((steps, None) for steps in self._kinds.all), only=1)
        self._answer = lru_cache(_REMEMBERED)(self._find_answer)

    def verdict(self, given: Sequence[Given], query: Query) -> Verdict:
        given = self.plain(given)
        query_named(names_in(given), query)
        return self._verdict(given, query)

    def consistent(self, given: Sequence[Given]) -> bool | None:
        if not given:
            return True
        first, second, *_ = [*names_in(given), ""]  # "": somebody without a name
        verdict = self._verdict(given, (first, second))
        return not verdict.contradictory if verdict.decided else None

    def _verdict(self, given: Sequence[Given], query: Query) -> Verdict:
        try:
            asked, others = parts(self._numbered(given, query)[0], self._kinds)
            known, done = [], 0
            for question in (*others, asked):
                if done > self._work:  # the parts of a question share what it may take
                    return Verdict((), False, self.assume, decided=False)
                answers, took = self._answer(question)
                if answers is not None and not (answers[0] or answers[1]):
                    raise ContradictionError
                known.append(answers)
                done += took
            if answers is None or None in known:
                return Verdict((), False, self.assume, decided=False)
            relations, outside, form_open = answers
            return Verdict(relations, outside, self.assume, form_open=form_open)
        except ContradictionError:
            return Verdict((), False, self.assume)

    def _numbered(self, given: Sequence[Given], query: Query) -> tuple[Numbered, list[str]]:
        facts, others = self.sort(given)
        return number_given(facts, others, query, self._kinds)

    def scene(self, given: Sequence[Given], query: Query, relation: str) -> FamilyScene | None:
        return self._family(given, query, relation)

    def outside_scene(self, given: Sequence[Given], query: Query) -> tuple[FamilyScene, str] | None:
        family = self._family(given, query, None)
        return (family, way_in_words(family.way(*query))) if family else None

    def presumed(self, given: Sequence[Given], query: Query | None) -> tuple[Presumed, ...]:
        if all_facts(given):
            return ()
        loose = KinshipSolver(
            self.labels, self.assume, self._kinds.ways, self._work, complete=False
        )
        if query is None:
            needed = loose.consistent(given) is True
        else:
            verdict = loose.verdict(given, query)
            needed = verdict.decided and not verdict.proved
        return (_PARENTS,) if needed else ()

    def rivals(self, answer: str) -> list[str]:
        """Return the other labels of the same generation and gender."""
        kind, gender = self._kinds.of[answer]
        rises = self._kinds.rise
        others = [
            other for other, rise in enumerate(rises) if rise == rises[kind] and other != kind
        ]
        return [self.labels.kinds[other].words[gender or 0] for other in others]

    def links(self, given: Sequence[Given], query: Query, scene: Scene) -> Facts:
        """Return the closest relations in a family that the facts rule out in trees, the query's aside."""
        assert isinstance(scene, FamilyScene)
        if self._tree or not scene.twice:
            return ()
        tree = KinshipSolver(self.labels, TREE.name, self._kinds.ways)
        named = names_in(given)
        found = []
        for one, step, other in scene.close():
            if one not in named or other not in named or {one, other} == set(query):
                continue
            kind = next(
                (kind for kind, ways in enumerate(self._kinds.ways) if (step,) in ways), None
            )
            gender = scene.genders.get(other)
            verdict = tree.verdict(given, (one, other))
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

    def drawing(self, given: Sequence[Given]) -> Drawing:
        """Return a drawing of the facts alone, by generations."""
        rises = {relation: self._kinds.rise[kind] for relation, (kind, _) in self._kinds.of.items()}
        facts = facts_in(given)
        return draw_facts({(fact.head, fact.tail): rises[fact.relation] for fact in facts})

    def _family(
        self, given: Sequence[Given], query: Query, relation: str | None
    ) -> FamilyScene | None:
        """Return a family with what is given and a relation between the queried people; None if none is found.

        relation: None for one that has no label.
        """
        try:
            numbered, named = self._numbered(given, query)
            if relation is not None:
                numbered = numbered._replace(facts=(*numbered.facts, (0, relation, 1)))
            avoid = (self._anything,) if relation is None else ()
            links = [(head, self._kinds.of[word][0], tail) for head, word, tail in numbered.facts]
            known = genders(numbered, self._kinds)
            question = KinQuestion(tuple(known), tuple(links), numbered.choices, numbered.bans)
            work = Work(self._work)
            folding = next(self._folding(question).worlds(work, avoid), None)
            self.spent += work.done
            return family_scene(folding, named) if folding else None
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
        found = tuple(dict.fromkeys(words))
        return found, outside, len(found) > 1 and len({kind for kind, _ in labels}) == 1

    def _by_row(self, question: KinQuestion, work: Work) -> tuple[Labelled, bool] | None:
        if not self._tree or not question.only_links:
            return None
        return answer_row(question, self._kinds, work)

    def _folding(self, question: KinQuestion) -> Folding:
        links = map(self._link, question.links)
        folding = Folding(question.genders, links, self._tree, question.bans, self._complete)
        for choice in question.choices:
            folding.choose(choice)
        return folding

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
        outside = next(base.worlds(work, (self._anything,)), None) is not None
        return labels, outside

    def _rise(self, question: KinQuestion) -> int | None:
        """Return how many generations above person 0 person 1 is; None if no facts join the two."""
        rises = self._kinds.rise
        groups, agree = groups_apart(
            (head, tail, rises[kind]) for head, kind, tail in question.links
        )
        if not agree:
            raise ContradictionError
        return next((found[1] - found[0] for found in groups if found.keys() >= {0, 1}), None)
