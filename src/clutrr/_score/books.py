"""Replies to the questions of books: read, scored by hops, form and theory, and rewarded."""

import csv
import io
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clutrr._books.load import OpenBook
from clutrr._books.plans import CANNOT, NO, NONE, YES
from clutrr._books.questions import BookQuestion
from clutrr._books.sentences import NUMBERS
from clutrr._books.vocabulary import PREFACE
from clutrr._display import Shown
from clutrr._io.files import read_whole
from clutrr._io.limits import RECORD_FILE
from clutrr._io.locations import Location, is_location, parse_location
from clutrr._io.records import parse_json
from clutrr._measure import percent
from clutrr._score.replies.reader import read_answer
from clutrr.errors import ArgumentError, DataError

_LINE = re.compile(r"answer\s*(?:is)?\s*[:\uff1a]\s*(.+?)\s*$", re.IGNORECASE | re.MULTILINE)
_BOXED = re.compile(r"\\boxed\{(.*?)\}|<answer>(.*?)</answer>", re.DOTALL | re.IGNORECASE)
_OPEN = re.compile(
    r"\b(cannot|can't|can not|can\u2019t) be (told|known|determined|answered)\b|\bunknown\b", re.I
)
_NONE = re.compile(r"\A(none|nobody|no one|no-one|nothing)\b", re.I)
_SPLIT = re.compile(r"\s*(?:;|,|\n|\band\b)\s*")
_NAMES = re.compile(
    r"[A-Z][\w-]*(?: [A-Z][\w-]*){0,2}(?:(?:; |, | and )[A-Z][\w-]*(?: [A-Z][\w-]*){0,2})*|none"
)
# What is taken for an answer without its being marked, by the form of the question.
_BARE = {
    "who": _NAMES,
    "which": _NAMES,
    "compare": _NAMES,
    "what": re.compile(r"[\w-]+(?: [\w-]+){0,3}"),
    "how-many": re.compile(r"\d+|[a-z]+", re.I),
    "yes-no": re.compile(r"yes|no", re.I),
}
_TRIMMED = " .*_`\"'\u201c\u201d\u2018\u2019[]()"


@dataclass(frozen=True)
class BookReply:
    """A reply to a question of a book.

    Args:
        text: of the reply, or the answer alone.
        opened: the ids of the articles that it rests on; None where that is not known.
        tokens: read and written, if that is known.
        calls: how many requests it took.
        bare: whether it is an answer alone.
    """

    text: str
    opened: frozenset[str] | None = None
    tokens: int | None = None
    calls: int | None = None
    bare: bool = False


def read_reply(reply: BookReply, one: BookQuestion) -> tuple[str, ...] | None:
    """Return the answers that a reply gives, in the words of books; None if there are none to be read."""
    return _read(reply, one.form)


def _read(reply: BookReply, form: str) -> tuple[str, ...] | None:
    said = reply.text.strip()
    marked = _BOXED.findall(said) or _LINE.findall(said)
    if marked:
        last = marked[-1]
        said = (last[0] or last[1]) if isinstance(last, tuple) else last
    elif not reply.bare:
        said = said.splitlines()[-1] if said else ""
        if not _BARE[form].fullmatch(said.strip(_TRIMMED)) and not _OPEN.search(said):
            return None  # a sentence, which may say anything
    said = said.strip(_TRIMMED)
    if not said:
        return None
    if _OPEN.search(said):
        return (CANNOT,)
    low = said.lower()
    if form == "yes-no":
        found = re.search(r"\b(yes|no)\b", low)
        return (YES if found[1] == YES else NO,) if found else None
    if form == "how-many":
        number = re.search(r"\d+", low)
        if number:
            return (str(int(number[0])),)
        words = [word for word in re.findall(r"[a-z]+", low) if word in NUMBERS]
        return (str(NUMBERS.index(words[0])),) if words else ("0",) if _NONE.match(low) else None
    if _NONE.match(low):
        return (NONE,)
    if form == "what":
        return (_plain(said),)
    pieces = (_plain(piece) for piece in _SPLIT.split(said))
    return tuple(sorted({piece for piece in pieces if piece})) or None


def _plain(text: str) -> str:
    return re.sub(r"\A(the|a|an)\s+", "", text.strip(_TRIMMED).lower())


def f1(given: Sequence[str], right: Sequence[str]) -> float:
    """Return the F1 of a set of answers."""
    found, wanted = set(given), {_plain(one) for one in right}
    both = len(found & wanted)
    return 2 * both / (len(found) + len(wanted)) if both else 0.0


