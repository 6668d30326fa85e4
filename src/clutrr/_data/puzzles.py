"""Puzzles that know their world and the assumption that they were made under."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

from clutrr._display import Shown
from clutrr._puzzle import Puzzle
from clutrr._table import to_table
from clutrr.errors import RowError

if TYPE_CHECKING:
    from clutrr._lexicon import World

_SAMPLE, _STORY = 10, 120  # puzzles that are shown, and letters of a story


class PuzzleSequence(Shown, Sequence[Puzzle]):
    """Puzzles, the world that they are told in, and the assumption that they were made under.

    A slice, and what `filter` keeps, is of the same world and assumption, and its puzzles are of the same subsets
    and splits.

    - skipped: what was left out when they were read, as errors
    - places: the subset and split of each puzzle, if they were read; else their ids tell
    """

    def __init__(
        self,
        parts: Sequence[Sequence[Puzzle]],
        world: "World",
        assume: str | None,
        skipped: Sequence[RowError] = (),
        places: Sequence[tuple[str, str | None]] | None = None,
    ) -> None:
        self._parts, self.world, self.assume, self.skipped = parts, world, assume, tuple(skipped)
        self.places = places

    def __len__(self) -> int:
        return sum(map(len, self._parts))

    @overload
    def __getitem__(self, at: int) -> Puzzle: ...
    @overload
    def __getitem__(self, at: slice) -> "PuzzleSequence": ...
    def __getitem__(self, at: int | slice) -> "Puzzle | PuzzleSequence":
        if isinstance(at, slice):
            return self._chosen(range(*at.indices(len(self))))
        number = at + len(self) * (at < 0)
        for part in self._parts:
            if 0 <= number < len(part):
                try:
                    return part[number]
                except IndexError as error:  # a loop over puzzles would take it for the end
                    raise RuntimeError(f"puzzle {at} could not be made: {error}") from error
            number -= len(part)
        raise IndexError(f"puzzle {at} of {len(self)}")

    def filter(self, keep: Callable[[Puzzle], bool]) -> "PuzzleSequence":
        """Return the puzzles to keep."""
        return self._chosen([number for number, one in enumerate(self) if keep(one)])

    def _chosen(self, numbers: Sequence[int]) -> "PuzzleSequence":
        """Return some of the puzzles, by their numbers."""
        places = None if self.places is None else [self.places[number] for number in numbers]
        chosen = [self[number] for number in numbers]
        return PuzzleSequence([chosen], self.world, self.assume, (), places)

    def to_pandas(self) -> Any:
        """Return a frame with a row a puzzle; it too knows the assumption."""
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
