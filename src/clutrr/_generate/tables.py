"""Questions about the tables of a theory, all of them, with their answers as sets and their proofs.

    composition   B is A's son. C is B's sister. What can C be to A?
    converse      B is A's son. What can A be to B?
    neighbours    which relations can a relation change into at once, if one thing moves?

The answer is the set of all labels that are possible; `other` says whether something without a label is possible, too.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from clutrr._display import Shown
from clutrr._io.files import atomic_write, replace_text, writing
from clutrr._io.locations import Location
from clutrr._io.manifests import (
    MANIFEST,
    check_free,
    differences,
    seal,
    sealed_in,
    write_manifest,
)
from clutrr._io.records import load_json
from clutrr._io.staging import staging_area
from clutrr._lexicon import World, world_files
from clutrr._puzzle import Fact
from clutrr._solve import solve_given
from clutrr._version import VERSION
from clutrr.errors import ConfigError

TABLES = ("composition", "converse", "neighbours")
_FILE = "data/{}/test-00000-of-00001.parquet"
_SHOWN = 10
_ANSWER = re.compile(r"answer\W*:\s*(.*)", re.IGNORECASE | re.DOTALL)
_ALL, _NONE = "all of them", "none of them"


@dataclass(frozen=True)
class TableQuestion:
    """A question about one cell of a table.

    - id: the table, and the relations that are given, by number
    - given: the relations of the cell
    - question: in words
    - answers: all labels that are possible, in the order of the label set; none if what is given is impossible
    - other: whether something that has no label is possible, too
    - proof: why, as `solve` says it; "" of neighbours
    - relations: all labels
    """

    id: str
    given: tuple[str, ...]
    question: str
    answers: tuple[str, ...]
    other: bool
    proof: str
    relations: tuple[str, ...]

    @property
    def prompt(self) -> str:
        """The question with all that a language model needs to answer it."""
        listed = ", ".join(self.relations)
        return (
            f"{self.question}\n\nThese are the relations: {listed}. List all of them that are possible, and no "
            f'other, in the last line: "Answer: ..., ...". Write "Answer: {_ALL}" or "Answer: {_NONE}" if that '
            "is so."
        )

    def read(self, reply: str) -> tuple[str, ...] | None:
        """Return the relations that a reply answers, in the order of the label set; None if there is no answer."""
        found = _ANSWER.findall(reply)
        if not found:
            return None
        text = found[-1].strip().split("\n")[0].lower()
        if _ALL in text:
            return self.relations
        if _NONE in text:
            return ()
        longest = sorted(self.relations, key=len, reverse=True)
        words = re.findall(
            "|".join(rf"(?<!\w){re.escape(one.lower())}(?!\w)" for one in longest), text
        )
        return tuple(one for one in self.relations if one.lower() in words) or None

    def right(self, reply: str) -> bool:
        """Return whether a reply answers exactly what is possible."""
        return self.read(reply) == self.answers

    def shared(self, reply: str) -> float:
        """Return how much of what is possible or answered is both: 1 for a right answer (the Jaccard index)."""
        answered = self.read(reply)
        if answered is None:
            return 0.0
        every = {*answered, *self.answers}
        return len({*answered} & {*self.answers}) / len(every) if every else 1.0


class TableQuestions(Shown, Sequence[TableQuestion]):
    """The questions of a table, cell by cell."""

    def __init__(self, questions: Sequence[TableQuestion], world: World, table: str) -> None:
        self._questions, self.world, self.table = questions, world, table

    def __len__(self) -> int:
        return len(self._questions)

    def __getitem__(self, at: Any) -> Any:
        return self._questions[at]

    @property
    def caption(self) -> str:
        return f"{self.table} of world {self.world.name}: {len(self)} questions"

    def rows(self) -> Iterator[list[str]]:
        yield ["id", "question", "answers"]
        for one in self._questions[:_SHOWN]:
            yield [one.id, one.question, ", ".join(one.answers)]

    def to_json(self) -> list[dict[str, Any]]:
        """Return a row a question, with its prompt."""
        return [{**asdict(one), "prompt": one.prompt} for one in self._questions]


def table_questions(world: World, table: str, assume: str | None = None) -> TableQuestions:
    """Return the questions of a table."""
    if table not in TABLES:
        raise ConfigError(f"is not one of {', '.join(TABLES)}", setting="table", value=table)
    assume = world.theory.assumption(assume).name
    made = {"composition": _compositions, "converse": _converses, "neighbours": _neighbours}[table]
    return TableQuestions(list(made(world, assume)), world, table)


def _compositions(world: World, assume: str) -> Iterator[TableQuestion]:
    for i, first in enumerate(world.relations):
        for j, second in enumerate(world.relations):
            facts = [Fact("A", first, "B"), Fact("B", second, "C")]
            yield _asked(f"composition-{i}-{j}", world, assume, facts, ("A", "C"))


def _converses(world: World, assume: str) -> Iterator[TableQuestion]:
    for i, relation in enumerate(world.relations):
        yield _asked(f"converse-{i}", world, assume, [Fact("A", relation, "B")], ("B", "A"))


def _neighbours(world: World, assume: str) -> Iterator[TableQuestion]:
    near = world.theory.neighbours()
    if near is None:
        raise ConfigError(
            f"the theory of {world.theory.name} does not say what its relations change into",
            setting="table",
            value="neighbours",
        )
    for i, kind in enumerate(world.kinds):
        (relation,) = kind.words
        question = (
            f"{world.say('A', relation, 'B')}. One of the two begins to move, or to grow or shrink on one side. "
            "What may the relation of B to A be next, right after this one?"
        )
        answers = tuple(next_.words[0] for next_ in world.kinds if next_.name in near[kind.name])
        yield TableQuestion(
            f"neighbours-{i}", (relation,), question, answers, False, "", world.relations
        )


def _asked(
    id_: str, world: World, assume: str, facts: Sequence[Fact], query: tuple[str, str]
) -> TableQuestion:
    """Return the question about these facts, with its answers and their proof.

    Entities are letters: a name might tell more than the facts do.
    """
    solution = solve_given(facts, query, world, assume)
    stop = world.speech.say("stop")
    told = "".join(f"{world.say(*fact)}{stop}{world.lexicon.space}" for fact in facts)
    question = told + world.speech.ask("question", *query)
    given = tuple(fact.relation for fact in facts)
    verdict = solution.verdict
    return TableQuestion(
        id_, given, question, verdict.relations, verdict.outside, solution.proof, world.relations
    )


def write_tables(
    questions: TableQuestions, out: Location, assume: str, force: bool
) -> dict[str, Any]:
    """Write the questions as a folder that the Hugging Face hub reads, and return its manifest."""
    world, table = questions.world, questions.table
    path = _FILE.format(table)
    small = {f"world/{name}": text for name, text in world_files(world).items()}
    small["README.md"] = _card(questions, assume, path)
    plan = {
        "table": table,
        "world": {"name": world.name, "sha256": world.digest},
        "assume": assume,
        "versions": {"clutrr": VERSION, "pyarrow": pa.__version__},
    }
    with writing(out), staging_area(out, []) as area:
        there: dict[str, Any] = load_json(area.out / MANIFEST)
        if {key: there.get(key) for key in plan} == plan and not any(
            differences(area.out, sealed_in(area.out, there), isinstance(area.out, Path))
        ):
            return there
        if area.is_local:
            check_free(area.out, force)
        area.claim(plan, [path, *small, MANIFEST], force)
        file = area.whole / path
        file.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(file) as making:
            pq.write_table(pa.Table.from_pylist(questions.to_json()), making)
            sealed: dict[str, Any] = {path: seal(making)}
        for name, text in small.items():
            (area.whole / name).parent.mkdir(parents=True, exist_ok=True)
            sealed[name] = replace_text(area.whole / name, text)
        manifest = write_manifest(area.whole, {**plan, "questions": len(questions)}, sealed)
        area.finish()
    return manifest


def _card(questions: TableQuestions, assume: str, path: str) -> str:
    world, table = questions.world, questions.table
    head = {"license": "cc0-1.0", "language": [world.lexicon.language]}
    configs = [{"config_name": table, "data_files": [{"split": "test", "path": path}]}]
    about = world.theory.assumption(assume).about
    example = questions[0]
    return (
        f"---\n{json.dumps({**head, 'configs': configs}, indent=1)}\n---\n"
        f"# The {table} table of world {world.name}, as questions\n\n"
        f"{len(questions)} questions, one a cell. `answers` holds every label that is possible, `other` says whether "
        "something without a label is possible, too, and `proof` says why. `prompt` is the question as a language "
        f"model may be asked it.\n\nEvery answer assumes `{assume}`: {about}\n\n"
        f"> {example.question}\n\n{', '.join(example.answers)}\n"
    )
