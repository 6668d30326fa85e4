"""Judges of chains: their figures by hand, what they are asked, and what is read in their replies."""

import json
import random
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

import clutrr
from clutrr._chains.chain import Chain
from clutrr._chains.read import open_chains
from clutrr._score.judges import read_judgement
from clutrr.errors import ArgumentError, ConfigError, DataError


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("judges")
    clutrr.generate(out=place / "stories", k=(2, 3), preset="strict", train=5, test=15)
    clutrr.chains(place / "stories", place / "chains")
    return place / "chains"


@pytest.fixture(scope="module")
def tested(folder) -> list[Chain]:
    return [chain for some in open_chains(folder).split("test").values() for chain in some]


def test_a_judge_that_knows_and_one_that_always_says_nothing_is_wrong(folder, tested):
    knows = {chain.id: chain.first_error for chain in tested}
    found = clutrr.score(folder, knows)
    assert (found.total.on_wrong, found.total.on_right, found.total.f1) == (100, 100, 100)
    found = clutrr.score(folder, dict.fromkeys(knows, -1))
    assert (found.total.on_wrong, found.total.on_right, found.total.f1) == (0, 100, 0)
    assert found.total.wrong + found.total.right == len(tested) == 120


def test_f1_is_the_harmonic_mean_of_both_accuracies(folder, tested):
    """Worked out here: a judge that is right by chance, on each chain anew."""
    rng = random.Random(0)
    said = {
        chain.id: chain.first_error if rng.random() < 0.6 else chain.first_error + 1
        for chain in tested
    }
    wrong = [chain for chain in tested if chain.first_error >= 0]
    right = [chain for chain in tested if chain.first_error < 0]
    one = sum(said[chain.id] == chain.first_error for chain in wrong) / len(wrong)
    other = sum(said[chain.id] == chain.first_error for chain in right) / len(right)
    found = clutrr.score(folder, said)
    assert found.total.f1 == pytest.approx(200 * one * other / (one + other))
    for groups in found.groups.values():
        assert sum(group.wrong + group.right for group in groups.values()) == len(tested)
    kinds = found.groups["error"]
    assert sum(group.found for group in kinds.values()) == found.total.found


def test_a_judgement_that_is_missing_counts_against_a_judge(folder, tested):
    half = {chain.id: chain.first_error for chain in tested[::2]}
    found = clutrr.score(folder, half)
    assert found.total.missing == len(tested) - len(half)
    assert found.total.found + found.total.passed == len(half)


REPLIES = [
    ("Answer: 3", 2),
    ("Step 1 is right. Step 2 is wrong.\n**Answer:** 2", 1),
    ("Answer: none", -1),
    ("Answer: No wrong step.", -1),
    ("\\boxed{4}", 3),
    ("\\boxed{-1}", -1),
    ("Answer: 1\nWait, no. Answer: 2", 1),
    ("The first wrong step is 5", 4),
    ("2", 1),
    ("Answer: step 2 or step 3", None),
    ("Answer: 0", None),
    ("I would rather not say.", None),
    ("", None),
]


@pytest.mark.parametrize(("reply", "said"), REPLIES)
def test_what_a_reply_says(reply, said):
    assert read_judgement(reply) == said


def test_verify_passes_what_is_right_and_finds_errors_in_plain_words(folder):
    found = clutrr.score(folder, "verify")
    assert found.total.on_right > 95
    assert found.total.on_wrong > 40


def test_files_of_judgements(folder, tested, tmp_path):
    rows = [{"id": chain.id, "first_error": chain.first_error} for chain in tested]
    (tmp_path / "known.jsonl").write_text("\n".join(map(json.dumps, rows)))
    lines = ["id,first_error", *(f"{row['id']},{row['first_error']}" for row in rows)]
    (tmp_path / "known.csv").write_text("\n".join(lines))
    one, other = clutrr.score(folder, [tmp_path / "known.jsonl", tmp_path / "known.csv"])
    assert one.total == other.total
    assert one.total.f1 == 100
    (tmp_path / "odd.jsonl").write_text('{"id": "x", "first_error": "two"}\n')
    with pytest.raises(DataError, match=r"odd.jsonl, line 1: no judgement"):
        clutrr.score(folder, tmp_path / "odd.jsonl")
    with pytest.raises(DataError, match="no judgement of any of these chains"):
        clutrr.score(folder, {"nobody": 1})
    with pytest.raises(ArgumentError):
        clutrr.score(folder, {"nobody": 1.5})
    with pytest.raises(ConfigError):
        clutrr.score(folder, "verify", steps=True)


def test_prompts_hold_the_story_and_every_step_and_not_the_label(folder, tested):
    asked = {prompt.id: prompt for prompt in clutrr.prompts(folder)}
    assert len(asked) == len(tested)
    for chain in tested:
        prompt = asked[chain.id]
        (message,) = prompt.messages
        assert all(
            f"[{n}] {step.text}" in message["content"] for n, step in enumerate(chain.steps, 1)
        )
        wrong = chain.first_error
        assert prompt.answer == ("none" if wrong < 0 else str(wrong + 1))
        assert read_judgement(f"Answer: {prompt.answer}") == wrong
    assert len(list(clutrr.prompts(folder, limit=10))) == 10
    with pytest.raises(ConfigError, match="the data is chains"):
        list(clutrr.prompts(folder, form="choice"))


def test_a_model_is_asked_and_scored(folder, tested, tmp_path):
    """A service that calls step 1 wrong, always."""
    asked: list[str] = []

    class Service(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append(body["messages"][-1]["content"])
            said = {"message": {"content": "Answer: 1"}, "finish_reason": "stop"}
            raw = json.dumps({"choices": [said], "usage": {}}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Service) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/v1"
        done = clutrr.ask(folder, tmp_path / "said.jsonl", "one", base_url=url, limit=30)
        server.shutdown()
    assert len(asked) == 30
    total = done.result.total
    assert total.wrong + total.right == 30  # those that were not asked do not count
    assert total.passed == 0
    again = clutrr.score(folder, tmp_path / "said.jsonl")
    assert again.total == total
    first = {chain.id for chain in tested if chain.first_error == 0}
    said = {json.loads(line)["id"] for line in (tmp_path / "said.jsonl").read_text().splitlines()}
    assert total.found == len(first & said)


@pytest.mark.filterwarnings("ignore")  # of other people's packages
def test_the_inspect_task(folder, tested, tmp_path):
    pytest.importorskip("inspect_ai", reason="needs the extra `inspect`")
    from inspect_ai import eval as evaluate
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    from clutrr.tasks.inspect_task import judge

    def reply(messages, *_):
        output = ModelOutput.from_content("mockllm/model", "Answer: none")
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    model = get_model("mockllm/model", custom_outputs=reply, memoize=False)
    (log,) = evaluate(
        judge(str(folder), size=20), model=model, display="none", log_dir=str(tmp_path / "logs")
    )
    assert log.status == "success", log.error
    figures = {
        name: one.value for score in log.results.scores for name, one in score.metrics.items()
    }
    assert figures["f1"] == 0
    assert (figures["right"], figures["wrong"]) == (1, 0)
