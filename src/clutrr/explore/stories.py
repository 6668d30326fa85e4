"""A puzzle as the page shows it: sentences with their roles, facts, scene, proof, alternatives.

In what is handed to the page, entities and facts are numbers: places in the story's own lists.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from clutrr.errors import DataError
from clutrr.puzzle import CANNOT_BE_TOLD, Fact, Puzzle
from clutrr.sentences import entities_in, shape_of
from clutrr.theory import Drawing, Explanation, Finding, Scene
from clutrr.theory.solver import Claim, Proof, ProofStep
from clutrr.wording.check import Agreement, TextCheck
from clutrr.wording.reading import ReadAs, ReadSentence
from clutrr.world import World

# What a sentence is for, as a number: a fact on the path, another fact, a distractor, not understood.
PATH, OTHER, DISTRACTOR, UNREAD = range(4)
_ROLES = {ReadAs.FACT: OTHER, ReadAs.DISTRACTOR: DISTRACTOR, ReadAs.UNREAD: UNREAD}
# What can be found about a target; entailed is shown separately from merely proved.
VERDICTS = (
    "proved, entailed",
    "proved, not entailed",
    f"proved, {CANNOT_BE_TOLD}",
    *(finding.value for finding in Finding if finding not in (Finding.PROVED, Finding.OUTSIDE)),
)


class StoryBuilder:
    """Prepares the puzzles of one world for the page, under one assumption."""

    def __init__(self, world: World, assume: str) -> None:
        self._solver = world.theory.solver(world.labels, assume)
        self._text = TextCheck(world)

    def build(self, puzzle: Puzzle) -> tuple[str, dict[str, Any]]:
        """Return the verdict and what the page shows: by the text, or by the columns if it is not read.

        parts: of the story, each with its role, the facts it states, its text with [] for each entity, and
        these.
        """
        reading = self._text.read(puzzle.story, puzzle.entities)
        free, understood = bool(reading.unread) or not reading.facts, True
        if free or set(reading.facts) != set(puzzle.facts):
            agreement = self._text.check(puzzle.story, puzzle.facts, puzzle.entities).agreement
            # Text that says the same in other words, or perhaps does, is shown by the facts of the columns.
            free |= agreement is not Agreement.DISAGREES and bool(puzzle.facts)
            understood = agreement is Agreement.AGREES or not free
        stated = () if free else reading.facts
        entities = _entities(puzzle, stated)
        number = {name: i for i, name in enumerate(entities)}
        kept = set(puzzle.facts if free else stated)
        facts = [fact for fact in dict.fromkeys((*puzzle.facts, *stated)) if fact in kept]
        path = set(puzzle.facts[: len(puzzle.pattern)])
        on_path = [i for i, fact in enumerate(facts) if fact in path]
        parts = []
        for text, role, said in _split(puzzle.story, reading.sentences):
            if free:  # it may state the facts of which it names both entities
                said = [fact for fact in facts if _name_both(text, fact)]
            meant = [facts.index(fact) for fact in said if fact in facts]
            if meant:
                role = OTHER if set(on_path).isdisjoint(meant) else PATH
            shape, named = _shape(text, entities)
            parts.append([role, meant, shape, *(number.get(name, name) for name in named)])
        query = (number[puzzle.query[0]], number[puzzle.query[1]])
        numbered = tuple((number[f.head], f.relation, number[f.tail]) for f in facts)
        verdict, case = self._solve(numbered, query, puzzle.target)
        shown = {"parts": parts, "entities": entities, "facts": numbered, "path": on_path, "query": query}
        return verdict if understood else Finding.UNREAD.value, {**shown, **case}

    def _solve(
        self, numbered: tuple[tuple[int, str, int], ...], asked: tuple[int, int], target: str
    ) -> tuple[str, dict[str, Any]]:
        """Return the verdict and what explains it.

        Entities are called by numbers, so that one whose name is ?1 is not taken for one without a name.
        """
        facts = [Fact(str(head), relation, str(tail)) for head, relation, tail in numbered]
        query, solver = (str(asked[0]), str(asked[1])), self._solver
        try:
            verdict = solver.verdict(facts, query)
            explanation = solver.explain(facts, query)
        except DataError:  # no fact names one of the two, or they are the same
            return Finding.UNREAD.value, {"unasked": 1, "scene": _plain(solver.drawing(facts))}
        finding = verdict.finding(target)
        entailed = ", entailed" if verdict.entailed else ", not entailed"
        if target == CANNOT_BE_TOLD:  # it says itself that several relations are possible
            entailed = f", {CANNOT_BE_TOLD}"
        case: dict[str, Any] = {"answers": verdict.relations, "outside": int(verdict.outside)}
        shown = target if target in verdict.relations else next(iter(verdict.relations), "")
        found = None if shown or verdict.contradictory else solver.outside_scene(facts, query)
        scene = solver.scene(facts, query, shown) if shown else found and found[0]
        case["scene"] = _drawn(scene, facts) if scene else _plain(solver.drawing(facts))
        if scene and shown != target:
            case["shows"] = shown
        case |= _explained(explanation, facts)
        return finding.value + (entailed if finding is Finding.PROVED else ""), case


def _entities(puzzle: Puzzle, stated: Sequence[Fact]) -> tuple[str, ...]:
    """Return all entities, those on the path first, in its order."""
    names = [entity.name for entity in puzzle.entities]
    for fact in (*puzzle.facts, *stated):
        names += (fact.head, fact.tail)
    return tuple(dict.fromkeys((*names, *puzzle.query)))


_Split = tuple[str, int, Sequence[Fact]]  # text, role, facts


def _split(story: str, sentences: Sequence[ReadSentence]) -> Iterator[_Split]:
    """Yield the whole story, sentence by sentence; text between sentences is a part by itself."""
    at = 0
    for sentence in sentences:
        if story[at : sentence.start].strip():
            yield story[at : sentence.start].strip(), UNREAD, ()
        at = sentence.end
        yield sentence.text, _ROLES[sentence.read_as], sentence.facts
    if story[at:].strip():
        yield story[at:].strip(), UNREAD, ()


def _name_both(text: str, fact: Fact) -> bool:
    entities = entities_in(text)
    if entities:
        return fact.head in entities and fact.tail in entities
    return fact.head in text and fact.tail in text


def _shape(text: str, names: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return a text with [] for each entity, and the entities."""
    if entities := entities_in(text):
        return shape_of(text), entities
    longest = sorted((re.escape(name) for name in names if name), key=len, reverse=True)
    known = re.compile(rf"(?<!\w)(?:{'|'.join(longest) or '(?!)'})(?!\w)")
    return known.sub("[]", text), known.findall(text)


