"""Upper bounds on input and output sizes.

The limits are far above what data of this kind needs: they are there so that a broken or hostile file,
or a typing error, ends in one line instead of using up all memory. The environment
variable CLUTRR_LIMITS raises all of them: with CLUTRR_LIMITS=10 each is ten times as high.
"""

import math
import os

from clutrr.errors import ConfigError

VARIABLE = "CLUTRR_LIMITS"
RAISE = f"set {VARIABLE}=10 to raise every limit tenfold"  # how messages end

LINE = 1 << 22  # bytes in a line of a file, characters in a row of it
CELL = 1 << 20  # characters in a cell
COLUMNS = 1_000  # of a file
UNPACKED = 1 << 26  # bytes that any file may unpack to
UNPACKED_RATIO = 200  # how many times its size a file may unpack to besides
WORLD_FILE = 1 << 22  # bytes in a file of a world, of an experiment or of settings
RECORD_FILE = 1 << 26  # bytes in a manifest, a record or a file of results
OBJECTS = 100_000  # files in a folder at a URL
FETCHED = 1 << 33  # bytes of a file that is copied from a URL
DEPTH = 50  # lists within lists in such a file
FACTS = 1_000  # in a story
ROUTE = 100  # facts of a route in which rules are looked for
STORIES = 100_000_000  # to generate at once
# What a model reads. Stories are padded to the largest, so a single huge one makes all of them costly.
ENTITIES = 400  # people and values of a story
NAMES = 40  # mentions in a sentence, of which each pair is a link
ROOM = 1 << 28  # words of all stories
CELLS = 20_000  # of a table of results: models, training sets and test sets multiplied
# A pretrained encoder that a model reads with.
ENCODER_FILE = 1 << 26  # bytes in a file of its tokenizer
ENCODER_WEIGHTS = 1 << 30
ENCODER_COUNT = 1 << 20  # any number in its settings
ENCODER_LAYERS = 10_000  # all the numbers of layers, groups and experts there, multiplied


def limit(normal: int) -> int:
    """Return the limit, times what the environment asks for."""
    text = os.environ.get(VARIABLE, "1")
    try:
        factor = float(text)
    except ValueError:
        factor = math.nan
    if not 1 <= factor < 1e6:
        raise ConfigError("is not a number from 1 to a million", place=VARIABLE, value=text)
    return int(normal * factor)


class UnpackedError(ValueError):
    """A file unpacks to too much."""


class UnpackBudget:
    """The bytes that a file may unpack to while it is read once.

    Whoever opens a packed file has one, and counts what comes out of it: bytes of gzip, rows of Parquet with
    their texts written out, and the dictionaries of these.
    """

    def __init__(self, stored: int) -> None:
        self._most = limit(UNPACKED + UNPACKED_RATIO * stored)
        self._spent = 0

    def check(self, size: int) -> None:
        """Raise UnpackedError if so many more bytes are too many."""
        if self._spent + size > self._most:
            raise UnpackedError(f"it unpacks to more than {self._most >> 20} MB: {RAISE}")

    def spend(self, size: int) -> None:
        """Count bytes that were unpacked. Raises UnpackedError if they are too many."""
        self.check(size)
        self._spent += size
