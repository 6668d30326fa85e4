"""Text in the format of bAbI: numbered sentences and questions; a question is followed by a tab and its answer.

    1 The office is north of the garden.
    2 The kitchen is east of the office.
    3 What is the kitchen east of?	office	2

A story begins where the numbers begin again, and a question is about the sentences before it. Besides questions
of which relation holds (as in the text files of StepGame), those of bAbI's tasks 4, 17 and 19 are read:

- "What is the garden east of?": the answer names an entity; the puzzle asks what the one is to the other
- "Is the square below the sphere?": yes or no; in bAbI "below" is anything lower, to whichever side
- "How do you go from the hall to the office?" "s,w": the puzzle asks where the end lies, of these steps
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from clutrr._data.asked import AskedReader, Columns, asked_reader
from clutrr._data.part import (
    Format,
    Notes,
    PlacedPuzzle,
    ReadRow,
    extra_of,
    extra_with,
    gathered_rows,
    parts_of,
)
from clutrr._data.source import Bad, DataFile, RowPlace, Sized
from clutrr._data.yes_no import with_asked, yes_or_no
from clutrr._lexicon import World
from clutrr._puzzle import Puzzle
from clutrr.errors import DataError

COLUMNS: Columns = {"story": ["story"], "query": ["question"], "target": ["answer"]}
_LINE = re.compile(
    r"(?P<number>\d{1,6}) (?P<text>[^\t]+?)\s*(?:\t(?P<answer>[^\t]*)(?:\t[\d ]*)?)?"
)
_STEPGAME = "What is the relation of the agent "
_THING = r"the (?P<{}>[^.?]+?)"
_SIDE = r"(?:to the )?(?P<side>left|right|above|below|north|south|east|west)(?: of)?"
_STATED = re.compile(rf"{_THING.format('a')} is {_SIDE} {_THING.format('b')}\.", re.IGNORECASE)
_OF_WHAT = re.compile(rf"What is {_THING.format('a')} {_SIDE}\?")
_WHAT = re.compile(rf"What is {_SIDE} {_THING.format('b')}\?")
_IS_IT = re.compile(rf"Is {_THING.format('a')} {_SIDE} {_THING.format('b')}\?")
_WAY = re.compile(rf"How do you go from {_THING.format('a')} to {_THING.format('b')}\?")
# The kinds of the world directions, by how far east and north of the first the second lies.
_KINDS = {
    (0, 1): "N",
    (1, 1): "NE",
    (1, 0): "E",
    (1, -1): "SE",
    (0, -1): "S",
    (-1, -1): "SW",
    (-1, 0): "W",
    (-1, 1): "NW",
    (0, 0): "Eq",
}
_STEPS = {
    "north": (0, 1), "above": (0, 1), "n": (0, 1),
    "south": (0, -1), "below": (0, -1), "s": (0, -1),
    "east": (1, 0), "right": (1, 0), "e": (1, 0),
    "west": (-1, 0), "left": (-1, 0), "w": (-1, 0),
}  # fmt: skip


def is_babi(lines: Sequence[str]) -> bool:
    """Return whether the first lines of a file are of this format."""
    found = [_LINE.fullmatch(line.strip("\r\n ")) for line in lines if line.strip()]
    numbers = [int(one["number"]) for one in found if one is not None]
    return len(numbers) == len(found) > 0 and numbers[0] == 1


def babi_rows(source: DataFile, bad: Bad) -> Iterator[Sized]:
    """Yield the questions of a file, each with the sentences before it."""
    sentences: list[str] = []
    story = 0
    for place, text in source.lines():
        if not text.strip():
            continue
        line = _LINE.fullmatch(text.strip("\r\n "))
        if line is None:
            bad(source.error("is not a numbered sentence, or a question with its answer", place))
            continue
        if line["number"] == "1":
            sentences, story = [], story + 1
        if line["answer"] is None:
            sentences.append(line["text"])
            continue
        row = {"story": list(sentences), "question": line["text"], "answer": line["answer"].strip()}
        yield place, {**row, "scene": str(story)}, len(text) + sum(map(len, sentences))


def babi_format(source: DataFile, world: Callable[[], str]) -> Format:
    """Return the format of a file. world: tells the one of its rows, where the questions do not."""
    question = next((row["question"] for _, row, _ in babi_rows(source, _ignore)), "")
    if question.startswith(_STEPGAME):
        return Format("StepGame", frozenset(), _scan(_asked), "directions", "unit", extra=True)
    if any(form.fullmatch(question) for form in (_OF_WHAT, _WHAT, _IS_IT, _WAY)):
        return Format("bAbI", frozenset(), _scan(_babi_reader), "directions", "unit", extra=True)
    return Format("text in the format of bAbI", frozenset(), _scan(_asked), world(), extra=True)


def _ignore(error: DataError) -> None:
    """What is no line of the format is noted when the rows are read."""


def _scan(reader: Callable[[DataFile, World, Notes], ReadRow]) -> Any:
    def scan(source: DataFile, world: World, notes: Notes) -> Any:
        rows = babi_rows(source, notes.bad_row)
        read = reader(source, world, notes)
        return parts_of(source, gathered_rows(source, rows, read, notes.bad_row))

    return scan


def _asked(source: DataFile, world: World, notes: Notes) -> ReadRow:
    read = asked_reader(COLUMNS)(source, world, notes)

    def row(record: dict[str, Any], place: RowPlace) -> PlacedPuzzle:
        scene = record.pop("scene")
        placed = read(record, place)
        return replace(placed, puzzle=replace(placed.puzzle, scene=f"{source.id_of('')}{scene}"))

    return row


def _babi_reader(source: DataFile, world: World, notes: Notes) -> ReadRow:
    """Return what reads a question of bAbI's tasks 4, 17 and 19."""
    reader = AskedReader(world)

    def label(step: tuple[int, int]) -> str:
        return world.kind(_KINDS[step]).words[0]

    def row(record: dict[str, Any], place: RowPlace) -> PlacedPuzzle:
        story = " ".join(_bracketed(sentence) for sentence in record["story"])
        question, answer = record["question"], record["answer"]
        query, target, asked = _read_question(question, answer)
        puzzle, said = reader.puzzle(story, query, label(target))
        if asked:
            relations = tuple(label(step) for step in asked)
            puzzle = with_asked(puzzle, relations, yes_or_no(answer) or "")
        named = _named(puzzle, source, place, record)
        return PlacedPuzzle(f"M{puzzle.k}", source.split, named, said)

    return row


