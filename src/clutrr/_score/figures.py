"""Figures of answers beside how many are right: of several samples, by answer and pattern, tokens and money,
refusals and abstentions, and how well probabilities are calibrated.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from clutrr._io.locations import Location
from clutrr._io.yamls import read_yaml
from clutrr._measure import wilson
from clutrr._puzzle import CANNOT_BE_TOLD, Puzzle
from clutrr._score.predictions import ReadAnswer
from clutrr.errors import DataError

_BINS = 10  # of probabilities
_MILLION = 1_000_000


class AnsweredQuestion(NamedTuple):
    """A question and the answers to it."""

    question: Puzzle
    answers: Sequence[ReadAnswer]

    @property
    def right(self) -> Fraction:
        """The share of the answers that is right."""
        return Fraction(sum(one.right for one in self.answers), len(self.answers) or 1)

    @property
    def unread(self) -> list[ReadAnswer]:
        return [one for one in self.answers if one.found is None]


Questions = Sequence[AnsweredQuestion]


def figures(questions: Questions) -> dict[str, Any]:
    """Return all figures that apply."""
    found = {
        "samples": of_samples(questions),
        "by_answer": by(questions, lambda one: one.answers[0].key),
        "by_pattern": by(questions, lambda one: "-".join(one.question.pattern) or "not read"),
        "replies": of_replies(questions),
        "tokens": of_tokens(questions),
        "calibration": calibration(questions),
    }
    return {name: one for name, one in found.items() if one}


def of_samples(questions: Questions) -> dict[str, Any]:
    """Return pass@k and majority@k of questions with several samples, in percent, with 95 % intervals.

    pass@k: that one of k samples is right, for k drawn of the n that there are (Chen et al. 2021, equation 1).
    majority@k: that the answer which most of the first k samples give is right; of several that are given as
    often, each counts by its share. What is not read gives no answer.
    """
    most = max((len(one.answers) for one in questions), default=0)
    if most < 2:
        return {}
    found: dict[str, Any] = {"most": most, "pass": {}, "majority": {}}
    for k in sorted({*(1 << power for power in range(most.bit_length())), most}):
        asked = [one for one in questions if len(one.answers) >= k]
        for name, of in (("pass", pass_at), ("majority", majority_at)):
            found[name][str(k)] = _share(sum(of(one, k) for one in asked), len(asked))
    return found


def pass_at(one: AnsweredQuestion, k: int) -> float:
    """Return how likely one of k samples, drawn of those that there are, is right."""
    samples = len(one.answers)
    wrong = sum(not answer.right for answer in one.answers)
    return 1 - math.comb(wrong, k) / math.comb(samples, k)


def majority_at(one: AnsweredQuestion, k: int) -> float:
    """Return whether the answer that most of the first k samples give is right; a share where several are."""
    votes = Counter(answer.found for answer in one.answers[:k] if answer.found is not None)
    if not votes:
        return 0.0
    best = [answer for answer, times in votes.items() if times == max(votes.values())]
    return float(one.answers[0].key in best) / len(best)


def by(questions: Questions, name: Callable[[AnsweredQuestion], str]) -> dict[str, Any]:
    """Return how many are right of the questions that go under each name, the most frequent first."""
    groups: defaultdict[str, list[Fraction]] = defaultdict(list)
    for one in questions:
        if one.answers:
            groups[name(one)].append(one.right)
    order = sorted(groups, key=lambda group: (-len(groups[group]), group))
    return {group: _share(float(sum(groups[group])), len(groups[group])) for group in order}


def of_replies(questions: Questions) -> dict[str, int]:
    """Return what the replies are: answers, abstentions ("cannot be told"), refusals, and what was not read."""
    states: Counter[str] = Counter()
    for one in questions:
        for answer in one.answers:
            if answer.found is None:
                states[{"wrong": "unread"}.get(answer.state, answer.state)] += 1
            else:
                states["abstentions" if answer.found == CANNOT_BE_TOLD else "answers"] += 1
    names = {"refused": "refusals"}
    return {names.get(state, state): times for state, times in sorted(states.items())}


def of_tokens(questions: Questions) -> dict[str, Any]:
    """Return the tokens that a service counted: read, written, and written for each right answer."""
    counted = [answer for one in questions for answer in one.answers if answer.given.tokens]
    if not counted:
        return {}
    read, written = (sum(answer.given.tokens[at] for answer in counted) for at in (0, 1))
    right = sum(answer.right for answer in counted)
    each = {"written_per_reply": round(written / len(counted), 1)}
    if right:
        each["written_per_right_answer"] = round(written / right, 1)
    models = Counter(answer.given.model for answer in counted)
    return {"replies": len(counted), "read": read, "written": written, **each} | (
        {"model": models.most_common(1)[0][0]} if models and "" not in models else {}
    )


def calibration(questions: Questions) -> dict[str, Any]:
    """Return how probabilities agree with what is right.

    bins: answers by their probability, with its mean and the share that is right, in percent. error: the mean
    difference of the two, weighed by answers (expected calibration error), in points. brier: the mean square
    of the difference of probability and outcome.
    """
    known = [
        (answer.given.probability, answer.right)
        for one in questions
        for answer in one.answers
        if answer.given.probability is not None
    ]
    if not known:
        return {}
    bins: defaultdict[int, list[tuple[float, bool]]] = defaultdict(list)
    for probability, right in known:
        bins[min(int(probability * _BINS), _BINS - 1)].append((probability, right))
    rows, error = [], 0.0
    for number in sorted(bins):
        held = bins[number]
        mean = 100 * sum(probability for probability, _ in held) / len(held)
        share = 100 * sum(right for _, right in held) / len(held)
        error += abs(mean - share) * len(held) / len(known)
        rows.append({"answers": len(held), "probability": round(mean, 2), "right": round(share, 2)})
    brier = sum((probability - right) ** 2 for probability, right in known) / len(known)
    return {"error": round(error, 2), "brier": round(brier, 4), "bins": rows}


def _share(right: float, rows: int) -> dict[str, Any]:
    """Return a share in percent with its interval."""
    low, high = wilson(right, rows)
    accuracy = round(100 * right / rows, 2)
    return {"rows": rows, "accuracy": accuracy, "interval": [round(low, 2), round(high, 2)]}


Prices = Mapping[
    str, tuple[float, float]
]  # by model: of a million tokens read, and of a million written


def read_prices(path: Location) -> Prices:
    """Return the prices in a YAML file: `MODEL: {read: 0.15, written: 0.60}`, of a million tokens each."""
    content = read_yaml(path, DataError)
    if not isinstance(content, Mapping):
        raise DataError("is not a list of models with their prices", place=path)
    prices: dict[str, tuple[float, float]] = {}
    for model, of in content.items():
        given = (of.get("read"), of.get("written")) if isinstance(of, Mapping) else (None, None)
        if not all(isinstance(one, int | float) and one >= 0 for one in given):
            raise DataError(
                "is not like MODEL: {read: 0.15, written: 0.60}, the prices of a million tokens",
                place=path,
                setting=str(model),
            )
        prices[str(model)] = (float(given[0] or 0), float(given[1] or 0))
    return prices


def with_cost(details: Mapping[str, Any], model: str, prices: Prices) -> dict[str, Any]:
    """Return the same details with what the tokens cost, if the price of the model is known."""
    tokens = details.get("tokens", {})
    price = prices.get(tokens.get("model", model)) or prices.get(model)
    if not tokens or price is None:
        return dict(details)
    cost = (tokens["read"] * price[0] + tokens["written"] * price[1]) / _MILLION
    found = {**tokens, "cost": round(cost, 6)}
    if "written_per_right_answer" in tokens:
        right = tokens["written"] / tokens["written_per_right_answer"]
        found["cost_per_right_answer"] = round(cost / right, 6)
    return {**details, "tokens": found}
