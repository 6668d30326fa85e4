"""Rows of a story, a question and an answer: anybody's own, and those of other data sets.

The least that a row needs is a story, two names, and an answer to be judged. The facts are read in the
story; the route between the two, its pattern and the entities follow from them. A query (a, b) asks what b is
to a: two columns, a pair, or a question in words, "What is B to A?" Sentences that are not read are kept in
`extra`.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Any

from clutrr._data.part import Notes, PlacedPuzzle, ReadRow, Record, assembled, extra_of, extra_with
from clutrr._data.source import SPLITS, DataFile, RowPlace
from clutrr._data.v1 import NO_LITERAL, Spelling, literal
from clutrr._data.yes_no import read_claim, with_asked, yes_or_no
from clutrr._facts import implied_forms, shortest_path
from clutrr._lexicon import World
from clutrr._puzzle import CANNOT_BE_TOLD, Fact, Puzzle, Sentence
from clutrr._reading import Statements, reader_of
from clutrr._reading.given import given_by
from clutrr._sentences import cut_sentences
from clutrr._statement import Statement, StatementKind, from_record, to_record
from clutrr._worlds import InferredWorld, infer_world
from clutrr.errors import ArgumentError, Call, ConfigError, DataError, Give, Hint, short
from clutrr.theory.given import statements_in

# The names of columns that are known; the first of each is ours.
NAMES = {
    "id": ("id",),
    "story": ("story", "text", "context", "passage"),
    "query": ("query", "question"),
    "target": ("target", "answer", "label", "relation"),
    "split": ("split",),
}
HELP = Hint(
    "name yours: {} (query=A+B for two columns of names: what is B to A?)",
    (Call("convert", ("IN", "OUT"), {"columns": "story=NAME,query=NAME,target=NAME"}),),
)
_LEAVE_OUT = Call("convert", ("IN", "OUT"), {"skip_bad": True})
_LOOKED_AT = 1000  # rows, to find the world of their answers
_QUESTION = 1000  # letters of a question that are looked at, its last
_NAME = r"(?:the )?(?:agent |object )?\[?(?P<{}>[^\[\]?]+?)\]?"
_OF = r"(?: the (?:relation(?:ship)?|position|location|direction|area) of)?"
_TO = (
    r"(?:'s (?:relation(?:ship)?|position|location))?(?: related?| located)? "
    r"(?:to|as seen from|(?:in relation|relative|compared) (?:to|with)|with respect to|from)(?: the area of)?"
)
_ASKED = re.compile(
    rf"\b(?:is|was|does|did){_OF} {_NAME.format('b')}{_TO} {_NAME.format('a')}(?: in time)?\?",
    re.IGNORECASE,
)
_PAIR = re.compile(r"\s*([^,|]+?)\s*[,|]\s*([^,|]+?)\s*")

Columns = Mapping[str, Sequence[str]]  # by what they hold, "story" and so on: the names of columns


def columns_named(given: str | Mapping[str, str | Sequence[str]]) -> Columns:
    """Return which columns hold what: "story=NAME,query=NAME+NAME", or the same as a mapping."""
    if not isinstance(given, str | Mapping):
        raise ArgumentError(
            "is not like story=NAME,query=NAME, or a dictionary", setting="columns", value=given
        )
    pairs = (
        [p.partition("=")[::2] for p in given.split(",")]
        if isinstance(given, str)
        else given.items()
    )
    found: dict[str, Sequence[str]] = {}
    for what, names in pairs:
        listed = [names] if isinstance(names, str) else names
        if not isinstance(listed, list | tuple) or not all(
            isinstance(one, str) for one in (what, *listed)
        ):
            raise ArgumentError(
                "is not a name of a column, or several", setting="columns", value=names
            )
        what = what.strip()
        meant = next((known for known, of in NAMES.items() if what in of), "")
        if not meant or meant in found or not names:
            raise ConfigError(
                f"is not like story=NAME, once, with {', '.join(NAMES)}",
                setting="columns",
                value=what,
            )
        found[meant] = (
            [name.strip() for name in names.split("+")] if isinstance(names, str) else names
        )
        if len(found[meant]) > 1 + (meant == "query"):
            raise ConfigError(
                f"{meant}: {short(names)} is too many; only a query may be two", setting="columns"
            )
    return found


def columns_of(there: Iterable[str], named: Columns | None = None) -> Columns | None:
    """Return where a puzzle's story, query and target are; None if that is not known. named: those given."""
    found: dict[str, Sequence[str]] = {}
    bare = {column.strip().lower(): column for column in sorted(there)}  # "Story " is a story too
    for what, names in NAMES.items():
        if known := [bare[name] for name in names if name in bare]:
            found[what] = known[:1]
    found |= named or {}
    if "query" in found:
        found.setdefault("story", found["query"])  # it ends in its question
    return found if found.keys() >= {"story", "query", "target"} else None


