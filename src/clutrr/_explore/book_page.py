"""A page on which to look at a book: its questions, their proofs, and articles that link each other."""

import json
from importlib import resources

from clutrr._books.asking import spread
from clutrr._books.load import OpenBook
from clutrr._books.vocabulary import PREFACE

_ARTICLES = 20_000  # on a page, at most: those with evidence come first


def book_page(book: OpenBook, limit: int) -> tuple[str, int]:
    """Return the page, and how many questions it shows. limit: at most so many of them."""
    questions = spread(book.questions, limit)
    wanted = dict.fromkeys((PREFACE, *(name for one in questions for name in one.articles)))
    every = dict.fromkeys((*wanted, *book.by_id))
    shown = [book.by_id[name] for name in list(every)[:_ARTICLES] if name in book.by_id]
    content = {
        "articles": [
            {
                "id": one.id,
                "title": one.title,
                "text": one.text,
                "statements": [
                    {"key": told.key, "start": told.start, "end": told.end}
                    for told in one.statements
                ],
            }
            for one in shown
        ],
        "questions": [
            {
                "question": one.question,
                "form": one.form,
                "hops": one.hops,
                "answers": one.answers,
                "evidence": one.evidence,
                "articles": one.articles,
                "proof": one.proof,
            }
            for one in questions
        ],
    }
    data = json.dumps(content, ensure_ascii=False).replace("<", "\\u003c")
    page = (resources.files("clutrr._explore") / "book.html").read_text(encoding="utf-8")
    return page.replace("DATA", data, 1), len(questions)
