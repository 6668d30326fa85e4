"""Figures of answers beside accuracy, against definitions worked out by hand or by brute force."""

import json
from itertools import combinations, permutations

import pytest

import clutrr
from clutrr._score.paired import holm
from clutrr.errors import DataError


@pytest.fixture
def puzzles():
    return clutrr.generate(preset="strict", k=(2, 3), size=6, split="test", distractors=0)


def answered(puzzles, tmp_path, samples, **columns):
    """A file of answers: of each question some samples, which a function makes."""
    path = tmp_path / "replies.jsonl"
    lines = []
    for number, one in enumerate(puzzles):
        for sample, text in enumerate(samples(number, one)):
            lines.append({"id": one.id, "answer": text, "sample": sample, **columns})
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def wrong(one):
    return "son" if one.target != "son" else "daughter"


def test_pass_and_majority_at_k(puzzles, tmp_path):
    """Against all ways to draw k of four samples; the first question has one right answer of four, and so on."""

    def samples(number, one):
        right = number % 5
        return [one.target] * right + [wrong(one)] * (4 - right)

    found = clutrr.score(puzzles, answered(puzzles, tmp_path, samples)).details["samples"]
    for k in (1, 2, 4):
        drawn = []
        for number in range(len(puzzles)):
            outcomes = [True] * (number % 5) + [False] * (4 - number % 5)
            ways = list(combinations(outcomes, k))
            drawn.append(sum(map(any, ways)) / len(ways))
        assert found["pass"][str(k)]["accuracy"] == pytest.approx(100 * sum(drawn) / 12, abs=0.01)
    votes = [{0: 0, 1: 0, 2: 0.5, 3: 1, 4: 1}[number % 5] for number in range(12)]
    assert found["majority"]["4"]["accuracy"] == pytest.approx(100 * sum(votes) / 12, abs=0.01)
    low, high = found["pass"]["1"]["interval"]
    assert low < found["pass"]["1"]["accuracy"] < high


def test_by_answer_and_pattern_and_what_replies_are(puzzles, tmp_path):
    said = ["{}", "cannot be told", "I'm sorry, but I cannot discuss private individuals.", "Hm."]

    def samples(number, one):
        return [said[number % 4].format(one.target)]

    details = clutrr.score(puzzles, answered(puzzles, tmp_path, samples)).details
    assert details["replies"] == {"abstentions": 3, "answers": 3, "refusals": 3, "unread": 3}
    assert sum(one["rows"] for one in details["by_answer"].values()) == 12
    targets = {one.target for one in puzzles}
    assert {*details["by_answer"]} == targets
    for target in targets:
        right = [number % 4 == 0 for number, one in enumerate(puzzles) if one.target == target]
        share = 100 * sum(right) / len(right)
        assert details["by_answer"][target]["accuracy"] == pytest.approx(share, abs=0.01)
    assert {*details["by_pattern"]} == {"-".join(one.pattern) for one in puzzles}


def test_calibration(puzzles, tmp_path):
    """Half of the answers given with 0.9 are right, and all of those given with 0.7."""
    path = tmp_path / "answers.jsonl"
    lines = []
    for number, one in enumerate(puzzles):
        sure = number % 3 != 0
        right = not sure or number % 2 == 0
        text = one.target if right else wrong(one)
        lines.append({"id": one.id, "answer": text, "probability": 0.9 if sure else 0.7})
    path.write_text("\n".join(map(json.dumps, lines)))
    found = clutrr.score(puzzles, path).details["calibration"]
    assert found["bins"] == [
        {"answers": 4, "probability": 70.0, "right": 100.0},
        {"answers": 8, "probability": 90.0, "right": 50.0},
    ]
    assert found["error"] == pytest.approx((30 * 4 + 40 * 8) / 12, abs=0.01)
    assert found["brier"] == pytest.approx((4 * 0.09 + 4 * 0.01 + 4 * 0.81) / 12, abs=1e-4)


def test_tokens_and_money(puzzles, tmp_path, run):
    data, replies = tmp_path / "data.parquet", tmp_path / "replies.jsonl"
    clutrr.write(puzzles, data)
    lines = []
    for number, prompt in enumerate(clutrr.prompts(data, split="test")):
        reply = prompt.answer if number % 2 else "Hm."
        counted = {"prompt_tokens": 100, "reply_tokens": 30, "model": "mine"}
        lines.append({**prompt.to_dict(), "reply": f"Answer: {reply}", **counted})
    replies.write_text("".join(json.dumps(line) + "\n" for line in lines))
    prices = tmp_path / "prices.yaml"
    prices.write_text("mine: {read: 2, written: 10}\nother: {read: 1, written: 1}\n")
    tokens = clutrr.score(data, replies, prices=prices).details["tokens"]
    assert (tokens["read"], tokens["written"], tokens["written_per_right_answer"]) == (
        1200,
        360,
        60,
    )
    assert tokens["cost"] == pytest.approx((1200 * 2 + 360 * 10) / 1e6)
    assert tokens["cost_per_right_answer"] == pytest.approx(tokens["cost"] / 6)
    code, printed, _ = run("score", str(data), str(replies), "--prices", str(prices))
    assert code == 0
    assert "1,200 tokens read and 360 written, 60 for each right answer; they cost 0.01" in printed
    prices.write_text("mine: free\n")
    with pytest.raises(DataError, match=r"prices\.yaml: mine: is not like"):
        clutrr.score(data, replies, prices=prices)


def test_holm_rejects_what_the_step_down_procedure_rejects():
    """By its definition: the smallest p against level / m, the next against level / (m - 1), till one fails."""
    values = [0.001, 0.013, 0.014, 0.04, 0.9]
    for level in (0.005, 0.02, 0.045, 0.06, 0.1):
        rejected = set()
        for rank, p in enumerate(sorted(values)):
            if p > level / (len(values) - rank):
                break
            rejected.add(p)
        for order in list(permutations(values))[::17]:
            corrected = dict(zip(order, holm(order), strict=True))
            assert {p for p, one in corrected.items() if one <= level} == rejected


def test_several_models_are_compared_with_a_correction(puzzles, tmp_path):
    models = [
        {one.id: one.target if number % step else wrong(one) for number, one in enumerate(puzzles)}
        for step in (1, 2, 3, 12)
    ]
    found = clutrr.score(puzzles, models)
    pairs = found.to_json()["pairs"]
    assert len(pairs) == 6
    assert [one["p_corrected"] for one in pairs] == holm([one["p"] for one in pairs])
    assert all(one["p_corrected"] >= one["p"] for one in pairs)
