"""A data set in a screenful: its format, size, subsets and labels, and a sample."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pyarrow.compute as pc

from clutrr.data.dataset import Dataset
from clutrr.data.extra import unread_edges
from clutrr.data.part import UNSPLIT
from clutrr.files import differences
from clutrr.measure import natural
from clutrr.puzzle import EXTRA, ROLES, Puzzle, from_table


@dataclass(frozen=True)
class Info:
    """The content of a data set, counted.

    - bytes: of its files.
    - subsets: the rows of each split of each subset.
    - roles: of the facts of each subset.
    - noise_unread: edges by role that only the text states and that were not read, of subsets with any.
    - damage: the files of the folder that are not as its manifest says: "missing" or "changed".
    """

    data: Dataset
    bytes: int
    subsets: Mapping[str, Mapping[str, int]]
    roles: Mapping[str, Mapping[str, int]]
    noise_unread: Mapping[str, Mapping[str, int]]
    labels: Mapping[str, int]
    damage: Mapping[str, str]
    sample: Puzzle | None

    @property
    def format(self) -> str:
        """The formats of the files, joined."""
        return ", ".join(sorted({form.name for _, form in self.data.files}))

    @property
    def world(self) -> str:
        """The world and how it was found."""
        return self.data.about_world

    @property
    def assume(self) -> str | None:
        """The assumption that the data was made under, if it is known."""
        return self.data.assume

    @property
    def files(self) -> int:
        return len(self.data.files)

    @property
    def rows(self) -> int:
        return sum(self.labels.values())


def describe(data: Dataset, tick: Callable[[int], None] = lambda rows: None) -> Info:
    """Return the figures of a data set, which is read once from beginning to end."""
    subsets: dict[str, Counter[str]] = {}
    labels: Counter[str] = Counter()
    sample: Puzzle | None = None
    roles: dict[str, Counter[str]] = {}
    unread: dict[str, Counter[str]] = {}
    for part in data.parts():
        splits = subsets.setdefault(part.subset, Counter(train=0, test=0))
        splits[part.split or UNSPLIT] += len(part.table)
        for count in pc.value_counts(part.table["target"]).to_pylist():
            labels[count["values"]] += count["counts"]
        for count in pc.value_counts(pc.list_flatten(part.table["roles"])).to_pylist():
            roles.setdefault(part.subset, Counter())[count["values"]] += count["counts"]
        if EXTRA.name in part.table.column_names:
            for puzzle in part.puzzles:
                for edge in unread_edges(puzzle):
                    unread.setdefault(part.subset, Counter())[edge.role] += 1
        if sample is None and len(part.table):
            sample = next(from_table(part.table.slice(0, 1)))
        tick(len(part.table))
    return Info(
        data=data,
        bytes=sum(source.path.stat().st_size for source, _ in data.files),
        subsets={name: dict(subsets[name]) for name in sorted(subsets, key=natural)},
        roles={name: {role: roles[name][role] for role in ROLES} for name in sorted(roles, key=natural)},
        noise_unread={name: dict(unread[name]) for name in sorted(unread, key=natural)},
        labels=dict(labels.most_common()),
        damage={} if data.folder is None else dict(differences(data.folder, data.manifest)),
        sample=sample,
    )
