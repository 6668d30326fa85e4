"""A sequence of puzzles whose blocks fail."""

import pytest

from clutrr import load_world
from clutrr._data.puzzles import PuzzleSequence


class Broken(tuple):
    """A part with one puzzle that cannot be made."""

    def __len__(self) -> int:
        return 1

    def __getitem__(self, at):
        return ()[at]


def test_a_mistake_in_a_block_does_not_end_a_loop_in_silence():
    puzzles = PuzzleSequence([Broken()], load_world(), None)
    with pytest.raises(RuntimeError, match="puzzle 0 could not be made"):
        list(puzzles)
    with pytest.raises(IndexError):
        puzzles[1]
