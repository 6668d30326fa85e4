"""What users give, opened: data of any kind as a data set, and a world."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeAlias, overload

from clutrr.errors import short
from clutrr.files import Where, is_place, where
from clutrr.shown import Shown

if TYPE_CHECKING:
    from clutrr.data import Dataset
    from clutrr.puzzle import Puzzle
    from clutrr.world import World

WorldLike: TypeAlias = "str | Path | World"
# A path, a data set, puzzles, or a frame of any library.
DataLike: TypeAlias = "str | Where | Dataset | Sequence[Puzzle] | Any"
Columns: TypeAlias = "str | Mapping[str, str | Sequence[str]] | None"
_FRAME = "rows"
_SAMPLE, _STORY = 10, 120  # puzzles that are shown, and letters of a story


class PuzzleSequence(Shown, Sequence["Puzzle"]):
    """Puzzles, the world that they are told in, and the assumption that they were made under.

    A slice, and what `filter` keeps, is of the same world and assumption.
    """

    def __init__(self, parts: "Sequence[Sequence[Puzzle]]", world: "World", assume: str | None) -> None:
        self._parts, self.world, self.assume = parts, world, assume

    def __len__(self) -> int:
        return sum(map(len, self._parts))

    @overload
    def __getitem__(self, at: int) -> "Puzzle": ...
    @overload
    def __getitem__(self, at: slice) -> "PuzzleSequence": ...
    def __getitem__(self, at: int | slice) -> "Puzzle | PuzzleSequence":
        if isinstance(at, slice):
            chosen = [self[i] for i in range(*at.indices(len(self)))]
            return PuzzleSequence([chosen], self.world, self.assume)
        number = at + len(self) * (at < 0)
        for part in self._parts:
            if 0 <= number < len(part):
                return part[number]
            number -= len(part)
        raise IndexError(f"puzzle {at} of {len(self)}")

    def filter(self, keep: "Callable[[Puzzle], bool]") -> "PuzzleSequence":
        """Return the puzzles to keep."""
        return PuzzleSequence([list(filter(keep, self))], self.world, self.assume)

    def to_pandas(self) -> Any:
        """Return a frame with a row a puzzle; it too knows the assumption."""
        from clutrr.table import to_table

        frame = to_table(list(self)).to_pandas()
        frame.attrs["assume"] = self.assume
        return frame

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    @property
    def caption(self) -> str:
        assumed = f", assuming {self.assume}" if self.assume else ""
        return f"{len(self):,} puzzles of world {self.world.name}{assumed}"

    def rows(self) -> Iterator[list[str]]:
        yield ["id", "story", "query", "target"]
        for one in self[:_SAMPLE]:
            story = one.story if len(one.story) <= _STORY else f"{one.story[:_STORY]}..."
            yield [one.id, story, ", ".join(one.query), one.target]
        if len(self) > _SAMPLE:
            yield ["...", "", "", ""]


def open_data(data: Any, world: "WorldLike | None" = None, columns: "Columns" = None) -> "Dataset":
    """Return whatever is data as a data set. world: instead of its own. columns: as for `read`."""
    from clutrr.data import Dataset, open_dataset
    from clutrr.data.dataset import dataset_of
    from clutrr.puzzle import Puzzle
    from clutrr.world import load_world

    told = None if world is None else load_world(world)
    if isinstance(data, Dataset):
        return data
    if isinstance(data, PuzzleSequence):
        return dataset_of(data, told or data.world, data.assume)
    if isinstance(data, list | tuple) and all(isinstance(one, Puzzle) for one in data):
        return dataset_of(data, told)
    if is_place(data):
        return open_dataset(where(data), told, columns=columns)
    return _of_frame(data, told, columns)


def _of_frame(frame: Any, world: "World | None", columns: "Columns") -> "Dataset":
    """Return a frame, or rows as dictionaries, as a data set: read as a file of them would be."""
    import json

    import pyarrow as pa
    import pyarrow.parquet as pq

    from clutrr.data import open_dataset
    from clutrr.errors import RowError

    of_datasets = getattr(getattr(frame, "data", None), "table", None)  # those of Hugging Face
    with TemporaryDirectory() as folder:
        path = Path(folder) / _FRAME
        try:
            if isinstance(frame, Iterable) and not hasattr(frame, "columns") and of_datasets is None:
                rows = [json.dumps(dict(row), ensure_ascii=False, default=str) for row in frame]
                path.write_text("\n".join(rows), encoding="utf-8")
            else:
                pq.write_table(of_datasets if isinstance(of_datasets, pa.Table) else pa.table(frame), path)
        except (TypeError, ValueError, pa.ArrowException) as error:
            what = f"a path, puzzles, rows, a frame or a data set, not {type(frame).__name__}"
            why = f" ({short(str(error), quote=False)})" if isinstance(frame, Iterable) else ""
            raise TypeError(f"data: expected {what}{why}") from None
        try:
            opened = open_dataset(path, world, columns=columns)
            parts = list(opened.parts())
        except RowError as error:
            raise RowError(_FRAME, error.place.replace("line", "row"), error.reason) from None
    assume = getattr(frame, "attrs", {}).get("assume")  # as `PuzzleSequence.to_pandas` has it
    return replace(opened, path=Path(_FRAME), assume=assume or opened.assume, made=lambda: iter(parts))
