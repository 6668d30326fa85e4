"""What Python users call, beside the records themselves."""

from collections.abc import Sequence
from pathlib import Path

from clutrr.errors import ConfigError
from clutrr.generator import SPLITS, Config, puzzles
from clutrr.puzzle import Puzzle
from clutrr.solver import Solution, solve_story
from clutrr.world import World, load_world


def generate(
    preset: str = "sound",
    k: int = 3,
    size: int = 1000,
    seed: int = 0,
    *,
    split: str = "train",
    levels: int | None = None,
    children: int | tuple[int, int] = 3,
    distractors: int = 8,
    order: str | None = None,
    assume: str | None = None,
    undetermined: float | None = None,
    world: str | Path | World = "kinship",
) -> Sequence[Puzzle]:
    """Puzzles of one subset: `len`, index, slice and iterate; made a block at a time.

    The puzzles of a seed are those that `clutrr generate` writes with it; a larger size only adds.
    """
    if split not in SPLITS:
        raise ConfigError(f"split: no {split!r}; one of {', '.join(SPLITS)}")
    if size < 0:
        raise ConfigError(f"size: {size} is below 0")
    config = Config(
        preset=preset,
        k=(k,),
        train=max(size, 1),
        test=max(size, 1),
        seed=seed,
        levels=levels,
        children=(children, children) if isinstance(children, int) else children,
        distractors=distractors,
        order=order,
        assume=assume,
        undetermined=undetermined,
    )
    return puzzles(config, world if isinstance(world, World) else load_world(world), split, size)


def read(path: str | Path) -> Sequence[Puzzle]:
    """The puzzles of a file or folder: any format that is known, gzipped or not."""
    from clutrr.data import open_dataset

    return list(open_dataset(path).puzzles())


def solve(story: str, query: tuple[str, str], world: str | Path | World = "kinship") -> Solution:
    """What the second person of the query can be to the first, with a proof: `print` it."""
    first, second = query
    return solve_story(story, (first, second), world if isinstance(world, World) else load_world(world))
