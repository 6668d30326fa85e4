"""Decides questions about families: facts and a query to the relations that are possible."""

from collections.abc import Callable, Sequence
from contextlib import suppress

from clutrr.labels import Labels
from clutrr.puzzle import Fact
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
_SHORT = 12  # facts of questions that are first answered without genders
_REMEMBERED = 200_000  # questions
_FAMILIES = 10_000

_Way = Callable[[KinQuestion, Work], tuple[Labelled, bool] | None]
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
        self._answers: dict[KinQuestion, tuple[Answers | None, int]] = {}  # with the work it took
        # Of questions with no gender but that of person 1, and one answer: a family, and the kind.
        self._families: dict[KinQuestion, tuple[Folding, int]] = {}

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

    def _answer(self, question: KinQuestion) -> tuple[Answers | None, int]:
        """Return what is possible between persons 0 and 1, None if it is not decided; and the work it took.

        The work of a remembered question counts again: a verdict does not depend on those before.
        """
        if question not in self._answers:
            if len(self._answers) >= _REMEMBERED:
                self._answers.clear()
            ways: list[tuple[_Way, int]] = [(self._by_cases, self._work)]
            if self._tree:  # a row has very many cases: they are followed at once, not tried one by one
                ways.insert(0, (self._by_row, WORK))
            found, done = None, 0
            for way, limit in ways:
                work = Work(limit)
                with suppress(UndecidedError):
                    found = way(question, work)
                done += work.done
                if found is not None:
                    break
            self._answers[question] = found and self._words(*found), done
            self.spent += done
        return self._answers[question]

    def _words(self, labels: Labelled, outside: bool) -> Answers:
        words = (
            word
            for number, kind in enumerate(self.labels.kinds)
            for gender, word in enumerate(kind.words)
            if (number, gender) in labels
        )
        return tuple(dict.fromkeys(words)), outside

    def _by_row(self, question: KinQuestion, work: Work) -> tuple[Labelled, bool] | None:
        return answer_row(question, self._kinds, work)

    def _folding(self, question: KinQuestion) -> Folding:
        return Folding(question.genders, map(self._link, question.links), self._tree)

    def _link(self, link: tuple[int, int, int]) -> Link:
        head, kind, tail = link
        return head, self._kinds.ways[kind], tail

    def _by_cases(self, question: KinQuestion, work: Work) -> tuple[Labelled, bool]:
        bare = question._replace(genders=(None, 0, *(None,) * (len(question.genders) - 2)))
        if question.genders[1] is not None and question != bare and len(question.links) <= _SHORT:
            known = self._inherited(question, bare, work)
            if known is not None:
                return {known}, False
        try:
            heights = self._heights(question) if self._tree else {}
            base = self._folding(question)
            base.settle(work)
        except ContradictionError:
            return set(), False
        family = next(base.copy().worlds(work), None)
        if family is None:
            return set(), False
        labels: Labelled = set()
        for kind, rise in enumerate(self._kinds.rise):
            for gender in (0, 1):
                if 1 not in heights or heights[1] == rise:
                    folding = base.copy()
                    with suppress(ContradictionError):
                        folding.set_gender(1, gender)
                        folding.add(self._link((0, kind, 1)))
                        if next(folding.worlds(work), None) is not None:
                            labels.add((kind, gender))
        outside = next(base.worlds(work, self._kinds.all), None) is not None
        if question == bare and len(labels) == 1 and not outside:
            if len(self._families) >= _FAMILIES:
                self._families.clear()
            self._families[bare] = family, min(labels)[0]
        return labels, outside

    def _inherited(self, question: KinQuestion, bare: KinQuestion, work: Work) -> tuple[int, int] | None:
        """Return the one answer of a question if it has one without any gender but that of person 1.

        Genders only rule answers out, so it is the answer here too, if some family has these genders. All of
        them can be turned round. None if there are several answers, or the family that was found has others.
        """
        _, took = self._answer(bare)
        self.spent -= took  # it counts once, with the work of this question
        work.spend(took)
        if bare not in self._families:
            return None
        family, kind = self._families[bare]
        asked = question.genders[1] or 0
        turned = [None if gender is None else gender ^ asked for gender in question.genders]
        return (kind, asked) if family.allows(turned) else None

    def _heights(self, question: KinQuestion) -> dict[int, int]:
        """Return how many generations above person 0 everybody is whom facts join to person 0."""
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
