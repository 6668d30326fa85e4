"""A theory that somebody else wrote, through every command."""

import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import seats
from typer.testing import CliRunner

import clutrr
from clutrr.cli import app
from clutrr.puzzle import CANNOT_BE_TOLD

pytest.importorskip("torch", reason="torch is not installed (extra: models)")
TRAIN = ["--device", "cpu", "--epochs", 3]


def run(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, (arguments, result.output, result.exception)
    return result.stdout


def parsed(*arguments: object) -> dict:
    return json.loads(run(*arguments, "--json"))


@pytest.fixture(scope="module", autouse=True)
def _installed(tmp_path_factory) -> Iterator[None]:
    """The theory as a package that brings an entry point."""
    folder = str(seats.install(tmp_path_factory.mktemp("package")))
    sys.path.append(folder)
    yield
    sys.path.remove(folder)


@pytest.fixture(scope="module")
def world(tmp_path_factory) -> Path:
    return seats.write_seats(tmp_path_factory.mktemp("worlds") / "bench")


@pytest.fixture(scope="module")
def stories(world, tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("stories") / "stories"
    run("generate", out, "--world", world, "--k", "2-4", "--train", 120, "--test", 40, "--distractors", 1)
    return out


@pytest.fixture(scope="module")
def mixed(world, tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("mixed") / "mixed"
    settings = ["--preset", "mixed", "--k", 3, "--train", 60, "--test", 40, "--distractors", 1]
    run("generate", out, "--world", world, *settings)
    return out


@pytest.fixture(scope="module")
def trained(stories, tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("run") / "run"
    run("train", stories, out, "--model", "gnn", "--k", "2-3", *TRAIN)
    return out


def test_generate_and_info(stories):
    about = parsed("info", stories)
    assert about["assume"] == "row"
    assert set(about["labels"]) == {"left of", "right of"}
    puzzle = clutrr.read(stories)[0]
    assert set(puzzle.pattern) <= {"left", "right"}
    card = (stories / "README.md").read_text()
    assert "left of" in card
    assert "famil" not in card.lower().replace("familiar", "")


def test_generated_answers_are_true(stories, mixed):
    """By sorting: the seats of a row are numbers."""
    for puzzle in (*clutrr.read(stories), *clutrr.read(mixed)):
        orders = {fact.relation for fact in puzzle.facts}
        assert puzzle.target == (orders.pop() if len(orders) == 1 else CANNOT_BE_TOLD)


@pytest.mark.parametrize("preset", ["mixed", "described"])
def test_other_presets(world, preset):
    puzzles = clutrr.generate(preset, k=3, size=50, world=clutrr.load_world(world), distractors=1)
    assert {len(puzzle.possible) for puzzle in puzzles} == {1, 2}


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--noise", "supporting=2", "noise: the theory of seats has none"),
        ("--preset", "sound", "preset: 'sound' is not one of strict, mixed, described"),
        ("--assume", "tree", "assume: 'tree' is not one of row"),
        ("--scene", "levels=3", "scene: 'levels=3': the scenes of seats have no settings"),
        ("--style", "prose", "style: world 'bench' has no prose.yaml"),
    ],
)
def test_what_the_theory_does_not_have_is_refused(run, world, tmp_path, option, value, message):
    settings = ["--world", world, "--distractors", 1, option, value]
    code, printed, errors = run("generate", tmp_path / "o", *settings)
    assert (code, printed) == (2, "")
    assert message in errors
    assert not (tmp_path / "o").exists()


def test_audit(stories, mixed):
    for data in (stories, mixed):
        found = parsed("audit", data)
        groups = [group for splits in found["subsets"].values() for group in splits.values()]
        assert all(group["text"]["agrees"] == 100 for group in groups)
        assert all(group["soundness"]["row"]["proved"] == 100 for group in groups)
    assert "every target is proved, assuming row" in run("audit", stories)


def test_solve(world):
    story = "Ben sits to the left of Ada. Ada drinks tea. Cleo sits to the left of Ben."
    printed = run("solve", "--world", world, "--story", story, "--query", "Ada", "Cleo")
    assert "Cleo is left of Ada" in printed
    assert "row" in printed
    turned = "Ben sits to the left of Ada. Cleo sits to the right of Ben."
    assert parsed("solve", "--world", world, "--story", turned, "--query", "Ada", "Cleo")["answers"] == [
        "left of",
        "right of",
    ]
    round_ = "Ben sits to the left of Ada. Ada sits to the left of Ben."
    conflict = parsed("solve", "--world", world, "--story", round_, "--query", "Ada", "Ben")
    assert (conflict["status"], len(conflict["conflict"])) == ("contradictory", 2)


def test_explore(stories, mixed, tmp_path):
    for data in (stories, mixed):
        run("explore", data, "--out", tmp_path / f"{data.name}.html", "--limit", 30)
        assert (tmp_path / f"{data.name}.html").stat().st_size > 10_000


def test_a_trained_model_is_evaluated_scored_and_shown(stories, trained, tmp_path):
    given = parsed("evaluate", trained, stories)
    assert set(given["accuracy"]) == {"M2", "M3", "M4"}
    assert max(given["accuracy"].values()) > 0.4
    scored = parsed("score", stories, trained, "--split", "test")
    for subset, accuracy in given["accuracy"].items():
        assert scored["tested"][subset]["accuracy"] == pytest.approx(accuracy, abs=1e-3)
    run("explore", stories, "--run", trained, "--out", tmp_path / "page.html", "--limit", 20)
    assert "gnn" in run("info", trained)


@pytest.mark.parametrize("model", ["lstm", "gnn-attention", "epignn", "composer", "composer+windows"])
def test_every_model_learns_something(stories, tmp_path, model):
    run("train", stories, tmp_path / "run", "--model", model, "--k", "2", "--epochs", 2, "--device", "cpu")
    assert set(parsed("evaluate", tmp_path / "run", stories)["accuracy"]) == {"M2", "M3", "M4"}


@pytest.mark.parametrize("form", ["parquet", "csv", "jsonl"])
def test_converted_and_read_again(stories, tmp_path, form):
    run("convert", stories, tmp_path / form, "--to", form)
    again = clutrr.read(tmp_path / form)
    assert [(p.id, p.story, p.target, p.facts) for p in again] == [
        (p.id, p.story, p.target, p.facts) for p in clutrr.read(stories)
    ]


def test_a_world_learnt_from_its_stories(stories, tmp_path):
    run("learn-world", stories, tmp_path / "learnt")
    learnt = clutrr.load_world(tmp_path / "learnt")
    assert learnt.relations == ("left of", "right of")


def test_composition_by_the_solver(world):
    loaded = clutrr.load_world(world)
    assert loaded.theory.compose(loaded.labels, ("left", "left")).kinds == ("left",)
    assert loaded.theory.compose(loaded.labels, ("left", "right")).kinds == ("left", "right")


class _Oracle(BaseHTTPRequestHandler):
    """A chat service that answers from the solver."""

    world: clutrr.World

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = body["messages"][-1]["content"]
        story, _, question = text.split("Story: ")[-1].partition("\n\nQuestion: ")
        named = [name for name in seats.NAMES if name in question]
        second, first = sorted(named, key=question.index)[:2]
        solution = clutrr.solve(story, (first, second), self.world)
        reply = {"choices": [{"message": {"content": f"Answer: {solution.answer or CANNOT_BE_TOLD}"}}]}
        content = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments: object) -> None:
        pass


def test_prompts_ask_score(stories, mixed, world, tmp_path):
    prompts = run("prompts", stories, "--limit", 3)
    assert "left of" in prompts
    assert "row" in prompts
    handler = type("Oracle", (_Oracle,), {"world": clutrr.load_world(world)})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        for data in (stories, mixed):
            answers = tmp_path / f"{data.name}.jsonl"
            url = f"http://127.0.0.1:{server.server_port}/v1"
            run("ask", data, answers, "--model", "oracle", "--base-url", url, "--limit", 20)
            lines = [json.loads(line) for line in answers.read_text().splitlines()]
            assert len(lines) >= 20
            scored = parsed("score", data, answers, "--split", "test")
            assert scored["right"] == 20
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_report(world, tmp_path):
    matrix = tmp_path / "seats.yaml"
    data = f"{{world: {world}, k: 2-3, train: 40, test: 20, distractors: 1}}"
    matrix.write_text(f"data: {data}\ntrain: [2]\nmodels: [gnn]\nseeds: 1\nepochs: 1\n")
    run("reproduce", tmp_path / "out", "--matrix", matrix, "--device", "cpu")
    assert "M3" in run("report", tmp_path / "out")


def test_words_of_a_world_without_forms(world):
    loaded = clutrr.load_world(world)
    assert loaded.forms == ()
    assert loaded.say("Ada", "left of", "Ben") == "Ben is left of Ada"
