"""What a book is, counted: for its card, and for `clutrr info`."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from clutrr._books.articles import Article
from clutrr._books.plans import CANNOT, NONE
from clutrr._books.questions import BookQuestion

LETTERS = 4  # of a token, by our rule
TOKEN_RULE = f"a token is {LETTERS} characters of text"
_ANSWERS = 2000  # different answers that are counted


@dataclass
class Counts:
    """Articles and questions, counted. Shares are counted out of `asked`: questions of several hops about entities."""

    articles: int = 0
    letters: int = 0
    statements: int = 0
    questions: int = 0
    evidence: int = 0
    forms: Counter[str] = field(default_factory=Counter)
    hops: Counter[str] = field(default_factory=Counter)
    theories: Counter[str] = field(default_factory=Counter)
    answers: dict[str, Counter[str]] = field(default_factory=dict)
    none: int = 0
    cannot: int = 0
    asked: int = 0
    in_question: int = 0
    in_first: int = 0

    @property
    def tokens(self) -> int:
        return -(-self.letters // LETTERS)

    def add_articles(self, articles: Sequence[Article]) -> None:
        self.articles += len(articles)
        self.letters += sum(len(one.text) for one in articles)
        self.statements += sum(len(one.statements) for one in articles)

    def add_question(self, one: BookQuestion, first: str) -> None:
        """Count a question. first: the article of the first entity that it names."""
        self.questions += 1
        self.forms[one.form] += 1
        self.hops[str(one.hops)] += 1
        self.theories[" + ".join(one.theories) or "links"] += 1
        said = "; ".join(one.answers)
        self.answers.setdefault(one.form, Counter())[said] += 1
        self.cannot += one.answers == (CANNOT,)
        self.none += one.answers == (NONE,)
        self.evidence += len(one.evidence)
        entities = one.form in ("who", "what", "which", "compare")
        if entities and one.hops > 1 and one.answers not in ((CANNOT,), (NONE,)):
            self.asked += 1
            self.in_question += all(answer in one.question for answer in one.answers)
            self.in_first += all(answer in first for answer in one.answers)

    def add(self, other: "Counts") -> None:
        """Add what was counted elsewhere."""
        for name, value in vars(other).items():
            if isinstance(value, Counter):
                getattr(self, name).update(value)
            elif isinstance(value, dict):
                for form, counts in value.items():
                    self.answers.setdefault(form, Counter()).update(counts)
            else:
                setattr(self, name, getattr(self, name) + value)

    def majority(self) -> float:
        """Return how often the most frequent answer of each form is right, as a share."""
        best = sum(max(counts.values()) for counts in self.answers.values() if counts)
        return best / self.questions if self.questions else 0.0

    def shortcuts(self) -> dict[str, float]:
        """Return how often a guess without reading is right, in percent."""
        asked = self.asked or 1
        return {
            "the most frequent answer of the form": round(100 * self.majority(), 1),
            "every answer is named in the question": round(100 * self.in_question / asked, 1),
            "every answer is in the article of the first name": round(
                100 * self.in_first / asked, 1
            ),
        }

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data; of answers, the most frequent ones."""
        plain = {
            name: dict(value) if isinstance(value, dict) else value
            for name, value in vars(self).items()
        }
        plain["answers"] = {
            form: dict(counts.most_common(_ANSWERS)) for form, counts in self.answers.items()
        }
        return plain

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Counts":
        """Return what plain data says."""
        named = {name: Counter(data[name]) for name in ("forms", "hops", "theories")}
        answers = {form: Counter(counts) for form, counts in data["answers"].items()}
        return cls(**{**data, **named, "answers": answers})
