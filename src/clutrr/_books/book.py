"""`clutrr.book`: books as a sequence of questions, or as a folder."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from typing import Any, overload

from clutrr._arguments import LocationLike, with_settings
from clutrr._books.articles import Article, Writer
from clutrr._books.config import BookConfig, config_of, worlds_of
from clutrr._books.draw import BLOCK
from clutrr._books.folder import BookJob, settled, write_book
from clutrr._books.questions import Asker, BookQuestion
from clutrr._books.scene import Scene
from clutrr._config import DEFAULT_WORLD
from clutrr._data.given import WorldLike
from clutrr._io.executors import open_executor
from clutrr._io.locations import parse_location
from clutrr._lexicon import World
from clutrr._worlds import load_world
from clutrr.errors import ConfigError, Give, Hint

_NAMED = {"parts", "number", "entities", "questions", "seed"}
_SETTINGS = (*(one.name for one in fields(BookConfig) if one.name not in _NAMED), "with_")
_KEPT = 4  # books of a stream


@dataclass(frozen=True)
class Book:
    """One book, made when it is looked at.

    - config: what it was asked to be
    - world: of its main part
    """

    config: BookConfig
    world: World

    @cached_property
    def _scene(self) -> Scene:
        return Scene(self.config, worlds_of(self.world, self.config))

    @cached_property
    def articles(self) -> list[Article]:
        """The articles, the preface first."""
        writer = Writer(self._scene)
        return [article for number in range(writer.shards) for article in writer.shard(number)]

    @cached_property
    def questions(self) -> list[BookQuestion]:
        """The questions."""
        size = self.config.questions
        return [self.question(number) for number in range(size)]

    @cached_property
    def _asker(self) -> Asker:
        return Asker(self._scene)

    @lru_cache(_KEPT)  # noqa: B019  a book keeps the questions that were drawn together
    def _block(self, number: int) -> list[BookQuestion]:
        start = number * BLOCK
        return self._asker.block(number, start, min(BLOCK, self.config.questions - start))

    def question(self, number: int) -> BookQuestion:
        """Return one question."""
        if not 0 <= number < self.config.questions:
            raise IndexError(f"question {number} of {self.config.questions}")
        return self._block(number // BLOCK)[number % BLOCK]


class Books:
    """Books without end: item i is question i % n of book i // n, of n questions each; `book(b)` is a whole book."""

    def __init__(self, config: BookConfig, world: World) -> None:
        self.config, self.world = settled(config, world), world
        self._book = lru_cache(_KEPT)(self._made)

    def __reduce__(self) -> tuple[Any, ...]:
        return Books, (self.config, self.world)

    def __repr__(self) -> str:
        parts = ", ".join(self.config.parts)
        return f"<books about {parts} without end, {self.config.split}, seed {self.config.seed}>"

    def _made(self, number: int) -> Book:
        return Book(replace(self.config, number=self.config.number + number), self.world)

    def book(self, number: int = 0) -> Book:
        """Return a book."""
        if number < 0:
            raise IndexError(f"book {number} of a sequence that begins at 0")
        return self._book(number)

    @overload
    def __getitem__(self, number: int) -> BookQuestion: ...
    @overload
    def __getitem__(self, number: slice) -> list[BookQuestion]: ...
    def __getitem__(self, number: int | slice) -> BookQuestion | list[BookQuestion]:
        if isinstance(number, slice):
            if number.stop is None:
                raise IndexError("a slice of books needs an end: books[:100]")
            return [self[i] for i in range(number.start or 0, number.stop, number.step or 1)]
        if number < 0:
            raise IndexError(f"item {number} of books, which begin at 0 and have no end")
        return self.book(number // self.config.questions).question(number % self.config.questions)

    def __iter__(self) -> Iterator[BookQuestion]:
        number = 0
        while True:
            yield self[number]
            number += 1


@overload
def book(
    out: None = None,
    *,
    world: WorldLike = DEFAULT_WORLD,
    entities: int = BookConfig.entities,
    questions: int = BookConfig.questions,
    seed: int = BookConfig.seed,
    **settings: Any,
) -> Books: ...
@overload
def book(
    out: LocationLike,
    *,
    world: WorldLike = DEFAULT_WORLD,
    entities: int = BookConfig.entities,
    questions: int = BookConfig.questions,
    seed: int = BookConfig.seed,
    workers: int | None = None,
    cluster: str | None = None,
    force: bool = False,
    tick: Callable[[int], None] = ...,
    **settings: Any,
) -> dict[str, Any]: ...
@with_settings(*_SETTINGS)
def book(
    out: LocationLike | None = None,
    *,
    world: WorldLike = DEFAULT_WORLD,
    entities: int = BookConfig.entities,
    questions: int = BookConfig.questions,
    seed: int = BookConfig.seed,
    workers: int | None = None,
    cluster: str | None = None,
    force: bool = False,
    tick: Callable[[int], None] = lambda more: None,
    **settings: Any,
) -> Books | dict[str, Any]:
    """Return books: one large scene each, told in articles, with questions whose answers are proved.

    With `out`, write a book to a folder instead, as `clutrr book` does, and return its manifest.

    - world: what the book is about: kinship, order, time, regions, directions, or a folder of one of these
    - entities: of its main part; the other parts have fewer
    - questions: of a book
    - out: a folder or its URL
    - workers: how many processes write the folder
    - cluster: the address of a Dask scheduler, whose workers write it
    - force: whether to replace what is there
    - tick: called with how many more articles and questions are written
    - settings: `with_` (what else the book is about: "families,ages,places,regions,events"), `tokens` (instead of
      entities, how long it is), `hops`, `forms`, `unanswerable`, `distractors`, `style` and `split`, as for
      `clutrr book`

    >>> books = book(with_="ages", entities=60, questions=20)
    >>> books[0].question == books.book(0).questions[0].question
    True
    """
    told = load_world(world)
    given = {"entities": entities, "questions": questions, "seed": seed, **settings}
    config = config_of(told, given)
    if out is None:
        of_folder = {"workers": workers, "cluster": cluster, "force": force or None}
        for name, value in of_folder.items():
            if value is not None:
                hint = Hint("name one: {}", (Give("out"),))
                raise ConfigError("it is for a folder", setting=name, hint=hint)
        if config.questions < 1:
            raise ConfigError("is below 1", setting="questions", value=config.questions)
        return Books(config, told)
    if cluster is not None and workers is not None:
        raise ConfigError("give only one of them", setting="workers, cluster")
    job = BookJob(parse_location(out), config, told, workers, force)
    with open_executor(cluster, None) as executor:
        return write_book(job, tick, executor)
