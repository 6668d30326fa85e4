"""Questions of books for training: rows with messages, completions with proofs, and rewards."""

from collections.abc import Sequence
from typing import Any

from clutrr._books.asking import answer_line, messages, with_preface
from clutrr._books.book import Books
from clutrr._books.load import open_book
from clutrr._score.books import book_reward_of

ARTICLES = ("gold", "whole")


class BookQuestions:
    """Questions of books without end, as training wants them.

    - books: of `clutrr.book`
    - articles: which are in the prompt: gold (those with the evidence), or whole (the book)

    >>> from clutrr import book
    >>> rows = BookQuestions(book(entities=40, questions=10, seed=1))
    >>> rows.row(3)["completion"][0]["content"].splitlines()[-1].startswith("Answer: ")
    True
    """

    def __init__(self, books: Books, articles: str = ARTICLES[0]) -> None:
        self.books, self._whole = books, articles == "whole"

    def row(self, number: int) -> dict[str, Any]:
        """Return question `number`: prompt, completion, and what a reward needs."""
        one = self.books[number]
        opened = open_book(self.books.book(number // self.books.config.questions))
        known = opened.articles if self._whole else [opened.by_id[name] for name in one.articles]
        said = f"{one.proof}\n\n{answer_line(one)}"
        return {
            "id": f"{number // self.books.config.questions}-{one.id}",
            "prompt": list(messages(one, with_preface(known, opened))),
            "completion": [{"role": "assistant", "content": said}],
            "answers": list(one.answers),
            "form": one.form,
            "hops": one.hops,
        }

    @staticmethod
    def reward(
        completions: Sequence[Any], answers: Sequence[Sequence[str]], form: Sequence[str], **_: Any
    ) -> list[float]:
        """Return the reward of each reply, from 0 to 1: columns as trainers give them.

        - completions: replies, as texts or as messages
        """
        said = [one if isinstance(one, str) else one[-1]["content"] for one in completions]
        return [
            book_reward_of(reply, kind, right)
            for reply, kind, right in zip(said, form, answers, strict=True)
        ]