def is_right(given: Sequence[str] | None, one: BookQuestion) -> bool:
    """Return whether answers are exactly the right set."""
    return given is not None and _same(given, one.answers)


def _same(given: Sequence[str], answers: Sequence[str]) -> bool:
    return set(map(_plain, given)) == set(map(_plain, answers))


def book_reward(reply: str, one: BookQuestion) -> float:
    """Return the reward of a reply to a question."""
    return book_reward_of(reply, one.form, one.answers)


def book_reward_of(reply: str, form: str, answers: Sequence[str]) -> float:
    """Return the reward of a reply: 1 for exactly the right set, less for a part of it, 0 for anything else.

    The answer must be marked, as in "Answer: ...". To guess where the answer cannot be told earns nothing.
    """
    if not (_LINE.search(reply) or _BOXED.search(reply)):
        return 0.0
    given = _read(BookReply(reply), form)
    if given is None:
        return 0.0
    if _same(given, answers):
        return 1.0
    several = form in ("who", "which") and tuple(answers) not in ((CANNOT,), (NONE,))
    return 0.5 * f1([_plain(answer) for answer in given], answers) if several else 0.0


@dataclass
class Tally:
    """Replies to some questions, counted. recall: of the evidence's articles, where it is known, summed over `with_articles`."""

    asked: int = 0
    missing: int = 0
    unread: int = 0
    refused: int = 0
    right: int = 0
    f1: float = 0.0
    recall: float = 0.0
    with_articles: int = 0

    @property
    def exact(self) -> float | None:
        """The share of exactly right answers, in percent."""
        return percent(self.right, self.asked)

    def to_json(self) -> dict[str, Any]:
        """Return everything as plain data."""
        shares = {
            "exact": self.exact,
            "f1": round(100 * self.f1 / self.asked, 1) if self.asked else None,
            "evidence_recall": round(100 * self.recall / self.with_articles, 1)
            if self.with_articles
            else None,
        }
        counts = ("asked", "missing", "unread", "refused", "right")
        return {**{name: getattr(self, name) for name in counts}, **shares}


@dataclass(frozen=True, repr=False)
class BookResult(Shown):
    """How a model's replies to a book score.

    - model: its name
    - total: of all questions
    - groups: by hops, form, theory
    - abstention: of the questions that cannot be told, and of the others, how many were said not to be
    - spent: tokens and calls, altogether and for each right answer, where that is known
    - wrong: the ids of the questions that were not answered right
    """

    model: str
    total: Tally
    groups: Mapping[str, Mapping[str, Tally]]
    abstention: Mapping[str, int]
    spent: Mapping[str, float]
    wrong: tuple[str, ...] = field(repr=False)

    @property
    def caption(self) -> str:
        return f"{self.model}: answers to {self.total.asked:,} questions of a book"

    def rows(self) -> Iterator[list[str]]:
        yield ["questions", "asked", "exact, %", "F1, %", "evidence, %", "not read", "refused"]
        named = [("all", self.total)]
        for kind, groups in self.groups.items():
            named += [
                (f"{name} hops" if kind == "hops" else name, one) for name, one in groups.items()
            ]
        for name, one in named:
            shares = one.to_json()
            cells = [shares["exact"], shares["f1"], shares["evidence_recall"]]
            shown = ["" if cell is None else f"{cell:.1f}" for cell in cells]
            yield [name, f"{one.asked:,}", *shown, str(one.unread + one.missing), str(one.refused)]

    def to_json(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "model": self.model,
            "total": self.total.to_json(),
            "groups": {
                kind: {name: one.to_json() for name, one in groups.items()}
                for kind, groups in self.groups.items()
            },
            "abstention": dict(self.abstention),
            "spent": dict(self.spent),
            "wrong": list(self.wrong),
        }


