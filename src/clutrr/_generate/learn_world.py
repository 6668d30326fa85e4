"""The wording of data as a world to generate with."""

from collections.abc import Callable, Iterator

from clutrr._arguments import LocationLike, public
from clutrr._data.given import DataLike, open_data
from clutrr._io.executors import print_notice
from clutrr._io.locations import parse_location
from clutrr._puzzle import Puzzle
from clutrr._reading.learning import LearntWorld, learn, write_world


@public
def learn_world(
    data: DataLike,
    world: LocationLike,
    *,
    skip_bad: bool = False,
    force: bool = False,
    tick: Callable[[int], None] = lambda puzzles: None,
) -> LearntWorld:
    """Learn the wording of data, and write it as a world: its templates, attributes and names.

    `generate(world=...)` then makes any number of stories that read like the data. What could not be learnt is
    in `left-out.txt` there.

    - world: the folder to write it into
    - skip_bad: whether to leave out rows and files that cannot be read, and name them
    - force: whether to replace what is there
    - tick: called with how many more puzzles are read

    >>> from clutrr import generate
    >>> learn_world(generate(preset="published", k=3, size=200), "mine").base
    'kinship'
    """
    opened, folder = open_data(data, skip_bad=skip_bad), parse_location(world)

    def puzzles() -> Iterator[Puzzle]:
        for puzzle in opened.puzzles():
            yield puzzle
            tick(1)

    learnt = learn(puzzles(), folder.name, opened.world)
    opened.notes.tell(print_notice)
    write_world(learnt, folder, force)
    return learnt