def _named(puzzle: Puzzle, source: DataFile, place: RowPlace, record: dict[str, Any]) -> Puzzle:
    """Return a puzzle with its id, its scene, and its question and answer as the file has them."""
    told = {"question": record["question"], "answer": record["answer"]}
    return replace(
        puzzle,
        id=source.id_of(place),
        scene=f"{source.id_of('')}{record['scene']}",
        question=record["question"] if puzzle.target == record["answer"] else "",
        extra=extra_with(told, **extra_of(puzzle)),
    )


def _bracketed(sentence: str) -> str:
    """Return a sentence with its two things in brackets, as they have no names."""
    stated = _STATED.fullmatch(sentence)
    if stated is None:
        raise DataError(f"{sentence[:60]!r} is no sentence of bAbI's tasks 4, 17 or 19")
    text = sentence
    for group in ("b", "a"):
        start, end = stated.span(group)
        text = f"{text[:start]}[{text[start:end]}]{text[end:]}"
    return text


_Step = tuple[int, int]


def _read_question(question: str, answer: str) -> tuple[tuple[str, str], _Step, tuple[_Step, ...]]:
    """Return the query, where the second entity lies of the first, and the steps asked about with yes or no."""
    if found := _IS_IT.fullmatch(question):
        if yes_or_no(answer) is None:
            raise DataError("is not yes or no", setting="answer", value=answer)
        across, up = _STEPS[found["side"]]
        wide = tuple(step for step in _KINDS if (step[0] == across if across else step[1] == up))
        return (found["b"], found["a"]), (across, up), wide
    if found := _WAY.fullmatch(question):
        steps = [step.strip() for step in answer.split(",")]
        if not all(step in _STEPS for step in steps):
            raise DataError("is not steps such as n,e", setting="answer", value=answer)
        east, north = (sum(_STEPS[step][axis] for step in steps) for axis in (0, 1))
        step = ((east > 0) - (east < 0), (north > 0) - (north < 0))
        return (found["a"], found["b"]), step, ()
    if found := _OF_WHAT.fullmatch(question):
        return (answer, found["a"]), _STEPS[found["side"]], ()
    if found := _WHAT.fullmatch(question):
        return (found["b"], answer), _STEPS[found["side"]], ()
    raise DataError(
        "is no question of bAbI's tasks 4, 17 or 19", setting="question", value=question
    )
