"""Facts and a query to the relations that are possible, with a proof or with examples."""

from collections.abc import Sequence

from clutrr.puzzle import Fact
from clutrr.solver.folding import ContradictionError, Folding, Link, UndecidedError, Work
from clutrr.solver.question import Form, Kinds, Question, form, genders, parts
from clutrr.solver.row import answer_row
from clutrr.solver.sweep import possible
from clutrr.solver.verdict import Verdict
from clutrr.solver.witness import Witness, witness
from clutrr.world import World
from clutrr.world.assumptions import Assumption
from clutrr.world.steps import Steps

WORK = 2_000_000  # people looked at while cases are tried; beyond it, a question is not decided
_TRIED = 20_000  # after this many, the cases of a tree are swept instead of tried one by one
_REMEMBERED = 200_000  # questions

Answers = tuple[tuple[str, ...], bool]  # the relations that are possible, and whether something else is


class Solver:
    """Answers questions in one world under one assumption; remembers questions of the same form."""

    def __init__(self, world: World, assume: Assumption | str = Assumption.TREE, work: int = WORK) -> None:
        self.world = world
        self.assume = Assumption.named(assume)
        self._tree = self.assume is Assumption.TREE
        self._kinds = Kinds(world)
        self._work = work
        self._asked: dict[Form, Verdict] = {}  # by the facts in the order given
        self._verdicts: dict[Form, Verdict] = {}
        self._answers: dict[Question, tuple[Answers | None, int]] = {}  # with the work it took
        self.spent = 0  # work, on all questions so far

    def verdict(self, facts: Sequence[Fact], query: tuple[str, str]) -> Verdict:
        """What is possible. The facts' own order and names do not matter."""
        numbers = {query[0]: 0, query[1]: 1}
        asked = tuple(
            [
                (numbers.setdefault(head, len(numbers)), relation, numbers.setdefault(tail, len(numbers)))
                for head, relation, tail in facts
            ]
        )
        verdict = self._asked.get(asked)  # in the same order: found at once
        if verdict is None or query[0] == query[1]:
            told, _ = form(facts, query)
            if max(len(self._asked), len(self._verdicts)) >= _REMEMBERED:
                self._asked.clear()
                self._verdicts.clear()
            verdict = self._verdicts.get(told)
            if verdict is None:
                verdict = self._verdicts[told] = self._solve(told)
            self._asked[asked] = verdict
        return verdict

    def rise(self, relation: str) -> int:
        """How many generations the relation leads up."""
        return self._kinds.rise[self._kinds.of[relation][0]]

    def consistent(self, facts: Sequence[Fact]) -> bool | None:
        """Whether there is a world with these facts; None if that is not decided."""
        for fact in facts:
            if fact.head == fact.tail:
                return False
        if not facts:
            return True
        verdict = self.verdict(facts, (facts[0].head, facts[0].tail))
        return not verdict.contradictory if verdict.decided else None

    def witness(self, facts: Sequence[Fact], query: tuple[str, str], relation: str) -> Witness | None:
        """A small family in which the facts hold and the relation does; None if none is found."""
        told, named = form(facts, query)
        folding = self._first((*told, (0, relation, 1)), ())
        return witness(folding, named) if folding else None

    def outside_witness(
        self, facts: Sequence[Fact], query: tuple[str, str]
    ) -> tuple[Witness, Steps | None] | None:
        """A small family in which the facts hold and no relation of the label set does, and what does."""
        told, named = form(facts, query)
        folding = self._first(told, self._kinds.all)
        return (witness(folding, named), folding.steps(0, 1)) if folding else None

    def _first(self, told: Form, avoid: Sequence[Steps]) -> Folding | None:
        """A world with the facts in which none of the ways leads from person 0 to person 1."""
        try:
            links = [(head, self._kinds.of[relation][0], tail) for head, relation, tail in told]
            folding = self._folding(Question(tuple(genders(told, self._kinds)), tuple(links)))
            work = Work(self._work)
            found = next(folding.worlds(work, avoid), None)
            self.spent += work.done
            return found
        except ContradictionError:
            return None
        except UndecidedError:
            self.spent += self._work
            return None

    def _solve(self, told: Form) -> Verdict:
        try:
            asked, others = parts(told, self._kinds)
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

    def _answer(self, question: Question) -> tuple[Answers | None, int]:
        """What is possible between persons 0 and 1, None where it is not decided; and the work it took.

        That is told for a question that is remembered, too: a verdict does not depend on those before.
        """
        if question not in self._answers:
            if len(self._answers) >= _REMEMBERED:
                self._answers.clear()
            work = Work(self._work)
            answers: Answers | None
            try:
                answers = self._decide(question, work)
            except UndecidedError:
                answers = answer_row(question, self.world) if self._tree else None
            self._answers[question] = answers, work.done
            self.spent += work.done
        return self._answers[question]

    def _folding(self, question: Question) -> Folding:
        return Folding(question.genders, map(self._link, question.links), self._tree)

    def _link(self, link: tuple[int, int, int]) -> Link:
        head, kind, tail = link
        return head, self._kinds.ways[kind], tail

    def _decide(self, question: Question, work: Work) -> Answers:
        try:
            heights = self._heights(question) if self._tree else {}
            told = self._folding(question)
            told.settle(work)
        except ContradictionError:
            return (), False
        if not self._exists(told.copy(), question, work):
            return (), False
        relations: list[str] = []
        for number, kind in enumerate(self.world.kinds):
            if 1 not in heights or heights[1] == self._kinds.rise[number]:
                genders = self._genders(told, question, number, work)
                relations += [kind.words[gender] for gender in genders]
        outside = next(told.worlds(work, self._kinds.all), None) is not None
        return tuple(relations), outside

    def _genders(self, told: Folding, question: Question, kind: int, work: Work) -> list[int]:
        """The genders that person 1 can have while being of this kind to person 0."""
        stated = question.genders[1]
        found = []
        for gender in (0, 1):
            if stated in (None, gender):
                folding = told.copy()
                try:
                    folding.set_gender(1, gender)
                    folding.add(self._link((0, kind, 1)))
                except ContradictionError:
                    continue
                genders = (question.genders[0], gender, *question.genders[2:])
                if self._exists(folding, Question(genders, (*question.links, (0, kind, 1))), work):
                    found.append(gender)
        return found

    def _exists(self, folding: Folding, question: Question, work: Work) -> bool:
        """Whether there is a world that folds the graph of the question's facts."""
        if not self._tree:
            return next(folding.worlds(work), None) is not None
        tried = Work(_TRIED)
        try:
            return next(folding.worlds(tried), None) is not None
        except UndecidedError:
            return possible(question, self._kinds, work)
        finally:
            work.done += tried.done

    def _heights(self, question: Question) -> dict[int, int]:
        """How many generations above person 0 everybody is whom facts join to person 0."""
        near: dict[int, list[tuple[int, int]]] = {}
        for head, kind, tail in question.links:
            near.setdefault(head, []).append((tail, self._kinds.rise[kind]))
            near.setdefault(tail, []).append((head, -self._kinds.rise[kind]))
        heights: dict[int, int] = {}
        for start in (1, 0):  # if nothing joins the two, person 1 has no height
            heights = {start: 0}
            queue = [start]
            for person in queue:
                for other, up in near.get(person, ()):
                    if other not in heights:
                        heights[other] = heights[person] + up
                        queue.append(other)
                    elif heights[other] != heights[person] + up:
                        raise ContradictionError
        return heights
