"""What is wrong with a subset, in plain words: whatever its tables show that should not be."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from clutrr.puzzle import CANNOT_BE_TOLD
from clutrr.solver import Finding
from clutrr.world import World

if TYPE_CHECKING:
    from clutrr.auditor.audit import Group

_ANSWERED = 0.5  # share of the questions that can be told from which a look-up answers too many
_PROBLEMS = {
    "refuted": "have a target that the facts rule out",
    "contradictory": "state facts that contradict each other",
    "undetermined": "have more than one possible answer",
    "unread": "rest on text that could not be read",
    "not decided": "could not be decided",
}
_LOOKUPS = {
    "gender, majority kind": "the queried person's gender alone answers",
    "the two names": "a look-up of the two queried names answers",
}


def verdicts(name: str, splits: "Mapping[str, Group]", world: World) -> Iterator[str]:
    """The problems of each split of a subset; what concerns rows, then what they give away."""
    for split, group in splits.items():
        where = name if len(splits) == 1 else f"{name} {split}"
        yield from _rows(where, group)
        yield from _balance(where, group, world)
        yield from _leaks(where, group)


def _rows(where: str, group: "Group") -> Iterator[str]:
    if group.text["disagrees"] > 0:
        yield f"{where}: {group.text['disagrees']:g} % of the stories state other facts than their columns."
    for finding, what in _PROBLEMS.items():
        found = {assume: shares.get(finding, 0) for assume, shares in group.soundness.items()}
        if not any(found.values()):
            continue
        if len(set(found.values())) == 1:
            assumed = "" if finding == Finding.UNREAD else f" ({' and '.join(found)})"
            yield f"{where}: {next(iter(found.values())):g} %{assumed} of the questions {what}."
        else:
            shares = ", ".join(f"{share:g} % ({assume})" for assume, share in found.items())
            yield f"{where}: {shares} of the questions {what}."
    if unread := sum(group.noise_unread.values()):
        yield f"{where}: {unread:,} noise facts that only the text tells could not be read."


def _balance(where: str, group: "Group", world: World) -> Iterator[str]:
    labels, patterns = list(group.labels), list(group.patterns)
    if len(labels) <= len(world.relations) // 4:
        yield f"{where}: holds {_counted(len(labels), 'label')} only: {', '.join(labels)}."
    if len(patterns) < len(world.kinds):
        yield f"{where}: holds {_counted(len(patterns), 'pattern')} only: {'; '.join(patterns)}."


def _leaks(where: str, group: "Group") -> Iterator[str]:
    leaks, shortcuts = group.leaks, group.shortcuts or {}
    untold = group.labels.get(CANNOT_BE_TOLD, 0)  # that many are right for nothing
    for lookup, what in _LOOKUPS.items():
        if shortcuts.get(lookup, 0) >= untold + _ANSWERED * (100 - untold):
            yield f"{where}: {what} {shortcuts[lookup]:g} % of the questions."
    for thing, share in (("story", leaks.story_in_train), ("family", leaks.family_in_train)):
        if share:
            yield f"{where}: {share:g} % of the rows have their {thing} in train too."
    if leaks.story_twice > 0:
        yield f"{where}: {leaks.story_twice:g} % of the stories are there twice."
    if leaks.answer_stated > 0 and group.k > 1:
        yield f"{where}: {leaks.answer_stated:g} % of the stories state the queried relation itself."
    unproved = (group.composition_table or {}).get("rests on one and not proved", 0)
    if unproved > 0:
        yield f"{where}: {unproved:g} % of the answers rest on an unsound rule and are not proved."
    if leaks.shorter_path > 0:
        yield f"{where}: {leaks.shorter_path:g} % of the questions have a shorter path than their k facts."


def _counted(number: int, thing: str) -> str:
    words = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")
    return f"{words[number] if number < len(words) else number} {thing}{'s' if number != 1 else ''}"
