"""Twelve questions of a book with their proofs, for the page on books: two of each form.

python tools/book_gallery.py          brings docs/books.md up to date
"""

from pathlib import Path

import clutrr
from clutrr._books.questions import BookQuestion

PAGE = Path(__file__).parents[1] / "docs" / "books.md"
START, END = "<!-- gallery -->\n", "<!-- end of the gallery -->\n"
FORMS = ("who", "what", "how-many", "which", "yes-no", "compare")
_LONGEST = 8  # lines of a proof


def gallery() -> str:
    """Return the questions as Markdown."""
    books = clutrr.book(with_="ages,places,regions,events", entities=200, questions=400, seed=7)
    questions = books.book(0).questions
    picked: list[BookQuestion] = []
    for form in FORMS:
        fitting = [one for one in questions if one.form == form and one not in picked]
        usual = [one for one in fitting if one.evidence and 2 <= one.hops <= 5]
        across = [one for one in usual if len(one.theories) > 1] or usual
        picked.append(next(one for one in across if one.proof.count("\n") <= _LONGEST))
        rest = [one for one in usual if one not in picked] if form != "yes-no" else fitting
        wanted = [one for one in rest if not one.evidence] if form == "yes-no" else rest
        picked.append(next(one for one in wanted if one.proof.count("\n") <= _LONGEST))
    return "\n".join(_shown(number, one) for number, one in enumerate(picked, 1))


def _shown(number: int, one: BookQuestion) -> str:
    theories = " and ".join(one.theories) or "links alone"
    hops = "1 hop" if one.hops == 1 else f"{one.hops} hops"
    return (
        f"{number}. **{one.question}** {'; '.join(one.answers)} ({one.form}, {hops}, {theories})\n\n"
        "   ```text\n" + "".join(f"   {line}\n" for line in one.proof.split("\n")) + "   ```\n"
    )


def main() -> None:
    """Put the questions into the page."""
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(START)
    after = rest.split(END)[1]
    PAGE.write_text(before + START + gallery() + END + after, encoding="utf-8")


if __name__ == "__main__":
    main()
