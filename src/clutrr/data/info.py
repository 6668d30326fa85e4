"""What a file or folder of data is: its format, size, subsets and labels, and a sample."""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow.compute as pc

from clutrr.data.read import detect, sources
from clutrr.puzzle import Puzzle, from_table

NO_SPLIT = "other"  # the rows of no split that is known


@dataclass(frozen=True)
class Info:
    """format: the formats of the files, joined. subsets: the rows of each split of each subset."""

    path: Path
    format: str
    files: int
    bytes: int
    rows: int
    subsets: Mapping[str, Mapping[str, int]]
    labels: Mapping[str, int]
    sample: Puzzle | None


def describe(path: str | Path, tick: Callable[[int], None] = lambda rows: None) -> Info:
    """Read it through once."""
    files = sources(Path(path))
    formats: set[str] = set()
    subsets: dict[str, Counter[str]] = {}
    labels: Counter[str] = Counter()
    sample: Puzzle | None = None
    for source in files:
        form = detect(source)
        formats.add(form.name)
        for part in form.scan(source):
            splits = subsets.setdefault(part.subset, Counter(train=0, test=0))
            splits[part.split or NO_SPLIT] += len(part.table)
            for count in pc.value_counts(part.table["target"]).to_pylist():
                labels[count["values"]] += count["counts"]
            if sample is None and len(part.table):
                sample = next(from_table(part.table.slice(0, 1)))
            tick(len(part.table))
    return Info(
        path=Path(path),
        format=", ".join(sorted(formats)),
        files=len(files),
        bytes=sum(source.path.stat().st_size for source in files),
        rows=labels.total(),
        subsets={name: dict(subsets[name]) for name in sorted(subsets, key=natural)},
        labels=dict(labels.most_common()),
        sample=sample,
    )


def natural(name: str) -> list[tuple[int, str]]:
    """A key that puts M10 after M9."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)]
