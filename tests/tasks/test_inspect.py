"""The task for Inspect, with the real package and a model that answers as the solver does."""

from importlib.metadata import entry_points

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


def test_inspect_finds_the_task_by_its_name():
    found = [point.value for point in entry_points(group="inspect_ai") if point.name == "clutrr"]
    assert found == ["clutrr.tasks.inspect_task"]
