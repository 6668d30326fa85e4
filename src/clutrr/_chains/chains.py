"""Solutions of puzzles in numbered steps, of which the first wrong one is known."""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from clutrr._arguments import LocationLike, public
from clutrr._chains.chain import Chain, ErrorKind
from clutrr._chains.folder import write_chains
from clutrr._chains.make import ChainConfig, ChainMaker, LeftOut, Weights
from clutrr._config import read_pairs, read_words
from clutrr._data.given import DataLike, WorldLike, open_data
from clutrr._generate.stream import Stream
from clutrr._io.executors import print_notice
from clutrr._io.locations import parse_location
from clutrr._lexicon import World
from clutrr._puzzle import Puzzle
from clutrr.errors import ArgumentError, ConfigError, Give, Hint

Names = str | Collection[str] | Mapping[str, float] | None
ALL = "all"


class Chains:
    """Chains of puzzles, made as they are asked for; each iteration makes the same ones.

    Args:
        puzzles: yields them anew.
        maker: of the chains.
    """

    def __init__(self, puzzles: Callable[[], Iterator[Puzzle]], maker: ChainMaker) -> None:
        self._puzzles, self._maker = puzzles, maker

    def __iter__(self) -> Iterator[Chain]:
        return self._maker.chains(self._puzzles(), LeftOut())

    def __repr__(self) -> str:
        return f"<chains of world {self.world.name}, {self._maker.config.per} of each puzzle>"

    @property
    def world(self) -> World:
        """The world of the puzzles."""
        return self._maker.world

    @property
    def assume(self) -> str:
        """The assumption under which steps are judged."""
        return self._maker.assume


@public
def chains(
    data: DataLike,
    out: LocationLike | None = None,
    *,
    wrong: float = ChainConfig.wrong,
    errors: Names = ALL,
    styles: Names = ALL,
    per: int = ChainConfig.per,
    seed: int = ChainConfig.seed,
    world: WorldLike | None = None,
    assume: str | None = None,
    to: str | None = None,
    format: str = "parquet",  # noqa: A002  as the command has it
    skip_bad: bool = False,
    force: bool = False,
    tick: Callable[[int], None] = lambda puzzles: None,
) -> Any:
    """Return solutions of puzzles in numbered steps, each judged by the solver, as an iterable of chains.

    With `out`, write them to a folder instead, as `clutrr chains` does, and return its manifest. Chain i of a
    puzzle depends on the settings, the puzzle and i alone.

    - data: as for `audit`; or a stream, whose chains have no end
    - out: a folder or its URL
    - wrong: the share of chains with an error
    - errors: the kinds of it, "misread,form" or ("misread", "form"); with weights {"misread": 2, "form": 1}
    - styles: how the steps are worded, in the same way
    - per: chains of each puzzle
    - world: the one to read the data with, if it does not carry its own
    - assume: what the steps are judged under; None for what the data was made under
    - to: another format: processbench or stepwise_preference
    - format: of the files in the folder: parquet or jsonl
    - skip_bad: whether to leave out rows and files of the data that cannot be read, and name them
    - force: whether to replace what is there
    - tick: called with how many more puzzles are done

    >>> from clutrr import generate
    >>> chain = next(iter(chains(generate(preset="strict", k=2, size=1), wrong=1, errors="misread")))
    >>> chain.error, [step.right for step in chain.steps].index(False) == chain.first_error
    ('misread', True)
    """
    config = ChainConfig(
        wrong=float(wrong),
        errors=_weights(errors, "errors", [kind.value for kind in ErrorKind]),
        styles=_weights(styles, "styles", ()),
        per=per,
        seed=seed,
    )
    if isinstance(data, Stream):
        if out is not None:
            raise ConfigError(
                "a stream has no end",
                setting="out",
                hint=Hint("take some of it, stream[:1000], or leave out {}", (Give("out"),)),
            )
        maker = ChainMaker(data.world, assume or data.assume, config)
        return Chains(lambda: iter(data), maker)
    opened = open_data(data, world, skip_bad=skip_bad)
    maker = ChainMaker(opened.world, assume or opened.assume, config)
    if out is None:
        if to is not None:
            raise ConfigError(
                "it is for a folder", setting="to", hint=Hint("name one: {}", (Give("out"),))
            )
        return Chains(opened.puzzles, maker)
    manifest = write_chains(opened, maker, parse_location(out), to, format, force, tick)
    opened.notes.tell(print_notice)
    return manifest


def _weights(given: Names, setting: str, every: Collection[str]) -> Weights:
    """Return names with their weights. every: those that `all` means."""
    if given is None or given == ALL:
        return tuple((name, 1.0) for name in every)
    if isinstance(given, Mapping) or (isinstance(given, str) and "=" in given):
        found = read_pairs(given, setting)
    else:
        found = dict.fromkeys(read_words(given, setting), 1.0)
    for weight in found.values():
        if isinstance(weight, bool) or not isinstance(weight, int | float):
            raise ArgumentError("is not a number", setting=setting, value=weight)
    return tuple((name, float(weight)) for name, weight in found.items())
