"""Questions of books put to a language model."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from clutrr._ask.prompter import Prompt
from clutrr._books.asking import BOOK_PROMPT_VERSION, BookPrompt, book_prompts
from clutrr._books.load import OpenBook
from clutrr._score.replies import QuestionForm
from clutrr.errors import ConfigError

_NOT_FOR_BOOKS = ("shots", "omit", "prompt_language")
_SUBSET = "book"


@dataclass(frozen=True)
class BookQuestionPrompt(Prompt):
    """A question of a book. k: its hops. book: more about it. whole: whether to write the messages, too."""

    book: BookPrompt | None = None
    whole: bool = True

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON lines."""
        assert self.book is not None
        one = self.book.question
        return {
            "id": self.id,
            "subset": self.subset,
            **({"messages": list(self.messages)} if self.whole else {}),
            "answers": list(one.answers),
            "form": one.form,
            "hops": one.hops,
            "theories": list(one.theories),
            "shown": list(self.book.shown),
            "book_prompt_version": BOOK_PROMPT_VERSION,
        }


def questions_of_book(
    book: OpenBook,
    limit: int | None,
    settings: Mapping[str, Any],
    top: int | None = None,
    gold: bool = False,
    whole: bool = True,
) -> Iterator[BookQuestionPrompt]:
    """Yield the questions of a book as messages.

    Args:
        book: the book.
        limit: at most so many questions.
        settings: `direct`: whether to ask for the answer at once.
        top: so many articles, found by words; None for all.
        gold: the articles with the evidence, instead.
        whole: whether a line of a file of replies holds the messages, which may be a whole book.
    """
    for name in _NOT_FOR_BOOKS:
        if settings.get(name):
            raise ConfigError("is for puzzles, and the data is a book", setting=name)
    if settings.get("form", "which") != "which":
        raise ConfigError("is for puzzles, and the data is a book", setting="form")
    direct = bool(settings.get("direct"))
    for one in book_prompts(book, limit, top=top, gold=gold, direct=direct):
        question = one.question
        yield BookQuestionPrompt(
            id=question.id,
            subset=_SUBSET,
            k=question.hops,
            messages=one.messages,
            answer="; ".join(question.answers),
            asked=QuestionForm("which", (), ()),
            target="",
            book=one,
            whole=whole,
        )
