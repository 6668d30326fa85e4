"""What is wrong with a subset, in plain words: whatever its tables show that should not be."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from clutrr._lexicon import World
from clutrr._measure import counted, percent
from clutrr._puzzle import CANNOT_BE_TOLD
from clutrr.theory import Finding

if TYPE_CHECKING:
    from clutrr._audit.audit import Group

_Subsets = Mapping[str, "Mapping[str, Group]"]
# The sorts of problem that come first, the gravest before the others.
_GRAVE = (
    "unusable",
    "refuted",
    "contradictory",
    "undetermined",
    "not decided",
    "unread",
    "proved from what was read",
    "disagrees",
    "noise",
)
_ANSWERED = 0.5  # share of the questions that can be told from which a look-up answers too many
_PROBLEMS = {
    "refuted": "have a target that the facts rule out",
    "contradictory": "state facts that contradict each other",
    "undetermined": "have more than one possible answer",
    "unread": "rest on text that could not be read",
    "proved from what was read": "are proved by text of which some could not be read",
    "not decided": "could not be decided",
}
_OTHERWISE = {  # what the verdict says of the questions that are not proved
    "refuted": "refuted",
    "undetermined": "have several answers",
    "contradictory": "contradict themselves",
    "proved from what was read": "are proved by a part of their text that was read",
    "unread": "could not be read",
    "not decided": "could not be decided",
}
_LOOKUPS = {
    "form, majority kind": "the form of the second queried entity alone answers",
    "the two names": "a look-up of the two queried names answers",
}


class Problem(NamedTuple):
    """Something wrong with the rows of a subset and split.

    sort: of the problem, the same in every subset. size: the more, the worse. said: in words.
    """

    where: str
    sort: str
    size: float
    said: str

    def __str__(self) -> str:
        return f"{self.where}: {self.said}"


def problems(name: str, splits: "Mapping[str, Group]", world: World) -> Iterator[Problem]:
    """The problems of each split of a subset; what concerns rows, then what they give away."""
    for split, group in splits.items():
        where = name if len(splits) == 1 else f"{name} {split}"
        for sort, size, said in (*_rows(group), *_balance(group, world), *_leaks(group)):
            yield Problem(where, sort, size, said)


def unusable(found: Sequence[Mapping[str, Any]], rows: int) -> Iterator[Problem]:
    """Yield what is wrong with rows that could not be read, if there are any.

    - found: their reasons, see `Notes.unusable`
    - rows: how many could be read
    """
    bad = sum(one["rows"] for one in found)
    if bad:
        share = f"{bad:,} of {bad + rows:,} rows"
        kinds = f", for {counted(len(found), 'reason')}" if len(found) > 1 else ""
        said = f"{share} cannot be used{kinds}; the first: {found[0]['first']}."
        yield Problem("the data", "unusable", bad, said)


_Found = Iterator[tuple[str, float, str]]  # sort, size, said


def _rows(group: "Group") -> _Found:
    if (share := group.text["disagrees"]) > 0:
        yield (
            "disagrees",
            share,
            f"{share:g} % of the stories state other facts than their columns.",
        )
    for finding, what in _PROBLEMS.items():
        found = {assume: shares.get(finding, 0) for assume, shares in group.soundness.items()}
        if not any(found.values()):
            continue
        if len(set(found.values())) == 1:
            assumed = "" if finding == Finding.UNREAD else f" ({' and '.join(found)})"
            said = f"{next(iter(found.values())):g} %{assumed}"
        else:
            said = ", ".join(f"{share:g} % ({assume})" for assume, share in found.items())
        yield finding, max(found.values()), f"{said} of the questions {what}."
    if unread := sum(about["unread"] for about in group.text["roles"].values()):
        yield "noise", unread, f"{unread:,} noise facts that only the text tells could not be read."


def _balance(group: "Group", world: World) -> _Found:
    if not group.k:  # nothing that was read joins the queried entities
        return
    labels, patterns = list(group.labels), list(group.patterns)
    if len(labels) <= len(world.relations) // 4:
        said = f"holds {counted(len(labels), 'label')} only: {', '.join(labels)}."
        yield "labels", -len(labels), said
    if len(patterns) < len(world.kinds):
        said = f"holds {counted(len(patterns), 'pattern')} only: {'; '.join(patterns)}."
        yield "patterns", -len(patterns), said


def _leaks(group: "Group") -> _Found:
    leaks, shortcuts = group.leaks, group.shortcuts or {}
    # So many are right for whoever guesses, or always says that it cannot be told.
    chance = max(group.labels.get(CANNOT_BE_TOLD, 0), 100 / len(group.labels))
    for lookup, what in _LOOKUPS.items():
        share = shortcuts.get(lookup, 0)
        if share >= chance + _ANSWERED * (100 - chance) and share > shortcuts["majority label"]:
            yield lookup, share, f"{what} {share:g} % of the questions."
    stated = leaks.answer_stated if group.k > 1 else 0
    what = "questions" if "no text" in group.text else "stories"
    for sort, part, said in (
        ("story in train", leaks.story_in_train, "of the rows have their story in train too"),
        ("scene in train", leaks.scene_in_train, "of the rows have their scene in train too"),
        ("story twice", leaks.story_twice, f"of the {what} are there twice"),
        ("stated", stated, "of the stories state the queried relation itself"),
        (
            "shorter path",
            leaks.shorter_path,
            "of the questions have a shorter path than their k facts",
        ),
    ):
        if part:
            yield sort, part, f"{part:g} % {said}."


def good_for(
    subsets: _Subsets, problems: Sequence[Problem], by_facts: bool, has_facts: bool
) -> str:
    """What to use the data for, by what the solver proves of the questions that models are tested on.

    That is under the weakest assumption of those judged under, the last. has_facts: whether there are facts
    columns to judge by instead.
    """
    groups = [(split, group) for splits in subsets.values() for split, group in splits.items()]
    tested = [group for split, group in groups if split != "train"] or [
        group for _, group in groups
    ]
    assume = list(tested[0].soundness)[-1]
    rows = sum(group.rows for group in tested)

    def share(finding: str) -> float:
        return percent(
            sum(group.soundness[assume][finding] * group.rows for group in tested) / 100, rows
        )

    proved, entailed = share("proved"), share("entailed")
    both = "proved and entailed" if entailed == 100 else f"proved, and {entailed:g} % are entailed"
    if not problems:
        return f"good for training and testing: every target is {both}, assuming {assume}."
    if proved == 100:
        return f"every target is {both}, assuming {assume}, but the data has flaws:"
    by, tested_on = "facts columns" if by_facts else "text", counted(rows, "question")
    said = f"assuming {assume}, {proved:g} % of the {tested_on} to test on are proved by their {by}"
    for finding, what in _OTHERWISE.items():
        said += f", {share(finding):g} % {what}" if share(finding) else ""
    if share("unread") and has_facts:
        said += " (--facts judges by the facts columns)"
    if not proved:
        return f"not good for testing: {said}."
    keep = (
        f"clutrr convert DATA OUT --only proved --assume {assume}{' --facts' if by_facts else ''}"
    )
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
