"""Puzzles as CLUTRR v1.0's CSV of 18 columns, for the programs of others that read these.

A puzzle that came from such a file still has its cells (in `extra`): they are written as they were, unless
the puzzle has been changed since. For any other, the cells follow from its facts. Facts beside the route have
a type, as in newer files. What can be no such row is refused: it has to have a route, and names in brackets.
"""

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from clutrr._data.part import Notes, Part, own_cells
from clutrr._data.source import DataFile
from clutrr._data.v1 import TASK, UNKNOWN, v1_reader
from clutrr._lexicon import World, builtin_world
from clutrr._puzzle import CANNOT_BE_TOLD, Fact, Puzzle
from clutrr._table import from_table
from clutrr.errors import ConfigError, DataError, short

NAME = "v1.0"
WORLD = "kinship-v1"
COLUMNS = (
    "",  # the number of the row
    *"id story query text_query target text_target clean_story proof_state f_comb task_name".split(),
    *"story_edges edge_types query_edge genders syn_story node_mapping task_split".split(),
)
# The number of a task, by the role of the facts beside the route; 5 where they have several.
_TASKS = {"supporting": 2, "irrelevant": 3, "disconnected": 4}
_SEVERAL = 5
_Cells = dict[str, str]
_Step = tuple[Fact, tuple[Fact, Fact]]  # a fact that two others prove


@contextmanager
def open_v1_writer(
    path: Path, world: World, assume: str | None
) -> Iterator[Callable[[pa.Table, str | None], None]]:
    """Yield what writes tables of puzzles, each with its split, to a new file.

    - world: the one that the puzzles are told in; it must be one of kinship.
    - assume: what proofs may assume.
    """
    if world.theory.name != builtin_world(WORLD).theory.name:
        raise ConfigError(
            f"{NAME} holds kinship only, and world {world.name} is another", setting="to"
        )
    cells = V1Cells(world, assume)
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        out.writeheader()
        number = 0

        def write(table: pa.Table, split: str | None) -> None:
            nonlocal number
            for puzzle in from_table(table):
                out.writerow({"": str(number), **cells.of(puzzle, split)})
                number += 1

        yield write


def task_of(puzzle: Puzzle) -> str:
    """Return the name of the task that a puzzle belongs to, such as 2.3: the one that its file named, if any."""
    if named := TASK.fullmatch(own_cells(puzzle).get("task_name", "")):
        return f"{named[1]}.{named[2]}"
    beside = {role if role in _TASKS else "supporting" for role in puzzle.roles[puzzle.k :]}
    task = 1 if not beside else _SEVERAL if len(beside) > 1 else _TASKS[beside.pop()]
    return f"{task}.{puzzle.k}"


def tasks_of(part: Part) -> Iterator[Part]:
    """Yield the puzzles of each task in a part, in their order."""
    tasks = [task_of(puzzle) for puzzle in part.puzzles]
    for task in dict.fromkeys(tasks):
        chosen = pa.array([one == task for one in tasks])
        yield replace(part, subset=task, table=part.table.filter(chosen))


