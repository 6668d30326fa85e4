"""Asking a service that fails as real ones do: nothing lost, nothing paid for twice, no key anywhere."""

import json
import random
import signal
import socket
import threading
import time
from pathlib import Path

import pytest

from clutrr._ask.endpoint import Endpoint, RetryableError, _seconds
from clutrr._ask.prompter import prompter_for, prompts_of
from clutrr._ask.run import ask_all, delay
from clutrr._config import AskConfig, PromptConfig
from clutrr._data import open_dataset
from clutrr._generate import Config
from clutrr._generate.folder import Job, generate_folder
from clutrr._score.predictions import read_predictions
from clutrr._score.scoring import score_predictions
from clutrr.errors import ConfigError, DataError, OutputError, ServiceError
from commands import begin, refused, run, told
from processes import PATIENCE, until
from solving_server import serving

pytestmark = pytest.mark.process

KEY = "sk-a-key-that-nobody-may-see"


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def prompts(data: Path, limit: int | None = None, **config):
    opened = open_dataset(data)
    return list(prompts_of(opened, prompter_for(opened, PromptConfig(**config)), "test", limit))


@pytest.fixture(scope="session")
def data(tmp_path_factory) -> Path:
    """Forty questions in each of three subsets, and some train stories."""
    out = tmp_path_factory.mktemp("asked") / "data"
    generate_folder(Job(out, Config(k=(2, 3, 4), train=30, test=40, distractors=2, seed=3)))
    return out


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch):
    """Tries follow each other at once."""
    monkeypatch.setattr("clutrr._ask.run.delay", lambda attempt, asked, drawn: 0.001)


def service_at(base_url, model="m", key=None, **settings):
    return Endpoint(AskConfig(model, base_url, **settings), key)


@pytest.mark.parametrize(
    ("preset", "question", "shots"),
    [("sound", "which", 0), ("sound", "choice", 2), ("mixed", "yes-no", 1)],
)
def test_every_question_is_answered_right_and_once(data, tmp_path, preset, question, shots):
    out = tmp_path / "replies.jsonl"
    if preset == "mixed":
        data = tmp_path / "data"
        generate_folder(
            Job(data, Config(preset=preset, k=(2, 3, 4), train=9, test=40, distractors=1))
        )
    asked = prompts(data, form=question, shots=shots)
    with serving(share=0.4) as (url, service):
        outcome = ask_all(asked, out, service_at(url, "solver", retries=50))
    assert (outcome.asked, outcome.kept, outcome.failed) == (120, 0, [])
    assert any(prompt.answer == "cannot be told" for prompt in asked) == (preset == "mixed")
    assert outcome.retried > 20
    assert set(service.answered.values()) == {1}
    assert len(service.answered) == 120
    assert 1 < service.most <= 16
    scores = score_predictions(open_dataset(data), read_predictions(out), "test")
    assert scores.total.accuracy == 100
    assert (scores.total.unread, scores.total.missing) == (0, 0)
    assert [one.rows for one in scores.tested.values()] == [40, 40, 40]


def test_what_is_there_is_not_asked_again(data, tmp_path):
    out = tmp_path / "out"
    with serving() as (url, service):
        asking = service_at(url)
        ask_all(prompts(data, 30), out, asking)
        before = out.read_bytes()
        with out.open("ab") as file:
            file.write(before.splitlines(keepends=True)[0][:50])  # a line that was cut short
        outcome = ask_all(prompts(data), out, asking)
    assert (outcome.asked, outcome.kept) == (90, 30)
    assert out.read_bytes().startswith(before)
    assert len(lines(out)) == 120
    assert set(service.answered.values()) == {1}


def test_several_samples(data, tmp_path):
    out = tmp_path / "out"
    with serving() as (url, service):
        ask_all(prompts(data, 6), out, service_at(url, n=2))
        outcome = ask_all(prompts(data, 6), out, service_at(url, n=3))
    assert (outcome.asked, outcome.kept) == (6, 12)
    assert set(service.answered.values()) == {3}
    found = read_predictions(out)
    assert {len(samples) for samples in found.answers.values()} == {3}
    total = score_predictions(open_dataset(data), found, "test").total
    assert (total.rows, total.right) == (6, 6)
    broken = [
        json.dumps({**line, "reply": "who knows"} if line["sample"] else line)
        for line in lines(out)
    ]
    out.write_text("\n".join(broken) + "\n")
    found = read_predictions(out)
    total = score_predictions(open_dataset(data), found, "test").total
    assert (total.rows, total.right, total.unread) == (6, 2, 12)


