"""Whether a theory holds what the generator and the solvers take for granted.

A theory given by models is compared with its things: what it says of any is computed from them by brute force.
Any theory is asked for questions, and the answers that it draws are compared with those that it proves.

    identity     what a thing is to itself is one kind
    converses    each kind has one
    table        no composition is missing: more things show the same
    routes       in what order a route is composed
    networks     what the solver leaves possible is what the things show
    questions    every kind is the answer to some question
    agreement    the answers that are drawn are the answers that are proved
"""

import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from clutrr._display import Shown
from clutrr._labels import Kind, Labels
from clutrr._puzzle import Fact
from clutrr.errors import ConfigError, WorldError
from clutrr.theory.algebra import RelationAlgebra, bits, relations_of
from clutrr.theory.models import ModelTheory
from clutrr.theory.products import BETWEEN, Product
from clutrr.theory.questions import QuestionBlock
from clutrr.theory.spec import QuestionSpec, Supply
from clutrr.theory.theory import Theory

Ints = npt.NDArray[np.int64]

_MOST_THINGS = 400  # for brute force
_MOST_COMBINED = 200  # of a product, which has many kinds
_NETWORKS = 120
_ROUTE, _NETWORK = ("ab", "bc", "cd"), ("ab", "bd", "ac", "cd", "bc")
_LENGTHS = (2, 3, 4)
_ASKED = 60  # questions of each preset, length and number of routes whose answers are compared
_LISTED = 6  # kinds in a message
_NAMES = 80  # of each form, to ask with


@dataclass(frozen=True)
class Check:
    """One thing that was looked at.

    - name: what it is about
    - holds: None where it cannot be told
    - about: what was found, in a sentence
    """

    name: str
    holds: bool | None
    about: str


@dataclass(frozen=True, repr=False)
class TheoryCheck(Shown):
    """What was found out about a theory.

    - theory: its name
    - checks: in the order of the table above
    """

    theory: str
    checks: tuple[Check, ...]

    @property
    def holds(self) -> bool | None:
        """Whether all of it holds; None where nothing fails and something cannot be told."""
        found = {check.holds for check in self.checks}
        return False if False in found else None if None in found else True

    @property
    def caption(self) -> str:
        says = {True: "holds", False: "does not hold", None: "was not shown to hold"}[self.holds]
        return f"theory {self.theory}: {says}"

    def rows(self) -> Iterator[list[str]]:
        yield ["looked at", "holds", "what was found"]
        for check in self.checks:
            holds = {True: "yes", False: "no", None: "?"}[check.holds]
            yield [check.name, holds, check.about]

    def to_json(self) -> dict[str, Any]:
        """Return everything as plain data."""
        checks = [{"name": one.name, "holds": one.holds, "about": one.about} for one in self.checks]
        return {"theory": self.theory, "holds": self.holds, "checks": checks}


def check(theory: Theory, labels: Labels | None = None) -> TheoryCheck:
    """Return what is found out about a theory, in seconds.

    - labels: its kinds with words; None where kinds are their own words, as in a theory given by models
    """
    if not isinstance(theory, ModelTheory):
        return TheoryCheck(theory.name, tuple(_of_any(theory, labels or _plain_labels(theory))))
    try:
        algebra = theory.algebra
    except WorldError as error:  # no algebra, and nothing to look at
        about = str(error).removeprefix(f"theory {theory.name}: ")
        return TheoryCheck(theory.name, (Check("algebra", False, f"{about}."),))
    labels = labels or _plain_labels(theory)
    found = [*_of_models(theory, algebra), *_of_any(theory, labels)]
    return TheoryCheck(theory.name, tuple(found))


def _plain_labels(theory: Theory) -> Labels:
    return Labels(
        tuple(Kind(kind, converse, (kind,)) for kind, converse in theory.converses.items())
    )


# A theory given by models


