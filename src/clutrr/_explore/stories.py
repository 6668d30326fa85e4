"""A puzzle as the page shows it: sentences with their roles, facts, scene, proof, alternatives.

In what is handed to the page, entities are numbers: places in the story's own list. So are facts and, after
them, the statements that are no facts.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from clutrr._audit.rows import RowJudge
from clutrr._lexicon import World
from clutrr._lexicon.phrases import has_forms
from clutrr._lexicon.saying import say_given
from clutrr._puzzle import CANNOT_BE_TOLD, Fact, Puzzle
from clutrr._reading import SentenceReading, Statements
from clutrr._reading.agreement import Agreement
from clutrr._sentences import entities_in, shape_of
from clutrr._solve import Judgement
from clutrr._statement import Statement, StatementKind
from clutrr.errors import DataError
from clutrr.theory import Drawing, Explanation, Finding, Scene
from clutrr.theory.given import Given, facts_in, meant, statements_in
from clutrr.theory.solver import Claim, Proof, ProofStep

# What a sentence is for, as a number: a fact on the path, another fact, a distractor, not understood, a
# statement that is no fact.
PATH, OTHER, DISTRACTOR, UNREAD, STATED = range(5)
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
        self._assume = assume
        self._judge = RowJudge(world, False, (assume,))
        self._world, self._speech, self._lexicon = world, world.speech, world.lexicon
        # Where its names have cases, the page cannot put a question together.
        self._asks = has_forms(world.lexicon.phrases.question)

    def build(self, puzzle: Puzzle) -> tuple[str, dict[str, Any]]:
        """Return the verdict and what the page shows: by the text, or by the columns if it is not read.

        parts: of the story, each with its role, the facts it states, its text with [] for each entity, and
        these: by number, with the word that stands for the name if it is another.
        """
        told = self._judge.text.read(puzzle.story)
        checked, judgements = self._judge.judge(puzzle)
        free = bool(told.in_doubt) or not told.facts
        if free or set(told.facts) != set(puzzle.facts):
            # Text that says the same in other words, or perhaps does, is shown by the facts of the columns.
            free |= checked.agreement is not Agreement.DISAGREES and bool(puzzle.facts)
        stated = () if free else told.facts
        others, more = self._besides(puzzle.statements if free else checked.given)
        stated = (*stated, *more)
        entities = _entities(puzzle, stated, others)
        number = {name: i for i, name in enumerate(entities)}
        kept = {*(puzzle.facts if free else stated), *more}
        facts = [fact for fact in dict.fromkeys((*puzzle.facts, *stated)) if fact in kept]
        path = set(puzzle.facts[: puzzle.routed])
        on_path = [i for i, fact in enumerate(facts) if fact in path]
        place = {meant(one, self._world.labels): len(facts) + i for i, one in enumerate(others)}
        parts = []
        for text, role, said, sentence in _split(told):
            if free:  # it may state the facts of which it names both entities
                said = [fact for fact in facts if _name_both(text, fact)]
            told_here = [facts.index(fact) for fact in said if fact in facts]
            if told_here:
                role = OTHER if set(on_path).isdisjoint(told_here) else PATH
            besides = [place.get(meant(one, self._world.labels)) for one in sentence]
            if known := [at for at in besides if at is not None]:
                role = role if told_here else STATED
                told_here += known
            shape, named = _shape(text, entities)
            words = (self._numbered(word, number) for word in named)
            parts.append([role, told_here, shape, *words])
        query = (number[puzzle.query[0]], number[puzzle.query[1]])
        numbered = tuple((number[f.head], f.relation, number[f.tail]) for f in facts)
        renamed = [_renamed(one, number) for one in others]
        case = self._solve(numbered, renamed, query, puzzle.target)
        shown = {
            "parts": parts,
            "entities": entities,
            "facts": numbered,
            "path": on_path,
            "query": query,
        }
        if others:
            shown["statements"] = [self._plainly(one, number) for one in others]
        if self._asks:
            shown["asks"] = self._speech.ask("question", *puzzle.query)
        return _called(judgements[self._assume], puzzle.target), {**shown, **case}

    def _besides(self, given: Sequence[Given]) -> tuple[tuple[Statement, ...], Sequence[Fact]]:
        """Return statements in the plain form in which proofs name them, and those that are facts after all."""
        used, _ = self._solver.usable(statements_in(given))
        bare = (replace(one, role="", start=0, end=0) for one in statements_in(used))
        return tuple(dict.fromkeys(bare)), facts_in(used)

    def _plainly(self, one: Statement, number: Mapping[str, int]) -> list[Any]:
        """Return what the page shows of a statement: kind, head, labels, tail (-1: none), all entities, words."""
        tail = number[one.tail] if one.tail else -1
        about = [name for name in (one.head, one.tail, *one.entities) if name]
        numbers = [number[name] for name in about]
        words = say_given(self._world, one)
        return [one.kind.value, number[one.head], one.relations, tail, numbers, words]

    def _numbered(self, word: str, number: Mapping[str, int]) -> int | str | tuple[int, str]:
        """Return the entity that a word names, in any case; the word itself if it is none."""
        if word in number:
            return number[word]
        named = (by_word.get(word, "") for by_word in self._lexicon.named.values())
        found = next((name for name in named if name in number), None)
        return word if found is None else (number[found], word)

    def _solve(
        self,
        numbered: tuple[tuple[int, str, int], ...],
        others: Sequence[Statement],
        asked: tuple[int, int],
        target: str,
    ) -> dict[str, Any]:
        """Return what explains the verdict.

        Entities are called by numbers, so that one whose name is ?1 is not taken for one without a name.
        """
        facts = [Fact(str(head), relation, str(tail)) for head, relation, tail in numbered]
        query, solver = (str(asked[0]), str(asked[1])), self._solver
        given, _ = solver.usable((*facts, *others))
        try:
            verdict = solver.verdict(given, query)
            explanation = solver.explain(given, query)
        except DataError:  # nothing given names one of the two, or they are the same
            return {"unasked": 1, "scene": _plain(solver.drawing(facts))}
        case: dict[str, Any] = {"answers": verdict.relations, "outside": int(verdict.outside)}
        shown = target if target in verdict.relations else next(iter(verdict.relations), "")
        found = None if shown or verdict.contradictory else solver.outside_scene(given, query)
        scene = solver.scene(given, query, shown) if shown else found and found[0]
        case["scene"] = _drawn(scene, facts) if scene else _plain(solver.drawing(facts))
        if scene and shown != target:
            case["shows"] = shown
        case |= _explained(explanation, [*facts, *others])
        return case


def _called(judgement: Judgement, target: str) -> str:
    """Return the name of what was found about a target, one of `VERDICTS`."""
    if judgement.finding is not Finding.PROVED:
        return judgement.finding.value
    entailed = "entailed" if judgement.entailed else "not entailed"
    if target == CANNOT_BE_TOLD:  # it says itself that several relations are possible
        entailed = CANNOT_BE_TOLD
    return f"{judgement.finding.value}, {entailed}"


def _renamed(one: Statement, number: Mapping[str, int]) -> Statement:
    """Return a statement about numbers."""
    entities = tuple(str(number.get(name, name)) for name in one.entities)
    head, tail = (str(number.get(name, name)) for name in (one.head, one.tail))
    return replace(one, head=head, tail=tail, entities=entities)


def _entities(
    puzzle: Puzzle, stated: Sequence[Fact], others: Sequence[Statement]
) -> tuple[str, ...]:
    """Return all entities, those on the path first, in its order."""
    names = [entity.name for entity in puzzle.entities]
    for fact in (*puzzle.facts, *stated):
        names += (fact.head, fact.tail)
    for one in others:
        names += (name for name in (one.head, one.tail, *one.entities) if name)
    return tuple(dict.fromkeys((*names, *puzzle.query)))


_Split = tuple[
    str, int, Sequence[Fact], Sequence[Statement]
]  # text, role, facts, what else it states


def _split(told: Statements) -> Iterator[_Split]:
    """Yield the whole story, sentence by sentence; text between sentences is a part by itself."""
    story, at = told.text, 0
    for sentence in told.sentences:
        if story[at : sentence.start].strip():
            yield story[at : sentence.start].strip(), UNREAD, (), ()
        at = sentence.end
        others = statements_in(sentence.statements)
        yield told.said(sentence), _role(sentence), sentence.facts, others
    if story[at:].strip():
        yield story[at:].strip(), UNREAD, (), ()


def _role(sentence: SentenceReading) -> int:
    """Return what a sentence is for, as far as it alone tells."""
    if sentence.in_doubt:
        return UNREAD
    return OTHER if sentence.statements else DISTRACTOR


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
        "junctions": [
            [list(j.members), list(j.below), j.x, j.row, j.words] for j in drawing.junctions
        ],
        "key": drawing.key,
    }


def _explained(explanation: Explanation, items: Sequence[Given]) -> dict[str, Any]:
    """Return a proof, possible relations and a contradiction. items: what is numbered."""
    case: dict[str, Any] = {}
    if explanation.proof is not None:
        case["proof"] = _proof(explanation.proof, items)
    if explanation.alternatives:
        facts = facts_in(items)
        case["alternatives"] = [
            [alternative.relation, _drawn(alternative.scene, facts)]
            for alternative in explanation.alternatives
        ]
    if explanation.conflict:
        case["conflict"] = [items.index(one) for one in explanation.conflict]
    return case


def _proof(proof: Proof, items: Sequence[Given]) -> dict[str, Any]:
    return {
        "steps": [
            [
                _stated(step, items),
                [_premise(one, items) for one in step.premises],
                _claim(step.claim),
                step.other,
            ]
            for step in proof.steps
        ],
        "further": [items.index(one) for one in proof.further],
        "ruled": [
            [ruled.relation, [items.index(one) for one in ruled.facts]] for ruled in proof.ruled_out
        ],
    }


def _stated(step: ProofStep, items: Sequence[Given]) -> list[int]:
    """Return the numbers of the facts and the statements among the premises of a step."""
    premises = [_as_given(one) if isinstance(one, Claim) else one for one in step.premises]
    return [i for i, one in enumerate(items) if one in premises]


def _as_given(claim: Claim) -> Given:
    """Return the fact, or the alternatives, that a claim may repeat."""
    if len(claim.relations) == 1:
        return Fact(claim.head, claim.relations[0], claim.tail)
    return Statement(StatementKind.ALTERNATIVES, claim.head, claim.relations, claim.tail)


def _premise(one: Claim | Statement, items: Sequence[Given]) -> int | list[Any]:
    """Return a claim; of a statement, its number."""
    return _claim(one) if isinstance(one, Claim) else items.index(one)


def _claim(claim: Claim) -> list[Any]:
    return [int(claim.head), claim.relations, int(claim.tail)]