def test_the_settings_of_the_command(data, tmp_path):
    wish = ("--form", "choice", "--direct", "--omit", "relations", "--limit", 1)
    with serving() as (url, service):
        command = (
            "ask",
            data,
            tmp_path / "out",
            "--model",
            "m",
            "--base-url",
            url,
            *wish,
            "--sampling",
        )
        sampling = "n=1,temperature=0.5,effort=low,max-tokens=77,top-p=0.9,seed=3"
        more = ("--system", "Be brief.", "--extra", '{"top_k": 5}')
        run(*command, sampling, *more)
        for wrong in (
            "temperature=warm",
            "temperature=3",
            "max-tokens=1-2",
            "top-p=2",
            "top-k=1",
            "effort",
        ):
            refused(*command, wrong)
        run("ask", data, tmp_path / "plain", "--model", "m", "--base-url", url, "--limit", 1)
    body, plain = service.bodies
    assert set(plain) == {"model", "messages"}  # nothing is made up
    assert "Authorization" not in service.headers[0]
    assert (body["temperature"], body["reasoning_effort"], body["max_tokens"]) == (0.5, "low", 77)
    assert (body["top_p"], body["seed"], body["top_k"]) == (0.9, 3, 5)
    assert body["messages"][0] == {"role": "system", "content": "Be brief."}
    (line,) = lines(tmp_path / "out")
    assert line["messages"] == body["messages"][1:]
    assert line["sampling"]["system"] == "Be brief."
    assert "One of these relations" not in service.requests[0]
    assert service.requests[0].endswith("nothing else, in this form:\nAnswer: <the letter>")


@pytest.mark.parametrize(
    ("address", "sent"),
    [("https://api.openai.com/v1", "max_completion_tokens"), ("http://localhost/v1", "max_tokens")],
)
def test_the_name_of_the_limit(address, sent):
    """OpenAI refuses the old one, and others may not know the new one."""
    body = service_at(address, max_tokens=9)._body([])
    assert [name for name in body if name.startswith("max_")] == [sent]


def test_a_file_of_other_replies_is_refused(data, tmp_path):
    out = tmp_path / "out"
    with serving() as (url, service):
        ask_all(prompts(data, 2), out, service_at(url))
        before, asked = out.read_bytes(), len(service.requests)
        with pytest.raises(DataError, match="holds replies with model 'm', not 'other'"):
            ask_all(prompts(data, 2), out, service_at(url, "other"))
        with pytest.raises(DataError, match=r"holds replies with sampling .*'temperature': None"):
            ask_all(prompts(data, 2), out, service_at(url, temperature=1.0))
        with pytest.raises(DataError, match="holds replies to other prompts"):
            ask_all(prompts(data, 2, direct=True), out, service_at(url))
        (tmp_path / "answers.jsonl").write_text('{"id": "one", "answer": "son"}\n')
        with pytest.raises(DataError, match="line 1: not a reply that `clutrr ask` wrote"):
            ask_all(prompts(data, 2), tmp_path / "answers.jsonl", service_at(url))
    assert out.read_bytes() == before
    assert len(service.requests) == asked


def test_a_refusal_ends_the_run_and_shows_no_key(data, tmp_path):
    out = tmp_path / "out"
    with (
        serving(faults=["401"], share=1.0) as (url, service),
        pytest.raises(ServiceError) as refused,
    ):
        ask_all(prompts(data), out, service_at(url, key=KEY, concurrency=2))
    assert "401" in str(refused.value)
    assert KEY not in str(refused.value)
    assert "(the key)" in str(refused.value)
    assert service.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert len(service.requests) <= 4
    assert not out.exists()
    out.touch()  # somebody's own file stays
    with serving(faults=["401"], share=1.0) as (url, _), pytest.raises(ServiceError):
        ask_all(prompts(data), out, service_at(url, key=KEY, concurrency=2))
    assert out.read_bytes() == b""


