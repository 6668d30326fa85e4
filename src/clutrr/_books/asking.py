"""Questions of books as messages for a language model: with the whole book, the best articles, or the evidence's own."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clutrr._books.articles import Article
from clutrr._books.load import OpenBook
from clutrr._books.questions import BookQuestion
from clutrr._books.retrieve import Searcher
from clutrr._books.vocabulary import PREFACE
from clutrr.errors import ConfigError

BOOK_PROMPT_VERSION = "1"
_TASK = """\
Answer a question about a book from its articles alone. What an article does not say is not known, unless a sentence says that a list \
is complete. The answer is a set: all that are asked for."""
_TOLD = {
    "who": "all names, with semicolons between them, or none",
    "what": "the name or the word",
    "how-many": "the number",
    "which": "all names, with semicolons between them, or none",
    "yes-no": "yes or no",
    "compare": "the name",
}
CANNOT_LINE = "If the book leaves several answers possible, answer: cannot be told."
DIRECT = "Reply with one line and nothing else:"
REASONED = "Reason step by step, and then end with this line:"


@dataclass(frozen=True)
class BookPrompt:
    """A question as messages. shown: the ids of the articles in it."""

    question: BookQuestion
    messages: tuple[dict[str, str], ...]
    shown: tuple[str, ...]


def book_prompts(
    book: OpenBook,
    limit: int | None = None,
    *,
    top: int | None = None,
    gold: bool = False,
    direct: bool = False,
) -> Iterator[BookPrompt]:
    """Yield the questions of a book as messages.

    Args:
        book: the book.
        limit: at most so many questions, spread evenly.
        top: so many articles, those that fit the question best; None for all.
        gold: the articles that hold the evidence, instead.
        direct: whether to ask for the answer at once.
    """
    if top is not None and gold:
        raise ConfigError("give only one of them", setting="top, gold")
    if top is not None and top < 1:
        raise ConfigError("is below 1", setting="top", value=top)
    if limit is not None and limit < 1:
        raise ConfigError("is below 1", setting="limit", value=limit)
    searcher = Searcher(book.articles) if top is not None else None
    for one in spread(book.questions, limit):
        if gold:
            shown = [book.by_id[name] for name in one.articles if name in book.by_id]
        elif searcher is not None:
            assert top is not None
            shown = searcher.search(one.question, top)
        else:
            shown = book.articles
        shown = with_preface(shown, book)
        yield BookPrompt(one, messages(one, shown, direct), tuple(article.id for article in shown))


def spread(questions: Sequence[BookQuestion], limit: int | None) -> Sequence[BookQuestion]:
    """Return at most so many questions, spread evenly."""
    if limit is None or limit >= len(questions):
        return questions
    return [questions[number * len(questions) // limit] for number in range(limit)]


def with_preface(articles: Sequence[Article], book: OpenBook) -> list[Article]:
    """Return articles with the preface before them: it says what words mean."""
    rest = [one for one in articles if one.id != PREFACE]
    return [book.by_id[PREFACE], *rest] if PREFACE in book.by_id else rest


def messages(
    one: BookQuestion, articles: Sequence[Article], direct: bool = False
) -> tuple[dict[str, str], ...]:
    """Return a question with articles as the messages of a chat."""
    told = "\n\n".join(f"# {article.title}\n{article.text}" for article in articles)
    content = f"{_TASK}\n\n{told}\n\n{asked(one, direct)}"
    return ({"role": "user", "content": content},)


def asked(one: BookQuestion, direct: bool = False) -> str:
    """Return a question, and how its answer should look."""
    how = DIRECT if direct else REASONED
    line = f"Answer: <{_TOLD[one.form]}>"
    return f"Question: {one.question}\n{CANNOT_LINE}\n{how}\n{line}"


def answer_line(one: BookQuestion) -> str:
    """Return the line that a right reply ends with."""
    return f"Answer: {'; '.join(one.answers)}"
