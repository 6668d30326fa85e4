"""Books read back: a folder, or books in memory."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from clutrr._books.articles import Article
from clutrr._books.book import Book, Books
from clutrr._books.config import BookConfig, worlds_of
from clutrr._books.folder import BOOK, KINDS
from clutrr._books.questions import BookQuestion
from clutrr._books.table import ARTICLES, QUESTIONS, article_of, question_of
from clutrr._data import WORLD
from clutrr._display import Shown
from clutrr._io.files import files_in, local_copy
from clutrr._io.locations import Location, is_location, parse_location
from clutrr._io.manifests import MANIFEST, differences, sealed_in
from clutrr._io.records import load_json
from clutrr._lexicon import World
from clutrr._worlds import load_world
from clutrr.errors import DataError


@dataclass(frozen=True)
class OpenBook:
    """A book to be looked at.

    - path: its folder; a word for a book in memory
    - config: what it was asked to be
    - world: of its main part
    - manifest: what its folder says of it
    """

    path: Location | str
    config: BookConfig
    world: World
    manifest: Mapping[str, Any]
    made: Book | None = None

    @cached_property
    def worlds(self) -> dict[str, World]:
        """What tells each part."""
        return worlds_of(self.world, self.config)

    @cached_property
    def articles(self) -> list[Article]:
        """The articles, the preface first."""
        if self.made is not None:
            return self.made.articles
        return [article_of(row) for row in self._rows("articles", ARTICLES)]

    @cached_property
    def questions(self) -> list[BookQuestion]:
        """The questions."""
        if self.made is not None:
            return self.made.questions
        return [question_of(row) for row in self._rows("questions", QUESTIONS)]

    @cached_property
    def by_id(self) -> dict[str, Article]:
        """The articles by their ids."""
        return {article.id: article for article in self.articles}

    def damage(self) -> dict[str, str]:
        """Return the files that are not as the manifest says."""
        if isinstance(self.path, str):
            return {}
        return dict(differences(self.path, sealed_in(self.path, dict(self.manifest))))

    def _rows(self, kind: str, schema: pa.Schema) -> Iterator[dict[str, Any]]:
        assert not isinstance(self.path, str)
        names = sorted(name for name in files_in(self.path) if name.startswith(f"data/{kind}/"))
        if not names:
            raise DataError(f"has no {kind}", place=self.path)
        for name in names:
            with local_copy(self.path / name) as file:
                try:
                    table = pq.read_table(file)
                except (pa.ArrowException, OSError) as error:
                    raise DataError(f"cannot be read: {error}", place=self.path / name) from None
            if not set(schema.names) <= set(table.column_names):
                missing = sorted(set(schema.names) - set(table.column_names))
                raise DataError(f"lacks the columns {', '.join(missing)}", place=self.path / name)
            yield from table.select(schema.names).to_pylist()


def is_book(given: Any) -> bool:
    """Return whether something given as data is a book."""
    if isinstance(given, Books | Book | OpenBook):
        return True
    if not is_location(given):
        return False
    place = parse_location(given)
    try:
        return place.is_dir() and BOOK in load_json(place / MANIFEST)
    except OSError:
        return False


def open_book(given: Any) -> OpenBook:
    """Return a book, however it is given: a folder, a book, or the first of many."""
    if isinstance(given, OpenBook):
        return given
    if isinstance(given, Books):
        given = given.book(0)
    if isinstance(given, Book):
        return OpenBook("book", given.config, given.world, {}, given)
    place = parse_location(given)
    manifest = load_json(place / MANIFEST)
    known = {one.name for one in fields(BookConfig)}
    try:
        asked: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in manifest[BOOK].items()
            if name in known
        }
        config = BookConfig(**asked)
    except (AttributeError, KeyError, TypeError):
        raise DataError("what it says of the book cannot be read", place=place / MANIFEST) from None
    return OpenBook(place, config, load_world(place / WORLD), manifest)


@dataclass(frozen=True, repr=False)
class BookInfo(Shown):
    """A book, counted.

    - book: what was opened
    - damage: files that are not as its manifest says
    """

    book: OpenBook
    damage: Mapping[str, str]

    @property
    def caption(self) -> str:
        counts = self._counts
        return (
            f"{self.book.path}: a book about {', '.join(self.book.config.parts)}: {counts['articles']:,} articles, "
            f"{self.book.manifest.get('tokens', 0):,} tokens, {counts['questions']:,} questions"
        )

    @property
    def _counts(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.book.manifest["counts"]
        return found

    def rows(self) -> Iterator[list[str]]:
        yield ["questions", "number"]
        for kind in ("hops", "forms", "theories"):
            for name, number in sorted(self._counts[kind].items()):
                yield [f"{name} hops" if kind == "hops" else name, f"{number:,}"]
        yield ["cannot be told", f"{self._counts['cannot']:,}"]

    def to_json(self) -> dict[str, Any]:
        """Return everything as plain data."""
        manifest = self.book.manifest
        names = ("tokens", "token_rule", "counts", "shortcuts", "canary")
        found = {name: manifest[name] for name in names if name in manifest}
        return {"book": self.book.config.to_dict(), **found, "damage": dict(self.damage)}


def book_info(book: OpenBook) -> BookInfo:
    """Return what a book is. It may be one in memory, which is counted."""
    if "counts" not in book.manifest:
        book = OpenBook(book.path, book.config, book.world, _counted(book), book.made)
    return BookInfo(book, book.damage())


def _counted(book: OpenBook) -> dict[str, Any]:
    from clutrr._books.counts import TOKEN_RULE, Counts

    counts, titles = Counts(), {article.title: article.text for article in book.articles}
    counts.add_articles(book.articles)
    for one in book.questions:
        counts.add_question(one, titles.get(one.plan.route.names[0], ""))
    shortcuts = counts.shortcuts()
    about = {"counts": counts.to_json(), "tokens": counts.tokens, "token_rule": TOKEN_RULE}
    return {**about, "shortcuts": shortcuts}


__all__ = ["KINDS", "BookInfo", "OpenBook", "book_info", "is_book", "open_book"]
