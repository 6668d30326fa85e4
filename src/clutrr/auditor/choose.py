"""The part of a data set that is asked for, by what the solver finds."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pyarrow as pa

from clutrr.auditor.rows import RowJudge
from clutrr.data import Dataset, Part
from clutrr.errors import ConfigError
from clutrr.puzzle import Puzzle
from clutrr.theory import Finding

ENTAILED = "entailed"


def chosen(
    data: Dataset, only: str | None, assume: str | None = None, by_facts: bool = False
) -> tuple[Dataset, dict[str, str]]:
    """Return the puzzles to keep, and how they are chosen; nothing about that if they are all.

    - only: what the solver must find of a puzzle.
    - assume: the assumption it judges under; by default the data's, or else the theory's default.
    - by_facts: whether to trust the facts column, even where the text was not seen to state it.
    """
    if only is None:
        if assume is not None or by_facts:
            raise ConfigError("--assume and --facts need --only, which asks the solver")
        return data, {}
    judged = assume or data.assume or data.world.theory.assumption().name
    test = _finding(data, only, judged, by_facts)

    def parts() -> Iterator[Part]:
        for part in data.parts():
            kept = [test(puzzle) for puzzle in part.puzzles]
            yield replace(part, table=part.table.filter(pa.array(kept, pa.bool_())))

    about = {"only": only, "assume": judged, "judged_by": "facts" if by_facts else "text"}
    return replace(data, assume=judged, made=parts), about


def _finding(data: Dataset, only: str, assume: str, by_facts: bool) -> Callable[[Puzzle], bool]:
    known = [finding.value for finding in Finding if finding is not Finding.OUTSIDE]
    if only not in (*known, ENTAILED):
        raise ConfigError(f"only: {only!r} is not one of {', '.join((*known, ENTAILED))}")
    judge = RowJudge(data.world, by_facts, (assume,))

    def test(puzzle: Puzzle) -> bool:
        judgement = judge.judge(puzzle)[1][assume]
        return judgement.entailed if only == ENTAILED else judgement.finding == only

    return test