def score_book(
    book: OpenBook,
    replies: Mapping[str, BookReply],
    model: str,
    asked: Collection[str] | None = None,
) -> BookResult:
    """Return how replies score.

    Args:
        book: the book.
        replies: by the id of the question; a question without one counts as wrong.
        model: its name.
        asked: the ids of the questions that were put; None for all.
    """
    known = {one.id for one in book.questions}
    for name in replies:
        if name not in known:
            raise DataError(f"{name!r} is no question of the book", setting="answers")
    total, groups = Tally(), dict[str, dict[str, Tally]](hops={}, form={}, theory={})
    abstention = dict.fromkeys(("cannot be told", "said so", "can be told", "said not to be"), 0)
    wrong: list[str] = []
    spent = {"tokens": 0.0, "calls": 0.0}
    for one in book.questions:
        if asked is not None and one.id not in asked:
            continue
        tallies = [total, *_groups(groups, one)]
        reply = replies.get(one.id)
        given = None if reply is None else read_reply(reply, one)
        right = is_right(given, one)
        _count(tallies, one, reply, given, right)
        if not right:
            wrong.append(one.id)
        open_ = one.answers == (CANNOT,)
        abstention["cannot be told" if open_ else "can be told"] += 1
        abstention["said so" if open_ else "said not to be"] += given == (CANNOT,)
        if reply is not None:
            spent["tokens"] += reply.tokens or 0
            spent["calls"] += reply.calls or 0
    for name in ("tokens", "calls"):
        if spent[name]:
            spent[f"{name} per right answer"] = round(spent[name] / max(1, total.right), 1)
        else:
            del spent[name]
    ordered = {kind: dict(sorted(some.items())) for kind, some in groups.items()}
    return BookResult(model, total, ordered, abstention, spent, tuple(wrong))


def _groups(groups: dict[str, dict[str, Tally]], one: BookQuestion) -> Iterator[Tally]:
    named = (
        ("hops", str(one.hops)),
        ("form", one.form),
        ("theory", " + ".join(one.theories) or "links"),
    )
    for kind, name in named:
        yield groups[kind].setdefault(name, Tally())


def _count(
    tallies: Iterable[Tally],
    one: BookQuestion,
    reply: BookReply | None,
    given: tuple[str, ...] | None,
    right: bool,
) -> None:
    refused = reply is not None and given is None and bool(read_answer(reply.text).refused)
    plain = [_plain(answer) for answer in given or ()]
    gold = set(one.articles) - {PREFACE}
    for tally in tallies:
        tally.asked += 1
        tally.missing += reply is None
        tally.refused += refused
        tally.unread += reply is not None and given is None and not refused
        tally.right += right
        tally.f1 += 1.0 if right else f1(plain, one.answers)
        if reply is not None and reply.opened is not None and gold:
            tally.with_articles += 1
            tally.recall += len(gold & reply.opened) / len(gold)


def read_replies(given: Any) -> tuple[str, dict[str, BookReply]]:
    """Return the name of a model and its replies by question, however they are given.

    given: answers by id, or a file of JSON lines or CSV with id and answer, or reply.
    """
    if isinstance(given, Mapping):
        return "answers", {
            str(name): _as_reply(name, {"answer": value}) for name, value in given.items()
        }
    if not is_location(given):
        raise ArgumentError("is no path and no answers by id", setting="answers", value=given)
    place = parse_location(given)
    rows = list(_rows(place))
    found = {}
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict) or not isinstance(row.get("id"), str):
            raise DataError(f"line {number}: has no id", place=place)
        found[row["id"]] = _as_reply(row["id"], row, place)
    names = {str(row["model"]) for row in rows if row.get("model")}
    return (names.pop() if len(names) == 1 else Path(str(place)).stem), found


def _as_reply(name: str, row: Mapping[str, Any], place: Location | None = None) -> BookReply:
    text = row.get("reply")
    bare = not isinstance(text, str)
    if bare:
        text = row.get("answer", row.get("answers"))
        text = "; ".join(map(str, text)) if isinstance(text, list | tuple) else text
    if not isinstance(text, str | int):
        raise DataError(f"{name}: has neither an answer nor a reply", place=place)
    opened = row.get("opened", row.get("shown"))
    counts = [row.get(key) for key in ("prompt_tokens", "reply_tokens")]
    tokens = sum(int(one) for one in counts if isinstance(one, int))
    calls = row.get("calls")
    return BookReply(
        str(text),
        frozenset(map(str, opened)) if isinstance(opened, list) else None,
        tokens or None,
        calls if isinstance(calls, int) else None if bare else 1,
        bare,
    )


def _rows(place: Location) -> Iterator[Any]:
    try:
        text = read_whole(place, RECORD_FILE).decode("utf-8-sig")
    except (OSError, ValueError) as error:
        raise DataError(f"cannot be read: {error}", place=place) from None
    if place.suffix == ".csv":
        yield from csv.DictReader(io.StringIO(text))
        return
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                yield parse_json(line.encode())
            except ValueError as error:
                raise DataError(f"line {number}: {error}", place=place) from None
