"""A puzzle as the page shows it: sentences with their roles, facts, family, proof, alternatives.

Everything that does not depend on names is worked out once for all puzzles of the same form. In
what is handed to the page, people and facts are numbers: places in the story's own lists.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from clutrr.errors import DataError
from clutrr.explore.layout import Drawing, lay_out_family, lay_out_people
from clutrr.puzzle import Fact, Puzzle
from clutrr.solver import Explanation, Finding, Judge, Witness, explain
from clutrr.solver.explain import Proof
from clutrr.wording.check import TextCheck, Told
from clutrr.wording.reading import Role, Sentence
from clutrr.world import GENDERS, Assumption, World

_ENTITY = re.compile(r"\[([^\]]*)\]")
_WINDOW = 3  # sentences that free text may use for one fact

# What a sentence is for, as a number: a fact on the path, another fact, a distractor, not understood.
PATH, OTHER, DISTRACTOR, UNREAD = range(4)
_ROLES = {Role.FACT: OTHER, Role.DISTRACTOR: DISTRACTOR, Role.UNREAD: UNREAD}
# What can be found about a target; entailed is shown separately from merely proved.
VERDICTS = (
    "proved, entailed",
    "proved, not entailed",
    *(finding.value for finding in Finding if finding not in (Finding.PROVED, Finding.OUTSIDE)),
)

_Form = tuple[tuple[tuple[int, str, int], ...], tuple[int, int], str]


@dataclass(frozen=True)
class Part:
    """A sentence of the story. shape: its text with [] for each entity. facts: those it states."""

    role: int
    facts: tuple[int, ...]
    shape: str
    entities: tuple[str, ...]


@dataclass(frozen=True)
class Story:
    """What the page shows of a puzzle. facts, case: plain data, with numbers for people."""

    parts: tuple[Part, ...]
    people: tuple[str, ...]
    facts: list[list[Any]]
    on_path: list[int]
    query: tuple[int, int]
    verdict: str
    case: dict[str, Any]


class Teller:
    """Prepares the puzzles of one world, under one assumption; remembers forms."""

    def __init__(self, world: World, assume: Assumption = Assumption.OPEN) -> None:
        self._judge = Judge(world, assume)
        self._text = TextCheck(world)
        self._cases: dict[_Form, tuple[str, dict[str, Any]]] = {}

    def tell(self, puzzle: Puzzle) -> Story:
        """If the text could be read, show the facts that it states; if not, those of the columns."""
        reading = self._text.read(puzzle.story, puzzle.people)
        free = bool(reading.unread) or not reading.facts
        stated = () if free else reading.facts
        people = _people(puzzle, stated)
        number = {name: i for i, name in enumerate(people)}
        facts = _in_order(puzzle.facts if free else stated, number)
        path = set(puzzle.facts[: puzzle.k])
        on_path = [i for i, fact in enumerate(facts) if fact in path]
        split = list(_split(puzzle.story, reading.sentences))
        told = _free_facts(split, facts) if free else [list(fs) for _, _, fs in split]
        checked = self._text.check(puzzle.story, puzzle.facts, puzzle.people) if free else None
        understood = checked is None or checked.told is Told.AGREES
        parts = tuple(
            _part(text, role, [facts.index(f) for f in fs if f in facts], on_path, people)
            for (text, role, _), fs in zip(split, told, strict=True)
        )
        query = (number[puzzle.query[0]], number[puzzle.query[1]])
        form = tuple((number[f.head], f.relation, number[f.tail]) for f in facts)
        verdict, case = self._case((form, query, puzzle.target))
        return Story(
            parts,
            people,
            [list(fact) for fact in form],
            on_path,
            query,
            verdict if understood else Finding.UNREAD.value,
            case,
        )

    def _case(self, form: _Form) -> tuple[str, dict[str, Any]]:
        if form not in self._cases:
            self._cases[form] = self._solve(*form)
        return self._cases[form]

    def _solve(
        self, numbered: tuple[tuple[int, str, int], ...], asked: tuple[int, int], target: str
    ) -> tuple[str, dict[str, Any]]:
        """The verdict and what explains it. People are called by their numbers, so that somebody
        whose name is ?1 is not taken for somebody without a name."""
        facts = [Fact(str(head), relation, str(tail)) for head, relation, tail in numbered]
        query = (str(asked[0]), str(asked[1]))
        solver = self._judge.solver
        try:
            verdict = solver.verdict(facts, query)
            judgement = self._judge.judge(facts, query, target)
            explanation = explain(solver, facts, query)
        except DataError:  # no fact names one of the two, or they are the same
            return Finding.UNREAD.value, {"unasked": 1, "family": self._facts_only(facts)}
        finding = judgement.finding
        entailed = ", entailed" if judgement.entailed else ", not entailed"
        case: dict[str, Any] = {"answers": verdict.relations, "outside": int(verdict.outside)}
        shown = target if target in verdict.relations else next(iter(verdict.relations), "")
        family = None if verdict.contradictory else self._family(facts, query, shown)
        case["family"] = _drawn(family, facts) if family else self._facts_only(facts)
        if family and shown != target:
            case["shows"] = shown
        case |= _explained(explanation, facts)
        return finding.value + (entailed if finding is Finding.PROVED else ""), case

    def _family(self, facts: list[Fact], query: tuple[str, str], relation: str) -> Witness | None:
        """A family in which the facts hold and the relation does; "" is none of the label set."""
        if relation:
            return self._judge.solver.witness(facts, query, relation)
        found = self._judge.solver.outside_witness(facts, query)
        return found[0] if found else None

    def _facts_only(self, facts: Sequence[Fact]) -> dict[str, Any]:
        """A drawing of just the facts, if no family has them all."""
        if not facts:
            return {"nodes": [], "knots": []}
        rises = {(fact.head, fact.tail): self._judge.solver.rise(fact.relation) for fact in facts}
        return _plain(lay_out_people(rises), {})


def _people(puzzle: Puzzle, stated: Sequence[Fact]) -> tuple[str, ...]:
    """Everybody, those on the path first, in its order."""
    names = [person.name for person in puzzle.people]
    for fact in (*puzzle.facts, *stated):
        names += (fact.head, fact.tail)
    return tuple(dict.fromkeys((*names, *puzzle.query)))


def _in_order(facts: Sequence[Fact], number: dict[str, int]) -> list[Fact]:
    """The facts without repetition, along the path."""

    def key(fact: Fact) -> tuple[int, int, str, int]:
        ends = sorted((number[fact.head], number[fact.tail]))
        return ends[0], ends[1], fact.relation, number[fact.head]

    return sorted(set(facts), key=key)


_Split = tuple[str, int, Sequence[Fact]]  # text, role, facts


def _split(story: str, sentences: Sequence[Sentence]) -> Iterator[_Split]:
    """The whole story, sentence by sentence; text outside all sentences stands by itself."""
    at = 0
    for sentence in sentences:
        if story[at : sentence.start].strip():
            yield story[at : sentence.start].strip(), UNREAD, ()
        at = sentence.end
        yield sentence.text, _ROLES[sentence.role], sentence.facts
    if story[at:].strip():
        yield story[at:].strip(), UNREAD, ()


def _free_facts(split: Sequence[_Split], facts: Sequence[Fact]) -> list[list[Fact]]:
    """The facts that each sentence of free text may state: those of which it names both people.

    If no sentence does, the nearest few that do together.
    """
    told: list[list[Fact]] = [[] for _ in split]
    for fact in facts:
        for size in range(1, _WINDOW + 1):
            windows = [range(i, i + size) for i in range(len(split) - size + 1)]
            found = [w for w in windows if _name_both(" ".join(split[i][0] for i in w), fact)]
            if found:
                for i in {i for window in found for i in window}:
                    told[i].append(fact)
                break
    return told


def _name_both(text: str, fact: Fact) -> bool:
    entities = _ENTITY.findall(text)
    if entities:
        return fact.head in entities and fact.tail in entities
    return fact.head in text and fact.tail in text


def _part(text: str, role: int, facts: Sequence[int], on_path: Sequence[int], people: Sequence[str]) -> Part:
    if facts:
        role = PATH if any(fact in on_path for fact in facts) else OTHER
    entities = _ENTITY.findall(text)
    if entities:
        return Part(role, tuple(facts), _ENTITY.sub("[]", text), tuple(entities))
    longest = sorted((re.escape(name) for name in people if name), key=len, reverse=True)
    names = re.compile(rf"(?<!\w)(?:{'|'.join(longest)})(?!\w)") if longest else None
    if names is None:
        return Part(role, tuple(facts), text, ())
    return Part(role, tuple(facts), names.sub("[]", text), tuple(names.findall(text)))


def _drawn(family: Witness, facts: Sequence[Fact]) -> dict[str, Any]:
    named = dict.fromkeys(name for fact in facts for name in (fact.head, fact.tail))
    return _plain(lay_out_family(family, named), family.genders)


def _plain(drawing: Drawing, genders: dict[str, str]) -> dict[str, Any]:
    """nodes: person (-1: unnamed), x, row, gender (-1: not known). knots: partners, children, x, row."""
    return {
        "nodes": [
            [
                -1 if node.name.startswith("?") else int(node.name),
                node.x,
                node.row,
                GENDERS.index(genders[node.name]) if node.name in genders else -1,
            ]
            for node in drawing.nodes
        ],
        "knots": [[list(k.partners), list(k.children), k.x, k.row] for k in drawing.knots],
    }


def _explained(explanation: Explanation, facts: list[Fact]) -> dict[str, Any]:
    case: dict[str, Any] = {}
    if explanation.proof is not None:
        case["proof"] = _proof(explanation.proof, facts)
    if explanation.alternatives:
        case["alternatives"] = [
            [alternative.relation, _drawn(alternative.family, facts)]
            for alternative in explanation.alternatives
        ]
    if explanation.conflict:
        case["conflict"] = [facts.index(fact) for fact in explanation.conflict]
    return case


def _proof(proof: Proof, facts: list[Fact]) -> dict[str, Any]:
    return {
        "steps": [
            [facts.index(step.fact), int(step.person), step.verdict.relations, step.other]
            for step in proof.steps
        ],
        "besides": [facts.index(fact) for fact in proof.besides],
        "ruled": [[ruled.relation, [facts.index(fact) for fact in ruled.facts]] for ruled in proof.ruled_out],
    }
