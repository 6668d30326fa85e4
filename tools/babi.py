"""How many answers of bAbI 4, 17 and 19 follow from their texts, and under which reading of "left of".

    python tools/babi.py FOLDER [--json]          the folder with qa4_*.txt, qa17_*.txt and qa19_*.txt

A sentence such as "The square is to the left of the circle" is read in three ways: as one step on a grid; as due
west at any distance; and as somewhere west, which says nothing of height. An answer follows if it is the only
one that is possible; it is open if another one is; it is wrong if it is not possible.
"""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

import clutrr
from clutrr import Fact, load_world
from clutrr._cli import main
from clutrr._cli.show import print_json, print_records
from clutrr._statement import Statement, StatementKind
from clutrr.theory.given import Given

WORDS = {
    "to the left of": "west", "to the right of": "east", "above": "north", "below": "south",
    "west of": "west", "east of": "east", "north of": "north", "south of": "south",
}  # fmt: skip
SOMEWHERE = {
    "north": ("north of", "north-east of", "north-west of"),
    "east": ("north-east of", "east of", "south-east of"),
    "south": ("south-east of", "south of", "south-west of"),
    "west": ("south-west of", "west of", "north-west of"),
}
READINGS = {"one step": "unit", "due, at any distance": "free", "somewhere": "free"}
_WORD = "|".join(map(re.escape, sorted(WORDS, key=len, reverse=True)))
_STATED = re.compile(rf"The (.+?) is ({_WORD}) the (.+?)\.")
_YES_NO = re.compile(rf"Is the (.+?) ({_WORD}) the (.+?)\?")
_WHAT = re.compile(rf"What is (?:the (.+?) ({_WORD})|({_WORD}) the (.+?))\?")
_WAY = re.compile(r"How do you go from the (.+?) to the (.+?)\?")
_STEPS = {"n": (0, 1), "e": (1, 0), "s": (0, -1), "w": (-1, 0)}


class Question(NamedTuple):
    """What is stated (an entity, where it lies, from which other), what is asked, and the answer."""

    stated: tuple[tuple[str, str, str], ...]
    asked: str
    answer: str


def questions(path: Path) -> Iterator[Question]:
    """Yield the questions of a file, each with the sentences before it."""
    stated: list[tuple[str, str, str]] = []
    for line in path.read_text("utf-8").splitlines():
        number, _, text = line.partition(" ")
        if number == "1":
            stated = []
        asked, *answer = text.split("\t")
        if answer:
            yield Question(tuple(stated), asked.strip(), answer[0])
            continue
        match = _STATED.fullmatch(asked.strip())
        assert match, line
        stated.append((match[1], WORDS[match[2]], match[3]))


class Reader:
    """Decides questions under one reading."""

    def __init__(self, reading: str) -> None:
        self._world = load_world("directions")
        self._solver = self._world.theory.solver(self._world.labels, READINGS[reading])
        self._vague = reading == "somewhere"

    def given(self, question: Question) -> list[Given]:
        """Return what is stated."""
        found: list[Given] = []
        for entity, where, other in question.stated:
            if self._vague:
                kind = StatementKind.ALTERNATIVES
                found.append(Statement(kind, other, SOMEWHERE[where], entity))
            else:
                found.append(Fact(other, f"{where} of", entity))
        return found

    def found(self, question: Question) -> str:
        """Return whether the answer follows, is open, or is wrong."""
        given = self.given(question)
        if match := _YES_NO.fullmatch(question.asked):
            return self._yes_no(given, match[3], WORDS[match[2]], match[1], question.answer)
        if match := _WAY.fullmatch(question.asked):
            return self._way(given, match[1], match[2], question.answer)
        match = _WHAT.fullmatch(question.asked)
        assert match, question.asked
        if match[1]:  # "What is the garden east of?": the garden lies east of the answer
            pairs = [(one, match[1]) for one in self._entities(question)]
            where = WORDS[match[2]]
        else:
            pairs = [(match[4], one) for one in self._entities(question)]
            where = WORDS[match[3]]
        sure = []
        for pair in pairs:
            if pair[0] == pair[1]:
                continue
            possible = set(self._possible(given, *pair))
            other = pair[0] if match[1] else pair[1]
            if possible <= set(SOMEWHERE[where]):
                sure.append(other)
        return (
            "follows"
            if sure == [question.answer]
            else "open"
            if question.answer in sure
            else "wrong"
        )

    def _entities(self, question: Question) -> list[str]:
        return sorted({name for one in question.stated for name in one[::2]})

    def _possible(self, given: list[Given], head: str, tail: str) -> tuple[str, ...]:
        verdict = self._solver.verdict(self._solver.plain(given), (head, tail))
        return verdict.relations

    def _yes_no(self, given: list[Given], head: str, where: str, tail: str, answer: str) -> str:
        possible = set(self._possible(given, head, tail))
        there = possible & set(SOMEWHERE[where])
        said = "yes" if there == possible else "no" if not there else ""
        if not said:
            return "open"
        return "follows" if said == answer else "wrong"

    def _way(self, given: list[Given], start: str, end: str, answer: str) -> str:
        """Return whether the steps of the answer lead in the only possible direction."""
        across, up = (
            sum(step) for step in zip(*(_STEPS[s] for s in answer.split(",")), strict=True)
        )
        sides = ("north" if up > 0 else "south" if up < 0 else "",
                 "east" if across > 0 else "west" if across < 0 else "")  # fmt: skip
        meant = f"{'-'.join(filter(None, sides))} of"
        possible = self._possible(given, start, end)
        if meant not in possible:
            return "wrong"
        return "follows" if len(possible) == 1 else "open"


def measure(folder: Path) -> list[dict[str, Any]]:
    """Return a row for each task and reading."""
    rows = []
    for path in sorted(
        folder.glob("qa*.txt"), key=lambda one: int(re.findall(r"\d+", one.name)[0])
    ):
        every = list(questions(path))
        for reading in READINGS:
            reader = Reader(reading)
            counted = Counter(reader.found(one) for one in every)
            shares = {name: counted[name] for name in ("follows", "open", "wrong")}
            task = path.name.partition("_")[0].removeprefix("qa")
            rows.append({"task": task, "questions": len(every), "reading": reading, **shares})
    return rows


app = typer.Typer(add_completion=False)


@app.command()
def command(
    folder: Annotated[Path, typer.Argument(help="The folder with the files of the tasks.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print how many answers follow, by task and reading."""
    rows = measure(folder)
    if as_json:
        print_json({"version": clutrr.__version__, "rows": rows})
    else:
        print_records("bAbI: answers that follow, are open, or are wrong", rows)


if __name__ == "__main__":
    main(app)
