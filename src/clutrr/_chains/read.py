"""Chains read back: a folder or a file of them, or chains in memory."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clutrr._chains.chain import Chain
from clutrr._chains.chains import Chains
from clutrr._chains.folder import KIND
from clutrr._data.dataset import WORLD
from clutrr._data.part import UNSPLIT
from clutrr._data.read import sources
from clutrr._data.source import DataFile, records
from clutrr._io.locations import Location, is_location, parse_location
from clutrr._io.manifests import MANIFEST
from clutrr._io.records import load_json
from clutrr._lexicon import World
from clutrr._worlds import load_world
from clutrr.errors import DataError

_TELLING = {"steps", "first_error", "puzzle"}  # columns that only chains have
_NEW: Mapping[str, Any] = {"statements": ()}  # columns that a row may lack
_ABOVE = 3  # folders above a file that may be the one it belongs to


@dataclass(frozen=True)
class ChainData:
    """Chains, and what they are about.

    Args:
        path: where they are; a word for chains in memory.
        world: of the puzzles.
        assume: what they were judged under; None if that is not known.
        parts: the chains of each subset and split.
        about: the manifest of their folder; empty if there is none.
    """

    path: Location
    world: World
    assume: str | None
    parts: Mapping[tuple[str, str], tuple[Chain, ...]]
    about: Mapping[str, Any]

    def split(self, name: str | None) -> dict[str, list[Chain]]:
        """Return the chains of a split by subset; None or "all" for those of every split.

        None is test, where there is one.
        """
        splits = {split for _, split in self.parts}
        if name is None:
            name = "test" if "test" in splits else "all"
        found: dict[str, list[Chain]] = {}
        for (subset, split), chains in self.parts.items():
            if name == "all" or split in (name, UNSPLIT):
                found.setdefault(subset, []).extend(chains)
        if not found:
            raise DataError(f"no {name} chains, only {', '.join(sorted(splits))}", place=self.path)
        return found


def are_chains(given: Any) -> bool:
    """Return whether something given as data holds chains, and not puzzles."""
    if isinstance(given, Chains):
        return True
    if isinstance(given, list | tuple) and given:
        return all(isinstance(one, Chain) for one in given)
    if not is_location(given):
        return False
    place = parse_location(given)
    if (place / MANIFEST).is_file():
        return load_json(place / MANIFEST).get("kind") == KIND
    return place.is_file() and set(_columns(DataFile(place, place.name))) >= _TELLING


def _columns(source: DataFile) -> Iterable[str]:
    """Return the columns of a file; none where it cannot be read."""
    try:
        if source.parquet:
            return list(source.parquet_schema().names)
        return next((list(record) for _, record, _ in records(source, at_once=1)), [])
    except DataError:
        return []


def open_chains(given: Any, world: Any = None) -> ChainData:
    """Return chains, however they are given. world: to be used instead of their own."""
    if isinstance(given, Chains):
        chains = tuple(given)
        return ChainData(Path("chains"), given.world, given.assume, _parts(chains), {})
    if not is_location(given):
        chains = tuple(given)
        told = load_world(world if world is not None else chains[0].world)
        return ChainData(Path("chains"), told, None, _parts(chains), {})
    place = parse_location(given)
    folder = _folder(place)
    about = {} if folder is None else load_json(folder / MANIFEST)
    found: dict[tuple[str, str], list[Chain]] = {}
    for source in sources(place):
        key = source.subset or "all", source.split or UNSPLIT
        found.setdefault(key, []).extend(_read(source))
    names = {chain.world for chains in found.values() for chain in chains}
    if not names:
        raise DataError("no chain is there", place=place)
    parts = {key: tuple(chains) for key, chains in found.items() if chains}
    if world is None and folder is not None and (folder / WORLD).is_dir():
        world = folder / WORLD
    told = load_world(world if world is not None else min(names))
    assume = about.get("assume")
    return ChainData(place, told, assume, parts, about)


def _parts(chains: tuple[Chain, ...]) -> dict[tuple[str, str], tuple[Chain, ...]]:
    """Return chains in memory by subset; they are of no split."""
    found: dict[tuple[str, str], list[Chain]] = {}
    for chain in chains:
        found.setdefault((f"M{chain.k}", UNSPLIT), []).append(chain)
    return {key: tuple(some) for key, some in found.items()}


def _read(source: DataFile) -> Iterator[Chain]:
    """Yield the chains of a file. Raises RowError for a row that is none."""
    for place, row, _ in records(source):
        try:
            yield Chain.of_row({**_NEW, **row})
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            what = f"the column {error} is missing" if isinstance(error, KeyError) else str(error)
            raise source.error(f"not a chain: {what}", place) from None


def _folder(place: Location) -> Location | None:
    around = [place, *place.absolute().parents[:_ABOVE]] if place.is_file() else [place]
    return next((one for one in around if (one / MANIFEST).is_file()), None)
