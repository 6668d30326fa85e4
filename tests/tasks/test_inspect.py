"""The task for Inspect, with the real package and a model that answers as the solver does."""

from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import entry_points
from threading import Thread

import pytest

pytest.importorskip("inspect_ai", reason="needs the extra `inspect`")

from inspect_ai import eval as evaluate
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from clutrr._generate import Config
from clutrr._generate.folder import Job, generate_folder
from clutrr.tasks.inspect_task import kinship
from solving_server import solved

pytestmark = pytest.mark.filterwarnings("ignore")  # of other people's packages


def solver_model(world):
    def reply(messages, *_):
        told = "\n\n".join(message.text for message in messages)
        text = solved(told, world)
        # Without a count of its own, the mock model would fetch a tokenizer.
        output = ModelOutput.from_content("mockllm/solver", text)
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    return get_model("mockllm/solver", custom_outputs=reply, memoize=False)


def metrics(task, model, tmp_path):
    (log,) = evaluate(
        task, model=model, display="none", log_dir=str(tmp_path / "logs"), log_samples=True
    )
    assert log.status == "success", log.error
    scores = {}
    for score in log.results.scores:
        for name, metric in score.metrics.items():
            scores[name] = metric.value
    return scores, log


@pytest.mark.parametrize("form", ["which", "yes-no", "choice"])
def test_the_solver_gets_everything_right(world, tmp_path, form):
    task = kinship(k="2-4", preset="strict", size=12, distractors=1, shots=1, form=form)
    scores, log = metrics(task, solver_model(world), tmp_path)
    assert scores["accuracy"] == 1
    assert {name: value for name, value in scores.items() if name.startswith("k=")} == {
        "k=2": 1.0,
        "k=3": 1.0,
        "k=4": 1.0,
    }
    assert len(log.samples) == 12


def test_a_model_that_says_nothing_of_use(tmp_path):
    def reply(*_):
        output = ModelOutput.from_content("mockllm/silent", "I do not know her.")
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    silent = get_model("mockllm/silent", custom_outputs=reply, memoize=False)
    scores, _ = metrics(kinship(k=2, size=4), silent, tmp_path)
    assert scores["accuracy"] == scores["k=2"] == 0


def test_questions_of_a_folder(world, tmp_path):
    generate_folder(
        Job(tmp_path / "data", Config(preset="mixed", k=(2, 3), train=0, test=10, distractors=0))
    )
    task = kinship(k=[2, 3], data=str(tmp_path / "data"))
    scores, log = metrics(task, solver_model(world), tmp_path)
    assert (scores["accuracy"], len(log.samples)) == (1, 20)


def test_data_is_asked_whole(world, tmp_path):
    """All lengths and rows of data, not those that fresh stories have by default."""
    generate_folder(Job(tmp_path / "data", Config(k=(2, 3, 8), train=0, test=180, distractors=0)))
    task = kinship(data=str(tmp_path / "data"))
    assert Counter(sample.metadata["k"] for sample in task.dataset) == {2: 180, 3: 180, 8: 180}
    assert len(kinship(data=str(tmp_path / "data"), k="2-3", size=7).dataset) == 7


def answers(reply, **usage):
    """A model whose reply to a list of messages is what a function of them says."""

    def said(messages, *_):
        given = reply(messages)
        output = ModelOutput.from_content("mockllm/said", given)
        output.usage = ModelUsage(input_tokens=1, total_tokens=9, **usage)
        return output

    return get_model("mockllm/said", custom_outputs=said, memoize=False)


def by_name(log):
    return {score.name: score.metrics["mean"].value for score in log.results.scores[1:]}


def test_what_replies_come_to_beside_their_answers(world, tmp_path):
    """A third each: proved step by step; the answer alone; a refusal."""
    task = kinship(k="3", preset="strict", size=9, distractors=0)
    turns = {sample.input[0].content: number % 3 for number, sample in enumerate(task.dataset)}
    right = {sample.input[0].content: sample.target for sample in task.dataset}

    def reply(messages):
        told = messages[0].text
        return {
            0: solved(told, world),
            1: f"Answer: {right[told]}",
            2: "I'm sorry, but I cannot discuss private individuals.",
        }[turns[told]]

    scores, log = metrics(task, answers(reply, output_tokens=8), tmp_path)
    assert scores["accuracy"] == pytest.approx(2 / 3)
    found = by_name(log)
    assert found["read"] == pytest.approx(2 / 3)
    assert found["refused"] == pytest.approx(1 / 3)
    assert (found["tokens"], found["unanswered"]) == (8, 0)
    whole = [one.scores["reply"].value["steps"] for one in log.samples]
    alone = [
        one
        for one, sample in zip(whole, log.samples, strict=True)
        if turns[sample.input[0].content]
    ]
    assert alone == [0.0] * 6
    assert found["steps"] == pytest.approx(sum(whole) / 9)
    assert sum(whole) > 0


def test_a_broken_reply_costs_one_question(world, tmp_path):
    """What reads a page of HTML, or half of a reply, raises; the run goes on, and its question is wrong."""
    task = kinship(k=2, preset="strict", size=6, distractors=0)
    broken = {sample.input[0].content for sample in list(task.dataset)[:2]}

    def reply(messages):
        if messages[0].text in broken:
            raise AttributeError("'str' object has no attribute 'choices'")
        return solved(messages[0].text, world)

    scores, log = metrics(task, answers(reply, output_tokens=8), tmp_path)
    assert scores["accuracy"] == pytest.approx(4 / 6)
    assert by_name(log)["unanswered"] == pytest.approx(2 / 6)
    assert len(log.samples) == 6


class _Broken(BaseHTTPRequestHandler):
    """Answers 200 with a page of HTML or half of a reply, in turn."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.turn += 1
        html = self.server.turn % 2
        body = b"<html>Welcome to the proxy</html>" if html else b'{"choices": [{"mess'
        self.send_response(200)
        self.send_header("Content-Type", "text/html" if html else "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.mark.process
def test_a_service_that_answers_with_html(tmp_path, monkeypatch):
    pytest.importorskip("openai", reason="needs openai")
    with ThreadingHTTPServer(("127.0.0.1", 0), _Broken) as server:
        server.turn = 0
        Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("LOCAL_API_KEY", "none")
        address = f"http://127.0.0.1:{server.server_port}/v1"
        model = get_model("openai-api/local/any", base_url=address, memoize=False)
        scores, log = metrics(kinship(k=2, size=3), model, tmp_path)
        server.shutdown()
    assert (scores["accuracy"], by_name(log)["unanswered"]) == (0, 1)


def test_inspect_finds_the_task_by_its_name():
    found = [point.value for point in entry_points(group="inspect_ai") if point.name == "clutrr"]
    assert found == ["clutrr.tasks.inspect_task"]