def test_a_placeholder_for_a_key_leaves_replies_as_they_are(data, tmp_path):
    said = []
    for key in (None, "so", "Therefore"):
        with serving() as (url, service):
            service.reply = lambda content: "Therefore: son"
            ask_all(prompts(data, 2), tmp_path / str(key), service_at(url, key=key))
        said.append({line["reply"] for line in lines(tmp_path / str(key))})
    assert said == [{"Therefore: son"}, {"Therefore: son"}, {"(the key): son"}]


def test_an_address_without_its_end_is_explained(data, tmp_path):
    with serving(faults=["404"], share=1.0) as (url, _):
        for address, said in ((url, False), (url.removesuffix("/v1"), True)):
            with pytest.raises(ServiceError, match="404 Not Found: not now") as refused:
                ask_all(prompts(data, 2), tmp_path / "out", service_at(address))
            assert ("ends in /v1" in str(refused.value)) == said


def test_a_time_out_is_tried_again_and_two_at_once_are_refused(data, tmp_path):
    out = tmp_path / "out"
    with serving() as (url, service):
        service.answers.clear()
        endpoint = service_at(url, timeout=1, retries=2)
        with pytest.raises(ServiceError, match="no reply within 1 s"):
            ask_all(prompts(data, 1), out, endpoint)
        until(lambda: len(service.requests) >= 3, "every try")
        assert len(service.requests) == 3
        service.first.clear()
        first = threading.Thread(target=ask_all, args=(prompts(data, 3), out, service_at(url)))
        first.start()
        assert service.first.wait(PATIENCE)
        with pytest.raises(OutputError, match="another process is writing"):
            ask_all(prompts(data, 3), out, service_at(url))
        service.answers.set()
        first.join()
    assert len(lines(out)) == 3


def test_waiting_grows_and_heeds_the_service():
    drawn = random.Random(1)
    waits = [delay(attempt, None, drawn) for attempt in range(20)]
    assert all(0.25 * 2**n <= waits[n] <= 0.5 * 2**n for n in range(6))
    assert max(waits) <= 60
    assert delay(0, 7.0, drawn) == 7.0
    assert delay(0, 1e9, drawn) == 600
    assert _seconds("3") == 3
    assert _seconds("soon") is None


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"base_url": "localhost:8000"}, "base_url"),
        ({"base_url": "http://user:secret@localhost"}, "does not belong in the address"),
        ({"key": "a\nb"}, "the key in the environment"),
        *(({"timeout": wrong}, "timeout") for wrong in (0, -1, float("nan"), float("inf"), 1e300)),
        ({"temperature": 3}, "temperature"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"n": 0}, "n: 0"),
        ({"top_p": 0}, "top_p"),
        ({"extra": "[1]"}, "not a JSON object"),
    ],
)
def test_bad_settings(settings, message):
    with pytest.raises(ConfigError, match=message) as refused:
        service_at(**{"base_url": "http://localhost", **settings})
    assert "secret" not in str(refused.value)
    assert KEY not in repr(service_at("http://localhost", key=KEY))


def command(data, out, url):
    return ["ask", data, out, "--model", "m", "--base-url", url, "--concurrency", 8]


def test_killed_at_any_moment_nothing_is_lost_or_asked_again(data, tmp_path):
    out, tries, killed = tmp_path / "out", 3, 0
    moments = random.Random(tries)
    with serving(delay=0.02, share=0.1, faults=["429", "reset"]) as (url, service):
        for _ in range(tries):
            written = {(line["subset"], line["id"]) for line in _whole(out)}
            questions = {
                p.messages[0]["content"] for p in prompts(data) if (p.subset, p.id) in written
            }
            seen = len(service.requests)
            service.first.clear()
            with begin(*command(data, out, url)) as asking:
                while not service.first.wait(0.05) and asking.poll() is None:
                    pass
                time.sleep(moments.uniform(0, 8 / tries) * 0.2)
                killed += asking.poll() is None
                asking.kill()
            assert questions.isdisjoint(service.requests[seen:])
        result = told(*command(data, out, url))
    assert killed
    assert (result["rows"], result["accuracy"], result["missing"], result["unread"]) == (
        120,
        100,
        0,
        0,
    )
    keys = [(line["subset"], line["id"]) for line in lines(out)]
    assert len(keys) == len(set(keys)) == 120
    # Only what was under way when the client was killed can have been answered twice.
    assert sum(service.answered.values()) <= 120 + 8 * tries