class V1Cells:
    """The cells of puzzles that are told in one world."""

    def __init__(self, world: World, assume: str | None) -> None:
        known = builtin_world(WORLD)
        self._labels = known.labels
        self._read = v1_reader(DataFile(Path(NAME), NAME), known, Notes())
        self._solver = world.theory.solver(world.labels, assume or world.theory.assumptions[0].name)

    def of(self, puzzle: Puzzle, split: str | None) -> _Cells:
        """Return the cells of a puzzle by their columns. Raises DataError for what can be no such row."""
        kept = self._kept(puzzle)
        if kept and kept.keys() >= {*COLUMNS} - {"id", "story"}:
            return {name: kept.get(name, "") for name in COLUMNS} | {
                "id": puzzle.id,
                "story": puzzle.story,
            }
        # A copy of such a file may have some of the columns, and a number as its target.
        more = {
            name: cell for name, cell in kept.items() if name in COLUMNS[1:] and name != "target"
        }
        return self._made(puzzle, split) | more

    def _kept(self, puzzle: Puzzle) -> Mapping[str, str]:
        """Return the cells that the puzzle was read from, if they still say the same."""
        cells = own_cells(puzzle)
        if not cells.keys() >= {"story_edges", "edge_types", "query_edge", "genders", "task_name"}:
            return {}
        row = {"text_target": "[]", **cells, "id": puzzle.id, "story": puzzle.story}
        row["target"] = cells.get("target_text", cells.get("target", ""))
        try:
            before = self._read(row, NAME).puzzle
        except (DataError, KeyError):
            return {}
        same = _said(before) == _said(puzzle)
        return cells if same else {}

    def _made(self, puzzle: Puzzle, split: str | None) -> _Cells:
        """Return the cells that follow from what a puzzle says."""
        self._check(puzzle)
        number = {entity.name: i for i, entity in enumerate(puzzle.entities)}
        route = self._route(puzzle)
        facts = (*route, *puzzle.facts[puzzle.k :])
        genders = (f"{entity.name}:{entity.form or UNKNOWN}" for entity in puzzle.entities)
        return {
            "id": puzzle.id,
            "story": puzzle.story,
            "query": repr(tuple(puzzle.query)),
            "text_query": puzzle.question,
            "target": puzzle.target,
            "text_target": repr([puzzle.abstract] if puzzle.abstract else []),
            "clean_story": _clean(puzzle),
            "proof_state": repr(self._proof(puzzle, route)),
            "f_comb": "-".join(fact.relation for fact in route),
            "task_name": f"task_{task_of(puzzle)}",
            "story_edges": repr([(number[fact.head], number[fact.tail]) for fact in facts]),
            "edge_types": repr([fact.relation for fact in facts]),
            "query_edge": repr((number[puzzle.query[0]], number[puzzle.query[1]])),
            "genders": ",".join(genders),
            "syn_story": "",
            "node_mapping": repr({i: i for i in number.values()}),
            "task_split": split or "",
        }

    def _check(self, puzzle: Puzzle) -> None:
        """Refuse a puzzle that no such row can hold."""
        place = f"puzzle {short(puzzle.id)}"
        if not puzzle.k:
            raise DataError(
                f"{NAME} cannot hold a story whose facts do not join the query", place=place
            )
        if puzzle.statements:
            raise DataError(
                f"{NAME} holds facts only, and {puzzle.statements[0].head} is in another statement",
                place=place,
            )
        if puzzle.target == CANNOT_BE_TOLD:
            raise DataError(
                f"{NAME} has no target {CANNOT_BE_TOLD!r}",
                place=place,
                hint="leave such puzzles out: --only proved",
            )
        for relation in (puzzle.target, *(fact.relation for fact in puzzle.facts)):
            if relation not in self._labels.meaning:
                raise DataError(f"{NAME} has no relation {short(relation)}", place=place)
        for entity in puzzle.entities:
            if "," in entity.name:
                raise DataError(
                    f"{NAME} cannot hold a name with a comma, {short(entity.name)}", place=place
                )
        for name in (name for fact in puzzle.facts[: puzzle.k] for name in fact[::2]):
            if f"[{name}]" not in puzzle.story:
                raise DataError(f"{NAME} needs names in square brackets, as [{name}]", place=place)

    def _route(self, puzzle: Puzzle) -> tuple[Fact, ...]:
        """Return the facts of the first route, each from the entity before to the next."""
        forms = {entity.name: entity.form for entity in puzzle.entities}
        at, route = puzzle.query[0], []
        for fact in puzzle.facts[: puzzle.k]:
            if fact.head != at:
                converse = self._labels.meaning[fact.relation].kind.converse
                word = self._labels.word(converse, forms.get(fact.head, ""))
                fact = Fact(fact.tail, word, fact.head)
            route.append(fact)
            at = fact.tail
        return tuple(route)

    def _proof(
        self, puzzle: Puzzle, route: tuple[Fact, ...]
    ) -> list[dict[tuple[str, ...], list[tuple[str, ...]]]]:
        """Return the steps that prove the target: each puts two facts together, the last one first.

        There is none where no bracketing of the route leads through single relations.
        """
        root = Fact(puzzle.query[0], puzzle.target, puzzle.query[1])
        steps = self._steps(root, route) or []
        return [{tuple(whole): [tuple(part) for part in parts]} for whole, parts in steps]

    def _steps(self, whole: Fact, route: tuple[Fact, ...]) -> list[_Step] | None:
        """Return the steps that prove a fact from a route; None if there are none."""
        if len(route) == 1:
            return [] if route[0] == whole else None
        for cut in range(1, len(route)):
            first, second = self._joined(route[:cut]), self._joined(route[cut:])
            if first is None or second is None or self._joined((first, second)) != whole:
                continue
            before, after = self._steps(first, route[:cut]), self._steps(second, route[cut:])
            if before is not None and after is not None:
                return [(whole, (first, second)), *before, *after]
        return None

    def _joined(self, route: Sequence[Fact]) -> Fact | None:
        """Return the one fact that a route proves about its ends; None if it leaves several possible."""
        if len(route) == 1:
            return route[0]
        head, tail = route[0].head, route[-1].tail
        possible = self._solver.verdict(route, (head, tail)).relations if head != tail else ()
        return Fact(head, possible[0], tail) if len(possible) == 1 else None


def _said(puzzle: Puzzle) -> tuple[Any, ...]:
    """Return what the cells of a puzzle depend on."""
    return puzzle.query, puzzle.target, puzzle.k, puzzle.facts, puzzle.entities


def _clean(puzzle: Puzzle) -> str:
    """Return the sentences that state the route, in its order."""
    stating = [
        (min(sentence.facts), puzzle.story[sentence.start : sentence.end])
        for sentence in puzzle.sentences
        if sentence.facts and min(sentence.facts) < puzzle.k
    ]
    return " ".join(text for _, text in sorted(stating))
