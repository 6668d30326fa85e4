"""Data to another format: all of it, the rows that the solver approves of, or with targets put right."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from clutrr._arguments import LocationLike, public
from clutrr._audit.rows import chosen
from clutrr._books.convert import convert_book
from clutrr._books.load import is_book, open_book
from clutrr._data.convert import Target, write_dataset
from clutrr._data.given import DataLike, GivenColumns, WorldLike, open_data
from clutrr._data.part import Notes
from clutrr._io.locations import Location, parse_location
from clutrr.errors import ConfigError


@dataclass(frozen=True)
class Converted:
    """What was written.

    - out, format: where, and how
    - rows: how many puzzles
    - kept: how they were chosen; empty if all were kept
    - losses: what the output could not hold, in words
    - notes: what could not be read
    """

    out: Location
    format: str
    rows: int
    kept: Mapping[str, str]
    losses: tuple[str, ...]
    notes: Notes

    def to_json(self) -> dict[str, Any]:
        """Return everything as plain data."""
        about = {"out": str(self.out), "format": self.format, "rows": self.rows}
        lost = {"kept": dict(self.kept), "losses": list(self.losses)}
        return {**about, **lost, **self.notes.to_json()}


@public
def convert(
    data: DataLike,
    out: LocationLike,
    *,
    to: str | None = None,
    world: WorldLike | None = None,
    only: str | None = None,
    allow_unread: bool = False,
    relabel: bool = False,
    columns: GivenColumns = None,
    assume: str | None = None,
    facts: bool = False,
    skip_bad: bool = False,
    force: bool = False,
    say: Callable[[str], None] = lambda loss: None,
    tick: Callable[[int], None] = lambda rows: None,
) -> Converted:
    """Convert data from any known format to another, keep part of it, or repair its targets.

    - out: a file (.parquet, .csv, .jsonl) or a folder; of a book, a folder with a file of articles and one of questions
    - to: the format; by default that of the name of `out`, and parquet for a folder
    - only: keep rows that are proved, entailed, undetermined, refuted, contradictory or unread
    - allow_unread: whether to keep what is proved from what was read, although some of the text was not understood
    - relabel: whether the proved answer replaces a target that is refuted
    - columns: where what is in them, "story=text,query=a+b,target=label", or the same as a dictionary
    - assume: which scenes are possible, for `only` and `relabel`; by default what the data was made under
    - facts: whether to trust the facts column where the text was not seen to state it
    - skip_bad: whether to leave out rows and files that cannot be read
    - force: whether to replace what is there
    - say: called with each loss, before the output takes its place
    - tick: called with how many more puzzles are done

    >>> from clutrr import generate
    >>> convert(generate(k=2, size=3), "three.csv").rows
    3
    """
    if is_book(data):
        settings = {"only": only, "relabel": relabel, "columns": columns, "facts": facts}
        for name, value in (settings | {"assume": assume, "allow_unread": allow_unread}).items():
            if value:
                raise ConfigError("is for puzzles, and the data is a book", setting=name)
        place, form = parse_location(out), to or "parquet"
        written = convert_book(open_book(data), place, form, force)
        return Converted(place, form, sum(written.values()), {}, (), Notes())
    target = Target.of(parse_location(out), to)
    opened = open_data(data, world, columns, skip_bad)
    named = None if assume is None else opened.world.theory.assumption(assume).name
    wanted, kept = chosen(opened, only, named, facts, relabel, allow_unread)
    losses: list[str] = []

    def lose(loss: str) -> None:
        losses.append(loss)
        say(loss)

    rows = write_dataset(wanted, target, force, lose, tick, kept)
    return Converted(target.out, target.form, rows, kept, tuple(losses), opened.notes)