class AskedReader:
    """Makes puzzles of stories and questions, as a world reads them."""

    def __init__(self, world: World) -> None:
        self._world, self._reader = world, reader_of(world)
        words = world.lexicon.phrases.words.synonyms
        self._synonyms = {word: label for word, label in words.items() if label in world.meaning}
        self._spelling = Spelling(world)

    def label(self, word: str) -> str | None:
        """Return the label that a word means, "left" for "west of"; None if there is none."""
        said = word.strip().rstrip(".").lower()
        named = self._world.index.get(word.strip())  # a kind, "NE"
        if named is not None and len(words := self._world.kinds[named].words) == 1:
            return words[0]
        known = self._synonyms.get(said) or self._spelling.relation(word)
        if known or said == CANNOT_BE_TOLD:
            return known or CANNOT_BE_TOLD
        if facts := self._reader.read(f"[B] is {said} [A].").facts:
            return facts[0].relation
        begun = [
            label for label in self._world.relations if label.startswith(f"{said} ")
        ]  # "older" (than)
        return begun[0] if len(begun) == 1 else None

    def _confirming(self, story: str, question: str, answer: str) -> tuple[Puzzle, Statements]:
        """Return the puzzle of a question such as "Is Bob Ann's son?", and what its story says."""
        claim = read_claim(question[-_QUESTION:], self._world)
        if claim is None:
            raise DataError(
                "does not ask whether one entity is something to another, as 'Is Bob Ann's son?'",
                setting="query",
                value=question,
            )
        query, relations = claim
        puzzle, said = self.puzzle(story, query, relations[0])
        puzzle = with_asked(puzzle, relations, answer)
        return replace(puzzle, question=question.strip()), said

    def puzzle(self, story: str, query: Any, target: str) -> tuple[Puzzle, Statements]:
        """Return the puzzle, with all that follows from its text, and what that says.

        k is 0 if nothing joins the two names.
        """
        answer = yes_or_no(target)
        if answer is not None and isinstance(query, str) and _ASKED.search(query) is None:
            return self._confirming(story, query, answer)
        first, last = (name.strip().strip("[]") for name in _names(query))
        for name in (first, last):
            if not name or name not in story:
                raise DataError("is not in the story (capitals count)", setting="query", value=name)
        if first == last:
            raise DataError(
                "is named twice",
                setting="query",
                value=first,
                hint="ask about two different names",
            )
        label = self.label(target)
        if label is None:
            there = ", ".join(self._world.relations)
            raise DataError(
                f"is no relation of world {self._world.name} ({there})",
                setting="target",
                value=target,
                hint=Hint(
                    "name a world that has it, {}, or leave such rows out with `{}`",
                    (Give("world"), _LEAVE_OUT),
                ),
            )
        world, reading = self._world, self._reader.read(story)
        facts = tuple(dict.fromkeys(reading.facts))
        others = _beside_facts(reading, world)
        path = shortest_path([*facts, *_steps(others, world)], first, last)
        forms = {**implied_forms(facts, world.labels, world.theory.head_form), **reading.forms}
        puzzle = assembled(
            world,
            facts,
            [path] if path else [],
            forms,
            story=story,
            query=(first, last),
            target=label,
            statements=others,
        )
        if reading.in_doubt:
            return replace(puzzle, extra=extra_with(unread=reading.in_doubt)), reading
        stated = puzzle.facts.index
        spans = [Sentence(s.start, s.end, tuple(map(stated, s.facts))) for s in reading.sentences]
        return replace(puzzle, sentences=tuple(spans)), reading


def _beside_facts(read: Statements, world: World) -> tuple[Statement, ...]:
    """Return what a text gives that is no fact, as far as this world can use it, with its sentences.

    A form is left out where a relation that is stated shows it, or where nothing else names the entity.
    """
    solver = world.theory.solver(world.labels, world.theory.assumption().name)
    given, _ = solver.usable(given_by(read, world.labels))
    found: list[Statement] = []
    for one in statements_in(given):
        within = [s for s in read.sentences if s.start <= one.start < one.end <= s.end]
        start, end = (within[0].start, within[0].end) if within else (0, 0)
        found.append(from_record(to_record(replace(one, start=start, end=end))))
    return tuple(found)