def _whole(out: Path) -> list[dict]:
    if not out.exists():
        return []
    return [
        json.loads(line)
        for line in out.read_bytes().splitlines(keepends=True)
        if line.endswith(b"\n")
    ]


def test_a_stopped_run_waits_for_what_is_under_way(data, tmp_path):
    """Ctrl-C costs nothing: every reply that the service gave is in the file."""
    out = tmp_path / "out"
    with serving(delay=0.3) as (url, service):
        asking = begin(*command(data, out, url))
        assert service.first.wait(PATIENCE)
        asking.send_signal(signal.SIGINT)
        _, said = asking.communicate(timeout=PATIENCE)
        assert asking.returncode == 130
        assert said == "clutrr: stopped; run the same command again to go on\n"
        assert len(lines(out)) == sum(service.answered.values()) == len(service.requests) > 0


def test_the_command_and_the_key(data, tmp_path, monkeypatch):
    out = tmp_path / "new" / "out.jsonl"
    with serving(share=0.2, faults=["reset", "429"]) as (url, service):
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        arguments = ("ask", data, out, "--model", "m", "--base-url", url, "--limit", 9)
        printed = run(*arguments)
        assert "100.0" in printed
        assert "9 new replies" in printed
        assert service.headers[0]["Authorization"] == f"Bearer {KEY}"
        again = run(*arguments, "--json")
    assert json.loads(again)["kept"] == 9
    for text in (printed, again, out.read_text()):
        assert KEY not in text
    counted = told("score", data, out, "--split", "test")
    assert [counted[name] for name in ("rows", "right", "missing")] == [9, 9, 0]
    assert counted["questions"]["not_asked"] == 111
    assert "111 questions were not asked" in run("score", data, out)
    run("score", data, out, out.parent / "out.jsonl")
    assert told("explore", data, "--answers", out, "--out", tmp_path / "page.html")["runs"] == [
        "out"
    ]


def test_no_key_for_the_default_service(data, tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    assert refused("ask", data, tmp_path / "out", "--model", "m") == (
        "clutrr: the environment variable OPENAI_API_KEY is not set; set it to your key, or name a service: "
        "--base-url\n"
    )
    assert not (tmp_path / "out").exists()


def test_half_a_character_and_parted_messages():
    parsed = Endpoint(AskConfig("m"))._parsed

    def reply(content, **more):
        return parsed(json.dumps({"choices": [{"message": {"content": content}}], **more}).encode())

    assert reply("a\ud83d").text == "a?"
    assert reply([{"type": "text", "text": "so"}, {"type": "text", "text": "n"}]).text == "son"
    refused = [{"message": {"content": None, "refusal": "I cannot."}, "finish_reason": "stop"}]
    kept = reply(None, choices=refused)
    assert (kept.text, kept.finish) == ("I cannot.", "refusal")
    assert reply(None).text == ""
    assert reply("x", usage={"prompt_tokens": "many"}).prompt_tokens is None
    for broken in (b"", b"[]", b'{"choices": [{"message": {"content": 3}}]}', b"\xff"):
        with pytest.raises(RetryableError, match="not a chat completion"):
            parsed(broken)


def test_a_dead_address_is_said_while_it_is_tried_again(data, tmp_path, run, monkeypatch):
    monkeypatch.setattr("clutrr._ask.run.delay", lambda attempt, asked, drawn: 0.2)
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{nobody.getsockname()[1]}/v1"
        wish = ["--model", "m", "--base-url", url, "--concurrency", 2]
        code, _, errors = run("ask", data, tmp_path / "out.jsonl", *wish)
    said = "Connection refused"
    assert code == 2
    assert errors.splitlines() == [
        f"clutrr: {url}: {said}; trying again",
        f"clutrr: {url}: {said}",
    ]


def test_two_questions_of_one_id_are_refused_before_any_is_asked(data, tmp_path):
    one = prompts(data, 1)
    with pytest.raises(DataError, match="appears twice in the data"):
        ask_all(one + one, tmp_path / "out.jsonl", service_at("http://localhost:9/v1"))
    assert not (tmp_path / "out.jsonl").exists()
