"""What an agent can do with a book: search, and open articles."""

from clutrr._books.articles import Article
from clutrr._books.load import OpenBook
from clutrr._books.retrieve import Searcher

INSTRUCTIONS = """\
Answer a question about a book. Search its articles and open those that you need; each is about one person, town, region or fair, and is \
opened by its name. What an article does not say is not known, unless a sentence says that a list is complete. The answer is a set: \
all that are asked for."""
_BEGINNING = 120  # characters of an article in a list


class Library:
    """The articles of a book, with what its tools say. top: how many articles a search finds."""

    def __init__(self, book: OpenBook, top: int = 5) -> None:
        self._by_title = {article.title.lower(): article for article in book.articles}
        self._searcher, self._top = Searcher(book.articles), top

    def find(self, title: str) -> Article | None:
        """Return the article of a title."""
        return self._by_title.get(title.strip().lower())

    def open(self, title: str) -> str:
        """Return the text of an article, or that there is none."""
        found = self.find(title)
        return f"There is no article {title!r}." if found is None else found.text

    def search(self, query: str) -> str:
        """Return the titles of the articles that fit best, each with its beginning."""
        found = self._searcher.search(query, self._top)
        if not found:
            return "Nothing was found."
        return "\n".join(f"{one.title}: {one.text[:_BEGINNING]} ..." for one in found)