def _of_models(theory: ModelTheory, algebra: RelationAlgebra) -> Iterator[Check]:
    same = theory.kinds[algebra.identity]
    if algebra.strict:
        yield Check("identity", True, f"Between a thing and itself, and nowhere else, is {same!r}.")
    else:
        yield Check("identity", True, f"A thing is {same!r} to itself, and so are others.")
    turned = sum(one != i for i, one in enumerate(algebra.converse))
    alike = algebra.size - turned
    yield Check(
        "converses", True, f"Each kind has one: {alike} are their own, {turned} come in pairs."
    )
    if isinstance(theory, Product):
        yield _check_components(theory, algebra)
    else:
        yield _check_table(theory, algebra)
    yield _check_routes(theory, algebra)
    yield _check_networks(theory)


def _usual_size(theory: type[ModelTheory] | ModelTheory) -> int | None:
    """Return how large the set of things is if nobody says; None if it has no size."""
    size = inspect.signature(theory.things).parameters.get("size")
    return size.default if size is not None and isinstance(size.default, int) else None


def _more_things(theory: ModelTheory) -> tuple[int, Sequence[Any]] | None:
    """Return a larger set of things, and its size; None if the theory has none."""
    if isinstance(theory, Product):
        parts = [(part(), _more_things(part())) for part in theory.components.values()]
        things = [more[1] if more else part.things() for part, more in parts]
        number = prod(map(len, things))
        return (number, list(product(*things))) if number <= _MOST_COMBINED else None
    usual = _usual_size(theory)
    if usual is None:
        return None
    size = usual + max(1, -(-usual // 3))
    return size, theory.things(size)  # type: ignore[call-arg]


def _check_table(theory: ModelTheory, algebra: RelationAlgebra) -> Check:
    """Compare the table with that of more things, or else with that of three quarters of them."""
    things = theory.things()
    more = _more_things(theory)
    try:
        if more is not None:
            other = RelationAlgebra.shown_by(type(theory), more[1])
            which = f"size {more[0]}, {len(more[1])} things, shows"
        else:
            other = RelationAlgebra.shown_by(type(theory), things[: len(things) * 3 // 4])
            which = f"three quarters of the {len(things)} things show"
    except WorldError as error:
        about = str(error).removeprefix(f"theory {theory.name}: ")
        return Check("table", False, f"There are too few things: of a part of them, {about}.")
    kinds = theory.kinds
    for (r, first), (s, second) in product(enumerate(kinds), repeat=2):
        here, there = int(algebra.table[r, s]), int(other.table[r, s])
        if here != there:
            differ = ", ".join(kinds[kind] for kind in bits(here ^ there))
            lacks = "more, with" if more is not None else "fewer, without"
            return Check(
                "table",
                False,
                f"It still changes: of {first!r}, then {second!r}, {which} {lacks} {differ}. Add things.",
            )
    return Check("table", True, f"It is stable: {which} the same {len(kinds) ** 2} compositions.")


def _check_components(theory: Product, algebra: RelationAlgebra) -> Check:
    """Check the table of each component, and that of the product against theirs."""
    parts = [part() for part in theory.components.values()]
    for name, part in zip(theory.components, parts, strict=True):
        table = _check_table(part, part.algebra)
        if not table.holds:
            return Check("components", table.holds, f"Of {name}: {table.about}")
    number = {kind: i for i, kind in enumerate(theory.kinds)}
    for first, second in product(theory.kinds, repeat=2):
        each = [
            [
                part.kinds[kind]
                for kind in bits(int(part.algebra.table[part.kinds.index(r), part.kinds.index(s)]))
            ]
            for part, r, s in zip(parts, first.split(BETWEEN), second.split(BETWEEN), strict=True)
        ]
        expected = sum(1 << number[BETWEEN.join(kinds)] for kinds in product(*each))
        if expected != int(algebra.table[number[first], number[second]]):
            about = f"{first!r}, then {second!r} is not what the components say."
            return Check("components", False, about)
    tables = ", ".join(
        f"{name} ({len(part.kinds)} kinds)" for name, part in theory.components.items()
    )
    return Check("components", True, f"It is the product of {tables}, whose tables are stable.")


def _check_routes(theory: ModelTheory, algebra: RelationAlgebra) -> Check:
    """Say whether three kinds compose in one way; where they do not, all routes are closed in every way."""
    if algebra.uneven is None:
        return Check("routes", True, f"All {algebra.size**3:,} of three facts compose in one way.")
    route = ", then ".join(repr(theory.kinds[kind]) for kind in algebra.uneven)
    return Check(
        "routes",
        True,
        f"It matters where one starts to compose {route}: routes are composed in every way, and what all "
        "ways leave is possible.",
    )


def _check_networks(theory: ModelTheory) -> Check:
    """Compare the solver with brute force on networks of four entities."""
    more = _more_things(theory)
    things = theory.things() if more is None else more[1]
    if len(things) > _MOST_THINGS:
        things = theory.things()
    if len(things) > _MOST_THINGS:
        return Check("networks", None, f"{len(things)} things are too many for brute force.")
    solver = theory.solver(_plain_labels(theory), theory.assumption().name)
    related = relations_of(type(theory), things)
    how = "by eliminating entities" if theory.eliminates() else "by cases"
    decided = 0
    for facts, number in _networks(theory, related):
        verdict = solver.verdict(facts, ("a", "d"))
        if not verdict.decided:
            continue
        decided += 1
        shown = {theory.kinds[kind] for kind in _shown(related, number)}
        if wrong := sorted(set(verdict.relations) ^ shown):
            told = ", ".join(f"{b} is {kind!r} to {a}" for a, kind, b in facts)
            which = "leaves possible what no things show" if verdict.relations else "finds no scene"
            return Check(
                "networks",
                False,
                f"The solver decides {how}, and {which}: if {told}, then that d is "
                f"{_either(wrong)} to a. Add things; if that does not help, write a solver.",
            )
    if decided < _NETWORKS // 2:
        return Check("networks", None, f"Only {decided} of {_NETWORKS} networks were decided.")
    return Check(
        "networks",
        True,
        f"The solver decides {how}, as brute force does on {decided} networks of four entities.",
    )


def _networks(theory: ModelTheory, related: Ints) -> Iterator[tuple[list[Fact], dict[str, int]]]:
    """Yield facts about a, b, c and d: a route, or a network of five; of scenes, or with one fact changed.

    Each comes with the numbers of the kinds, by the pair of letters.
    """
    rng = np.random.default_rng(1)
    for turn in range(_NETWORKS):
        pairs = _ROUTE if turn % 4 == 0 else _NETWORK
        place = dict(zip("abcd", rng.integers(len(related), size=4), strict=True))
        number = {pair: int(related[place[pair[0]], place[pair[1]]]) for pair in pairs}
        if turn % 3 == 0:
            number[str(rng.choice(pairs))] = int(rng.integers(len(theory.kinds)))
        facts = [Fact(pair[0], theory.kinds[kind], pair[1]) for pair, kind in number.items()]
        yield facts, number


def _shown(related: Ints, number: dict[str, int]) -> Ints:
    """Return what d can be to a, by trying all things for all four."""
    holds = {pair: (related == kind).astype(np.float32) for pair, kind in number.items()}
    if "bd" not in holds:
        reached = ((holds["ab"] @ holds["bc"]) > 0).astype(np.float32) @ holds["cd"]
    else:
        b, c = np.nonzero(holds["bc"])
        reached = (holds["ab"][:, b] * holds["ac"][:, c]) @ (holds["bd"][b] * holds["cd"][c])
    found: Ints = np.unique(related[reached > 0])
    return found


# Any theory


def _of_any(theory: Theory, labels: Labels) -> Iterator[Check]:
    if not isinstance(theory, ModelTheory):
        yield _check_converses(theory)
    try:
        asked, wrong, compared = _ask(theory, labels)
    except Exception as error:  # a program of somebody else
        failed = f"Drawing or deciding fails: {type(error).__name__}: {error}"
        yield Check("agreement", False, failed)
        return
    yield _check_questions(theory, asked)
    if wrong:
        yield Check("agreement", False, wrong)
    elif compared:
        yield Check("agreement", True, f"The solver proves what was drawn, {compared} times.")
    else:
        yield Check("agreement", None, "No question was drawn.")


def _check_converses(theory: Theory) -> Check:
    for kind, converse in theory.converses.items():
        if theory.converses.get(converse) != kind:
            return Check(
                "converses",
                False,
                f"The converse of {kind!r} is {converse!r}, and not the reverse.",
            )
    return Check("converses", True, f"Each of the {len(theory.converses)} kinds has one.")


def _ask(theory: Theory, labels: Labels) -> tuple[set[int], str, int]:
    """Draw questions of every preset and compare them with the solver.

    Returns the kinds that are an only answer, what is wrong, and how many questions were compared.
    """
    asked: set[int] = set()
    compared = 0
    supply = Supply(theory.name, labels, (_NAMES,) * labels.each, 1)
    for preset in theory.presets:
        for k, routes in product(_LENGTHS, (1, 2) if theory.several_routes else (1,)):
            share = 0.5 if preset.keeps == "mixed" else 0.0
            spec = QuestionSpec(preset, preset.assume, k, routes, undetermined=share)
            try:
                theory.check(spec, supply)
                source = theory.questions(spec, supply)
                block = source.draw(np.random.default_rng(k))
            except ConfigError:  # no such questions
                continue
            if preset.keeps != "all":
                asked |= set(block.targets[block.targets >= 0].tolist())
            rows = range(0, len(block), max(1, len(block) // _ASKED))
            if wrong := _disagreement(theory, labels, block, spec, rows):
                return asked, wrong, compared
            compared += len(rows)
    return asked, "", compared


def _disagreement(
    theory: Theory, labels: Labels, block: QuestionBlock, spec: QuestionSpec, rows: Sequence[int]
) -> str:
    """Return what the solver says otherwise of a drawn question; "" if nothing."""
    solver = theory.solver(labels, spec.assume)
    words = labels.relations
    for row in rows:
        names = [f"e{number}" for number in range(block.entities.shape[1])]
        told = zip(block.head[row], block.relation[row], block.tail[row], strict=True)
        facts = [Fact(names[a], words[relation], names[b]) for a, relation, b in told]
        verdict = solver.verdict(facts, (names[0], names[block.k]))
        if not verdict.decided:
            continue
        target = block.target[row]
        drawn = "several answers" if target < 0 else repr(words[target])
        right = (
            len(verdict.relations) > 1
            if target < 0
            else words[target] in verdict.relations
            if spec.preset.keeps == "all"
            else verdict.relations == (words[target],)
        )
        if not right:
            told_of = ", ".join(f"{fact.relation} ({fact.head}, {fact.tail})" for fact in facts)
            return (
                f"Preset {spec.preset.name} draws {drawn} for {names[block.k]} to {names[0]}, and the solver "
                f"finds {_either(verdict.relations)}: {told_of}."
            )
    return ""


def _check_questions(theory: Theory, asked: set[int]) -> Check:
    """Say which kinds are never the only answer; that two are the same need not be."""
    kinds = list(theory.converses)
    never = [kind for number, kind in enumerate(kinds) if number not in asked]
    lengths = f"{_LENGTHS[0]} to {_LENGTHS[-1]} facts"
    if not never:
        return Check("questions", True, f"Every kind is the only answer to some, at {lengths}.")
    if isinstance(theory, ModelTheory) and never == [kinds[theory.algebra.identity]]:
        about = f"Every kind but {never[0]!r} is the only answer to some, at {lengths}."
        return Check("questions", len(asked) > 0, about)
    more = f" and {len(never) - _LISTED} more" if never[_LISTED:] else ""
    about = f"No question of {lengths} has the only answer {_either(never[:_LISTED])}{more}."
    return Check("questions", False, about)


def _either(words: Sequence[str]) -> str:
    if not words:
        return "nothing"
    *others, last = map(repr, words)
    return f"{', '.join(others)} or {last}" if others else last