def _steps(statements: Sequence[Statement], world: World) -> Iterator[Fact]:
    """Yield a fact for each statement: one that a route can lead along where it states one kind of relation.

    Any other is a fact about nobody, so that the numbers of the others are right.
    """
    for one in statements:
        kinds = {world.meaning[relation].kind.name for relation in one.relations if one.tail}
        step = one.kind is StatementKind.ALTERNATIVES and len(kinds) == 1
        yield Fact(one.head, one.relations[0], one.tail) if step else Fact("", "", "")


def _names(query: Any) -> tuple[str, str]:
    """Return the two names of a query: a pair, one as text, or a question in words."""
    given, found = query, None
    if isinstance(query, str) and query.lstrip()[:1] in ("(", "["):
        with suppress(*NO_LITERAL):
            given = literal(query)
    if isinstance(given, str):
        if match := _ASKED.search(given[-_QUESTION:]):
            return match["a"], match["b"]
        found = None if "?" in given else _PAIR.fullmatch(given)
    names = found.groups() if found else ()
    if isinstance(given, Iterable) and not isinstance(given, str):
        names = tuple(map(str, given))
    if len(names) != 2:
        raise DataError(
            "is not two names, nor a question such as 'What is B to A?', "
            "which tells whom it is about",
            setting="query",
            value=query,
        )
    return names[0], names[1]


def asked_reader(columns: Columns) -> Callable[[DataFile, World, Notes], ReadRow]:
    """Return what makes a reader of the rows of a file. columns: where what is."""
    columns = {"id": ["id"], "split": ["split"], **columns}  # which the first row may lack
    used = {name for names in columns.values() for name in names}
    needed = used.difference(columns["id"], columns["split"])

    def reader_of(source: DataFile, world: World, notes: Notes) -> ReadRow:
        reader = AskedReader(world)
        names: dict[str, RowPlace] = {}  # the place of the first row with each id

        def row(record: Record, place: RowPlace) -> PlacedPuzzle:
            if missing := [name for name in needed if record.get(name) in (None, "")]:
                hint = Hint("fill it in, or leave such rows out with `{}`", (_LEAVE_OUT,))
                raise DataError(f"column {short(missing[0])} is empty", hint=hint)
            cells = {what: [record.get(name) for name in names] for what, names in columns.items()}
            given, asked = cells["story"][0], cells["query"]
            story = " ".join(map(str, given)) if isinstance(given, list | tuple) else str(given)
            if (
                columns["story"] == columns["query"]
            ):  # what follows the question tells how to answer
                *told, asked[0] = cut_sentences(story[: story.rfind("?") + 1] or story) or [story]
                story = " ".join(told)
            query = asked[0] if len(asked) == 1 else asked
            try:
                puzzle, reading = reader.puzzle(story, query, str(cells["target"][0]))
            except DataError as error:
                error.setting = "+".join(columns[error.setting])  # as this file names it
                raise
            (name,), (split,) = cells["id"], cells["split"]
            name = source.id_of(place) if name in (None, "") else str(name)
            if names.setdefault(name, place) != place:
                notes.renamed(name, source.id_of(place), str(source.path))
                name = source.id_of(place)
            others = {name: value for name, value in record.items() if name not in used}
            extra = extra_with(others, **extra_of(puzzle))
            subset = source.subset or f"M{puzzle.k}"
            split = SPLITS.get(str(split).lower(), source.split)
            return PlacedPuzzle(subset, split, replace(puzzle, id=name, extra=extra), reading)

        return row

    return reader_of


def world_of(answers: Collection[str], story: str) -> InferredWorld:
    """Return the world of rows, by their answers, or else by a story."""

    def knows(world: World) -> Callable[[str], bool]:
        reader = AskedReader(world)
        return lambda answer: reader.label(answer) is not None

    return infer_world(answers, story, knows=knows)


def world_of_rows(rows: Iterable[Record], columns: Columns) -> InferredWorld:
    """Return the world of the first rows. columns: where what is."""
    first = list(islice(rows, _LOOKED_AT))
    (answer, *_), (story, *_) = columns["target"], columns["story"]
    answers = {str(row.get(answer) or "") for row in first}
    return world_of(answers, next((str(row.get(story) or "") for row in first), ""))
