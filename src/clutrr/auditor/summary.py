"""A data set in a few lines: what it is good for, and the worst of what is wrong with it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from clutrr.auditor.verdicts import Problem
from clutrr.measure import percent

if TYPE_CHECKING:
    from clutrr.auditor.audit import Group

_Subsets = Mapping[str, "Mapping[str, Group]"]
# The sorts of problem that come first, the gravest before the others.
_GRAVE = ("refuted", "contradictory", "undetermined", "not decided", "unread", "disagrees", "noise")


def good_for(subsets: _Subsets, problems: Sequence[Problem], by_facts: bool) -> str:
    """What to use the data for, by what the solver proves of the questions that models are tested on.

    That is under the weakest assumption of those judged under, the last.
    """
    groups = [(split, group) for splits in subsets.values() for split, group in splits.items()]
    tested = [group for split, group in groups if split != "train"] or [group for _, group in groups]
    assume = list(tested[0].soundness)[-1]
    rows = sum(group.rows for group in tested)

    def share(finding: str) -> float:
        return percent(sum(group.soundness[assume][finding] * group.rows for group in tested) / 100, rows)

    proved, unread = share("proved"), share("unread")
    if not problems:
        return f"good for training and testing: every target is proved, assuming {assume}."
    if proved == 100:
        return f"every target is proved, assuming {assume}, but the data has flaws:"
    by = "facts columns" if by_facts else "text"
    said = f"{proved:g} % of the {rows:,} questions to test on are proved by their {by}, assuming {assume}"
    if unread:
        said += f"; {unread:g} % could not be read (--facts judges by the facts columns)"
    if not proved:
        return f"not good for testing: {said}."
    keep = f"clutrr convert DATA OUT --only proved --assume {assume}{' --facts' if by_facts else ''}"
    return f"good in part: {said}. `{keep}` writes those that are proved."


def worst(problems: Sequence[Problem]) -> Iterator[str]:
    """Of each sort of problem the worst case, and of how many."""
    sorts: dict[str, list[Problem]] = {sort: [] for sort in _GRAVE}
    for problem in problems:
        sorts.setdefault(problem.sort, []).append(problem)
    for found in filter(None, sorts.values()):
        one = max(found, key=lambda problem: problem.size)
        others = f", the worst of {len(found)}" if len(found) > 1 else ""
        yield f"{one.where}{others}: {one.said}"
