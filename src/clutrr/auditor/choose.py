"""The part of a data set that is asked for: by what the solver finds, by role, by length."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pyarrow as pa

from clutrr.auditor.rows import RowJudge
from clutrr.data import Dataset, Part
from clutrr.data.convert import Keep
from clutrr.errors import ConfigError
from clutrr.puzzle import ROLES, Puzzle
from clutrr.solver import Finding
from clutrr.world import Assumption

ENTAILED = "entailed"
_Test = Callable[[Puzzle], bool]


def chosen(
    data: Dataset,
    only: str | None = None,
    assume: Assumption | None = None,
    by_facts: bool = False,
    role: str | None = None,
    k: Sequence[int] | None = None,
) -> Keep | None:
    """Which puzzles to keep, by all conditions together; None for all."""
    tests: list[_Test] = []
    about: dict[str, str] = {}
    judged = None
    if k is not None:
        lengths = frozenset(k)
        tests.append(lambda puzzle: puzzle.k in lengths)
        about["k"] = ",".join(map(str, k))
    if role is not None:
        tests.append(_role(role))
        about["role"] = role
    if only is not None:
        judged = assume or data.assume or Assumption.OPEN
        tests.append(_finding(data, only, judged, by_facts))  # the slowest last
        about |= {"only": only, "assume": judged.value, "judged_by": "facts" if by_facts else "text"}
    elif assume is not None or by_facts:
        raise ConfigError("--assume and --facts need --only, which asks the solver")
    if not tests:
        return None

    def choose(part: Part) -> Part:
        kept = [all(test(puzzle) for test in tests) for puzzle in part.puzzles]
        return replace(part, table=part.table.filter(pa.array(kept, pa.bool_())))

    return Keep(choose, about, judged)


def _role(role: str) -> _Test:
    if role not in ROLES:
        raise ConfigError(f"role: {role!r} is not one of {', '.join(ROLES)}")
    if role == "path":
        return lambda puzzle: set(puzzle.roles) <= {"path"}
    return lambda puzzle: role in puzzle.roles


def _finding(data: Dataset, only: str, assume: Assumption, by_facts: bool) -> _Test:
    known = [finding.value for finding in Finding if finding is not Finding.OUTSIDE]
    if only not in (*known, ENTAILED):
        raise ConfigError(f"only: {only!r} is not one of {', '.join((*known, ENTAILED))}")
    judge = RowJudge(data.world, by_facts, (assume,))

    def test(puzzle: Puzzle) -> bool:
        judgement = judge.judge(puzzle)[1][assume]
        return judgement.entailed if only == ENTAILED else judgement.finding == only

    return test