def _drawn(scene: Scene, facts: Sequence[Fact]) -> dict[str, Any]:
    named = dict.fromkeys(name for fact in facts for name in (fact.head, fact.tail))
    return _plain(scene.drawing(named))


def _plain(drawing: Drawing) -> dict[str, Any]:
    """Return a drawing as plain data.

    nodes: entity (-1: unnamed), x, row, form (-1: not known), and width and height in a drawing to scale.
    junctions: members, below, x, row, words.
    """
    return {
        "nodes": [
            [-1 if node.name.startswith("?") else int(node.name), node.x, node.row, node.form]
            + [node.width, node.height] * drawing.to_scale
            for node in drawing.nodes
        ],
        "scale": int(drawing.to_scale),
        "junctions": [[list(j.members), list(j.below), j.x, j.row, j.words] for j in drawing.junctions],
        "key": drawing.key,
    }


def _explained(explanation: Explanation, facts: list[Fact]) -> dict[str, Any]:
    case: dict[str, Any] = {}
    if explanation.proof is not None:
        case["proof"] = _proof(explanation.proof, facts)
    if explanation.alternatives:
        case["alternatives"] = [
            [alternative.relation, _drawn(alternative.scene, facts)]
            for alternative in explanation.alternatives
        ]
    if explanation.conflict:
        case["conflict"] = [facts.index(fact) for fact in explanation.conflict]
    return case


def _proof(proof: Proof, facts: list[Fact]) -> dict[str, Any]:
    return {
        "steps": [
            [_stated(step, facts), [_claim(one) for one in step.premises], _claim(step.claim), step.other]
            for step in proof.steps
        ],
        "further": [facts.index(fact) for fact in proof.further],
        "ruled": [[ruled.relation, [facts.index(fact) for fact in ruled.facts]] for ruled in proof.ruled_out],
    }


def _stated(step: ProofStep, facts: list[Fact]) -> list[int]:
    """Return the numbers of the facts among the premises of a step."""
    stated = [(head, relations[0], tail) for head, relations, tail in step.premises if len(relations) == 1]
    return [i for i, fact in enumerate(facts) if fact in stated]


def _claim(claim: Claim) -> list[Any]:
    return [int(claim.head), claim.relations, int(claim.tail)]
