"""Articles found by words: BM25, by the library bm25s."""

from collections.abc import Sequence
from functools import cached_property

from clutrr._books.articles import Article
from clutrr._books.vocabulary import PREFACE


class Searcher:
    """Finds articles. The preface is never among them: it is shown anyway."""

    def __init__(self, articles: Sequence[Article]) -> None:
        self._articles = [one for one in articles if one.id != PREFACE]

    @cached_property
    def _index(self):  # type: ignore[no-untyped-def]
        import bm25s

        texts = [
            f"{one.title}. {one.title}. {one.text}" for one in self._articles
        ]  # titles count twice
        index = bm25s.BM25()
        index.index(bm25s.tokenize(texts, stopwords="en", show_progress=False), show_progress=False)
        return index

    def search(self, query: str, top: int) -> list[Article]:
        """Return the articles that fit best, the best one first."""
        import bm25s

        wanted = bm25s.tokenize(query, stopwords="en", show_progress=False)
        found, scores = self._index.retrieve(
            wanted, k=min(top, len(self._articles)), show_progress=False
        )
        return [
            self._articles[int(number)]
            for number, score in zip(found[0], scores[0], strict=True)
            if score > 0
        ]
