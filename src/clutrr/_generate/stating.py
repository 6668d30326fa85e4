"""Questions whose answers rest on statements that are no facts: drawn with the solver, each proved necessary.

Facts are drawn as ever. Then some of them are stated vaguely (`vague`), and statements are added that the answer
needs (`off_path`): with all of them the preset keeps the question, and without any one of them it does not,
whether the facts beside the routes are there or not. None names both entities of the query.

What is drawn so, a case, is told several times in a block: each time with other names, words and remarks.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import NamedTuple

import numpy as np

from clutrr._lexicon import World
from clutrr._puzzle import CANNOT_BE_TOLD, OFF_PATH, ROLES, Fact
from clutrr._statement import Statement, StatementKind, Status
from clutrr.errors import ConfigError, DataError
from clutrr.theory import Verdict
from clutrr.theory.given import Given
from clutrr.theory.questions import (
    Cast,
    PossibleKinds,
    QuestionBlock,
    QuestionSource,
    Stated,
)
from clutrr.theory.spec import QuestionSpec

_BLOCK = 1024  # questions
_TOLD = 16  # times that a case is told in a block
_LEAST_ROWS = 500  # drawn facts that are looked at before none is found to fit
_CALLS = 40_000  # verdicts that the cases of one block may take
_REMEMBERED = 200_000  # verdicts
_FEW, _PATIENT = (
    8,
    200,
)  # statements whose kinds are not counted; cases that are refused in a row, at most
_TRIES = 8  # statements that are tried for one place
_INNER = 0.25  # the share of statements that may be about two entities of which none is asked about
_LISTED = 3  # kinds that alternatives list, at most
_DENIED = 3  # kinds that a denial lists, at most
_FORMS = StatementKind.FORM
_PAIRED = (StatementKind.ALTERNATIVES, StatementKind.DENIAL)


class Stating(NamedTuple):
    """What is asked for beside facts.

    off_path: statements that the answer needs. vague: the share of facts that are stated as alternatives.
    """

    off_path: int
    vague: float


@dataclass(frozen=True)
class Case:
    """A question without names: entities are called "0", "1", ... by their places.

    row: of the block of facts that it comes from. target: a label, or `CANNOT_BE_TOLD`.
    """

    block: QuestionBlock
    row: int
    stated: tuple[Stated, ...]
    target: str
    verdict: Verdict


class StatedQuestions(QuestionSource):
    """Draws the questions of one subset and split from those of another source.

    - base: draws the facts. spec: what is to be kept.
    """

    def __init__(
        self, base: QuestionSource, world: World, spec: QuestionSpec, asked: Stating
    ) -> None:
        self.block = self.scenes = _BLOCK
        self._base, self._world, self._spec, self._asked = base, world, spec, asked
        self._solver = world.theory.solver(world.labels, spec.assume)
        words = world.lexicon.statements
        takes = self._solver.takes
        self._kinds = [kind for kind in _PAIRED if kind in takes]
        self._closed: Mapping[str, tuple[str, ...]] = {} if words is None else words.plurals
        # What closures close: all that stand in a kind to somebody, or in a relation.
        labels = world.labels.meaning
        self._keys = [key for key in self._closed if set(key.split("/")) <= labels.keys()]
        closes = words is not None and bool(words.none) and bool(self._keys)
        if closes and StatementKind.CLOSURE in takes:
            self._kinds.append(StatementKind.CLOSURE)
        if words is not None and words.forms and _FORMS in takes:
            self._kinds.append(_FORMS)
        self._open: Mapping[str, tuple[str, ...]] = {} if words is None else words.open
        self._used: Counter[StatementKind] = Counter()
        self._refused = 0  # cases in a row, for a kind that is there too often
        self._calls = 0  # verdicts that a block has asked for
        self._facts = self._vague = 0  # facts of its cases, and those that are stated vaguely
        self._single = False  # whether one kind has to make up more than half
        self._verdicts: dict[tuple[object, ...], Verdict | None] = {}

    def draw(self, rng: np.random.Generator) -> QuestionBlock:
        random = Random(int.from_bytes(rng.bytes(16)))
        self._calls = self._facts = self._vague = 0
        self._used, self._refused, self._single = Counter(), 0, False
        share = self._spec.undetermined
        several = round(share * self.block)
        cases = self._cases(rng, random, several)
        rows: list[Case] = []
        for some, size in ((cases[True], several), (cases[False], self.block - several)):
            rows += self._told(some, size)
        random.shuffle(rows)
        return _block(rows, self._world)

    def _cases(
        self, rng: np.random.Generator, random: Random, several: int
    ) -> dict[bool, list[Case]]:
        """Draw the cases of a block, those with several answers under True."""
        wanted = {True: -(-several // _TOLD), False: -(-(self.block - several) // _TOLD)}
        found: dict[bool, list[Case]] = {True: [], False: []}
        targets: Counter[str] = Counter()
        tried = 0
        while self._calls < _CALLS and (tried < _LEAST_ROWS or any(found.values())):
            block = self._base.draw(rng)
            for row in range(len(block)):
                left = [open_ for open_ in found if len(found[open_]) < wanted[open_]]
                if not left or self._calls >= _CALLS:
                    break
                open_ = left[0] if len(left) == 1 else random.random() < self._spec.undetermined
                case = self._case(block, row, random, targets, open_)
                tried += 1
                if case is not None:
                    found[open_].append(case)
                    targets[case.target] += 1
                elif tried >= _LEAST_ROWS and not any(found.values()):
                    break
            if not left:
                break
        if all(found[open_] for open_ in found if wanted[open_]):
            return found
        k, asked = self._spec.k, self._asked
        if asked.off_path:
            raise ConfigError(
                f"no question of M{k} was found that needs {asked.off_path} such statements"
                f" (world {self._world.name}, assuming {self._spec.assume})",
                setting="off_path",
            )
        raise ConfigError(
            f"no question of M{k} was found that is kept with these facts beside the route, "
            "or stated so vaguely",
            setting="vague" if asked.vague else "supporting, irrelevant",
        )

    def _told(self, cases: Sequence[Case], size: int) -> Iterator[Case]:
        """Yield cases, again and again: every label equally often where the preset says so."""
        by_target: dict[str, list[Case]] = {}
        for case in cases:
            key = case.target if self._spec.preset.balanced else ""
            by_target.setdefault(key, []).append(case)
        turns = list(by_target.values())
        for number in range(size):
            turn, place = divmod(number, len(turns))
            of = turns[place]
            yield of[turn % len(of)]

    # One case

    def _case(
        self, block: QuestionBlock, row: int, random: Random, targets: Counter[str], open_: bool
    ) -> Case | None:
        """Return what is stated in a question, None if nothing was found. open_: with several answers."""
        draft = _Draft(block, row, self._world, self)
        facts = len(draft.facts)
        wanted = round((self._facts + facts) * self._asked.vague) - self._vague
        vague = draft.vaguely(random, max(0, min(facts, wanted)), self._open)
        verdict = self._decide(draft.route(vague), draft.query)
        if verdict is None:
            return None
        chosen: list[Statement] = []
        draft.stated = draft.route(vague)
        if not self._asked.off_path:
            fits = self._is_kept(verdict, open_)
        else:
            fits = not self._is_kept(verdict, False) or self._spec.preset.keeps == "all"
        aims = [
            label
            for label in verdict.relations
            if self._world.meaning[label].form in (None, draft.forms[draft.k])
        ]
        if not fits or not aims:
            return None
        aim = min(aims, key=lambda label: (targets[label], random.random()))
        if not self._asked.off_path and self._spec.preset.keeps == "all":
            aim = draft.answer or aim
        for place in range(self._asked.off_path):
            last = place == self._asked.off_path - 1
            one = self._one(draft, [*draft.route(vague), *chosen], aim, open_, last, random)
            if one is None:
                return None
            chosen.append(one)
        everything = [*draft.all(vague), *chosen]
        found = self._decide(everything, draft.query)
        if found is None or aim not in found.relations or not self._is_kept(found, open_):
            return None
        if not self._needed(draft, draft.all(vague), chosen, found):
            return None
        if draft.named_forms and not self._solver.consistent([*everything, *draft.named_forms]):
            return None
        if self._is_too_often(chosen):
            return None
        self._facts, self._vague = self._facts + facts, self._vague + len(vague)
        target = CANNOT_BE_TOLD if open_ else aim
        stated = [Stated(one, number) for number, one in vague.items()]
        stated += [Stated(replace(one, role=OFF_PATH)) for one in chosen]
        return Case(block, row, tuple(stated), target, found)

    def _is_too_often(self, chosen: Sequence[Statement]) -> bool:
        """Return whether a kind of statement would make up more than half of them; otherwise count them.

        Where no other kind is found for long, there is none, and nothing is too often.
        """
        used = self._used + Counter(one.kind for one in chosen)
        most = max(used, key=lambda kind: used[kind], default=None)
        often = most is not None and used.total() > _FEW and 2 * used[most] > used.total() + 1
        if often and any(one.kind is most for one in chosen) and not self._single:
            self._refused += 1
            self._single = self._refused > _PATIENT
            return True
        self._refused, self._used = 0, used
        return False

    def _decide(self, given: Sequence[Given], query: tuple[str, str]) -> Verdict | None:
        """Return the verdict; None if nothing is possible, or it takes too much work."""
        self._calls += 1
        key = (*given, *query)
        if key not in self._verdicts:
            if len(self._verdicts) > _REMEMBERED:
                self._verdicts.clear()
            self._verdicts[key] = self._found(given, query)
        return self._verdicts[key]

    def _found(self, given: Sequence[Given], query: tuple[str, str]) -> Verdict | None:
        try:
            found = self._solver.verdict(given, query)
        except DataError:  # one of the two is not named
            return None
        return found if found.decided and found.relations else None

    def _is_kept(self, found: Verdict, open_: bool) -> bool:
        """Return whether the preset keeps a question. open_: as one with several answers."""
        keeps = self._spec.preset.keeps
        if open_:
            return len(found.relations) > 1
        if keeps == "all":
            return True
        return len(found.relations) == 1 and not (keeps == "entailed" and found.outside)

    def _needed(
        self, draft: "_Draft", given: list[Given], chosen: Sequence[Statement], whole: Verdict
    ) -> bool:
        """Return whether without any of the statements the question would not be kept, or be another."""
        several = self._spec.preset.keeps == "all" or len(whole.relations) > 1
        for left_out in chosen:
            rest = [*given, *(one for one in chosen if one is not left_out)]
            found = self._decide(rest, draft.query)
            if found is None:
                return False
            same = (found.relations, found.outside) == (whole.relations, whole.outside)
            if same if several else self._is_kept(found, False):
                return False
        return True

    def _one(
        self,
        draft: "_Draft",
        given: list[Given],
        aim: str,
        open_: bool,
        last: bool,
        random: Random,
    ) -> Statement | None:
        """Return a statement that narrows the answers down: to one, if it is the last."""
        before = self._decide(given, draft.query)
        if before is None:
            return None
        usable = [kind for kind in self._kinds if draft.pairs or kind not in _PAIRED]
        kinds = sorted(usable, key=lambda kind: (self._used[kind], random.random()))
        if not kinds:
            return None
        for turn in range(_TRIES):
            kind = kinds[turn % len(kinds)]
            one = self._proposed(kind, draft, given, aim, last and not open_, random)
            if one is None or {*draft.query} <= set(_named(one)) or one in given:
                continue
            after = self._decide([*given, one], draft.query)
            if after is None or aim not in after.relations:
                continue
            same = (after.relations, after.outside) == (before.relations, before.outside)
            if same and (last or open_ or kind not in _PAIRED):
                continue
            kept = self._is_kept(after, False) and self._spec.preset.keeps != "all"
            if open_:
                if len(after.relations) > 1:
                    return one
            elif kept == last or self._spec.preset.keeps == "all":
                return one
        return None

    def _proposed(
        self,
        kind: StatementKind,
        draft: "_Draft",
        given: list[Given],
        aim: str,
        last: bool,
        random: Random,
    ) -> Statement | None:
        if kind is _FORMS:
            entity = random.randrange(len(draft.forms))
            form = self._world.forms[draft.forms[entity]]
            return Statement(_FORMS, str(entity), (form,))
        if kind is StatementKind.CLOSURE:
            return self._closure(draft, random)
        # What is known of an end of the query tells more of it than what is known of two others.
        some = draft.pairs if random.random() < _INNER or not draft.outer else draft.outer
        pair = random.choice(some)
        possible, first = self._decide(given, pair), self._decide(draft.stated, pair)
        if possible is None or first is None or not self._is_loose(possible):
            return None
        sure = self._deciding(possible.relations, draft, given, pair, aim)
        out = [label for label in possible.relations if label not in sure]
        if not sure or not (out or possible.outside):
            return None
        turned = random.random() < 0.5
        if kind is StatementKind.DENIAL:
            words = out if last else self._some(out, random, 1)
            kinds = {self._world.meaning[label].kind.name for label in words}
            if not words or len(kinds) > _DENIED or len(words) == len(possible.relations):
                return None
            one = Statement(kind, pair[0], tuple(words), pair[1], status=Status.DENIED)
            return self._turned(one, draft) if turned else one
        words = self._some(sure, random, random.randint(1, _LISTED))
        # What earlier statements exclude, or else what is known to be wrong, makes them needed, and two.
        gone = [label for label in first.relations if label not in possible.relations]
        if not last:
            words += self._some(out, random, random.randint(1, 2))
        elif gone:
            words.append(random.choice(gone))
        if len(words) == 1:
            others = [label for label in self._world.relations if label not in possible.relations]
            words += [random.choice(others)] if others else []
        if len(set(words)) < 2 or (set(words) >= set(possible.relations) and not possible.outside):
            return None
        ordered = tuple(label for label in self._world.relations if label in words)
        one = Statement(kind, pair[0], tuple(dict.fromkeys(ordered)), pair[1])
        return self._turned(one, draft) if turned else one

    def _is_loose(self, possible: Verdict | None) -> bool:
        """Return whether a statement of two entities can say more than is known of them."""
        return possible is not None and len(possible.relations) + possible.outside > 1

    def _turned(self, one: Statement, draft: "_Draft") -> Statement:
        """Return a statement of two entities as it is seen from the other one, where that says the same."""
        labels, form = self._world.labels, draft.forms[int(one.head)]
        kinds = {labels.meaning[label].kind for label in one.relations}
        if labels.forms and any(
            not set(kind.words) <= set(one.relations) for kind in kinds if len(set(kind.words)) > 1
        ):
            return one  # it says which form the other one has, too
        words = {labels.kind(kind.converse).words for kind in kinds}
        told = {word for some in words for word in some}
        if one.kind is StatementKind.ALTERNATIVES and labels.forms:
            told = {some[form] if len(some) > form else some[0] for some in words}
            if len(told) < 2:
                return one
        ordered = tuple(word for word in labels.relations if word in told)
        return replace(one, head=one.tail, tail=one.head, relations=tuple(dict.fromkeys(ordered)))

    def _deciding(
        self,
        labels: Sequence[str],
        draft: "_Draft",
        given: list[Given],
        pair: tuple[str, str],
        aim: str,
    ) -> list[str]:
        """Return which of the labels, between a pair, leave nothing but the aim possible.

        Where that takes long, those that go with the aim.
        """
        if self._world.forms:
            asked = Fact(draft.query[0], aim, draft.query[1])
            truly = self._decide([*given, asked], pair)
            return [] if truly is None else [one for one in labels if one in truly.relations]
        found = []
        for label in labels:
            then = self._decide([*given, Fact(pair[0], label, pair[1])], draft.query)
            if then is not None and then.relations == (aim,):
                found.append(label)
        return found

    def _some(self, labels: Sequence[str], random: Random, most: int) -> list[str]:
        """Return the labels of a few kinds: words for both forms of an entity stand together."""
        kinds = list(dict.fromkeys(self._world.meaning[label].kind.name for label in labels))
        random.shuffle(kinds)
        few = set(kinds[:most])
        return [label for label in labels if self._world.meaning[label].kind.name in few]

    def _closure(self, draft: "_Draft", random: Random) -> Statement | None:
        """Return a closure: of nobody, or of those whom facts state."""
        head = random.randrange(len(draft.forms))
        key = random.choice(self._keys)
        relations = tuple(key.split("/"))
        entities = tuple(draft.stated_of(str(head), relations))
        words = self._closed[key]
        if entities and words[0] == f"only {words[1]}":  # "only" once is enough
            return None
        return Statement(StatementKind.CLOSURE, str(head), relations, entities=entities)

    def judge(self, questions: QuestionBlock) -> PossibleKinds:
        known = np.zeros(len(questions), bool)  # labels are told by the verdicts
        return PossibleKinds(
            np.zeros((len(questions), len(self._world.kinds)), bool), known, known, known
        )

    def notes(self) -> Iterator[str]:
        yield from self._base.notes() if not self._asked.off_path else ()


def _named(one: Statement) -> tuple[str, ...]:
    return (one.head, one.tail, *one.entities)


class _Draft:
    """A question of a block as facts about places, and how they are stated."""

    def __init__(
        self, block: QuestionBlock, row: int, world: World, source: StatedQuestions
    ) -> None:
        self.k, self.routed = block.k, block.routed
        self.query = "0", str(block.k)
        self.forms: list[int] = block.forms[row].tolist()
        self._world = world
        each = block.cast.each
        head, tail, kinds = (one[row].tolist() for one in (block.head, block.tail, block.kinds))
        self.facts = [
            Fact(str(a), world.relations[kind * each + self.forms[b]], str(b))
            for a, kind, b in zip(head, kinds, tail, strict=True)
        ]
        target = int(block.targets[row])
        self.answer = "" if target < 0 else world.relations[target * each + self.forms[self.k]]
        on_routes = sorted({int(name) for fact in self.facts[: self.routed] for name in fact[::2]})
        facts = {frozenset((fact.head, fact.tail)) for fact in self.facts}
        self.stated: list[Given] = []  # the facts of the routes, as they are stated
        self.pairs = [
            (str(a), str(b))
            for a in on_routes
            for b in on_routes
            if a < b and frozenset((str(a), str(b))) not in facts and {a, b} != {0, self.k}
        ]
        ends = set(self.query)
        self.outer = [pair for pair in self.pairs if not ends.isdisjoint(pair)]
        self.roles = [ROLES[role] for role in block.roles.tolist()]

    @property
    def named_forms(self) -> list[Statement]:
        """The form of every entity, which its name shows."""
        if not self._world.forms:
            return []
        return [
            Statement(_FORMS, str(entity), (self._world.forms[form],))
            for entity, form in enumerate(self.forms)
        ]

    def route(self, vague: dict[int, Statement]) -> list[Given]:
        """Return the facts of the routes, as they are stated."""
        return self.all(vague)[: self.routed]

    def all(self, vague: dict[int, Statement]) -> list[Given]:
        """Return all facts, as they are stated."""
        return [vague.get(number, fact) for number, fact in enumerate(self.facts)]

    def stated_of(self, head: str, relations: Sequence[str]) -> Iterator[str]:
        """Yield who is stated to be one of these to head."""
        labels = self._world.labels
        for fact in self.facts:
            if fact.head == head and fact.relation in relations:
                yield fact.tail
            elif fact.tail == head:
                converse = labels.kind(labels.meaning[fact.relation].kind.converse)
                form = self.forms[int(fact.head)]
                word = converse.words[form if len(converse.words) > 1 else 0]
                if word in relations:
                    yield fact.head

    def vaguely(
        self, random: Random, size: int, open_: Mapping[str, tuple[str, ...]]
    ) -> dict[int, Statement]:
        """Return how so many of the facts are stated as alternatives, by their numbers."""
        found = {}
        for number in sorted(random.sample(range(len(self.facts)), size)):
            head, relation, tail = self.facts[number]
            known = [of for of in open_.values() if relation in of]
            if known and random.random() < 0.7:
                words = random.choice(known)
            else:
                form = self._world.meaning[relation].form
                others = [
                    label
                    for label in dict.fromkeys(self._world.relations)
                    if label != relation and self._world.meaning[label].form == form
                ]
                words = (relation, random.choice(others))
            ordered = tuple(one for one in dict.fromkeys(self._world.relations) if one in words)
            found[number] = Statement(
                StatementKind.ALTERNATIVES, head, ordered, tail, role=self.roles[number]
            )
        return found


def _block(rows: Sequence[Case], world: World) -> QuestionBlock:
    """Return the questions of cases as a block. Names are drawn when they are told."""
    first, size = rows[0].block, len(rows)
    entities = first.entities.shape[1]
    forms = np.concatenate([case.block.forms[case.row] for case in rows])
    cast = Cast(
        np.zeros(size * entities, np.int16),
        forms.astype(np.int8),
        np.zeros((size * entities, 0), np.uint16),
        first.cast.each,
    )
    head, tail, stated = (
        np.stack([getattr(case.block, name)[case.row] for case in rows])
        for name in ("head", "tail", "kinds")
    )
    kinds = [
        -1 if case.target == CANNOT_BE_TOLD else world.index[world.meaning[case.target].kind.name]
        for case in rows
    ]
    return replace(
        first,
        cast=cast,
        scene=np.arange(size),
        entities=np.arange(size * entities).reshape(size, entities),
        targets=np.array(kinds),
        stated=tuple(case.stated for case in rows),
        verdicts=tuple((case.verdict.relations, case.verdict.outside) for case in rows),
        head=head,
        tail=tail,
        kinds=stated,
    )
