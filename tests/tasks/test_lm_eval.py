"""The folder of tasks for the language model evaluation harness, with the real package."""

from pathlib import Path

import pytest
import yaml

from clutrr.tasks import LM_EVAL
from clutrr.tasks.lm_eval import functions


def test_the_command_prints_the_folder(run):
    code, printed, _ = run("tasks", "lm-eval")
    assert code == 0
    assert Path(printed.strip()) == LM_EVAL
    assert (LM_EVAL / "clutrr.yaml").is_file()


@pytest.mark.parametrize(
    ("group", "lengths"),
    [("clutrr", range(2, 11)), ("clutrr_long", (12, 15, 20)), ("clutrr_choice", range(2, 7))],
)
def test_every_task_of_a_group_is_there(group, lengths):
    tasks = yaml.safe_load((LM_EVAL / f"{group}.yaml").read_text())["task"]
    assert [int(name.split("_k")[1]) for name in tasks] == list(lengths)
    kind = "_clutrr_choice" if group == "clutrr_choice" else "_clutrr"
    for name, k in zip(tasks, lengths, strict=True):
        task = yaml.safe_load((LM_EVAL / f"{name}.yaml").read_text())
        assert task == {"include": kind, "task": name, "dataset_kwargs": {"length": k}}


def test_letters_for_base_models():
    pytest.importorskip("datasets")
    rows = functions.load_choices(k=2, size=8, distractors=0)["test"]
    for row in rows:
        assert row["letters"] == ["A", "B", "C", "D"]
        assert row["relations"][row["right"]] == row["answer"]
        assert row["text"].endswith("Answer: <the letter>")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("source", ["preset", "data"])
def test_the_solver_gets_everything_right(world, tmp_path, source, monkeypatch):
    pytest.importorskip("lm_eval", reason="needs lm-eval")
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    from lm_eval import simple_evaluate
    from lm_eval.api.model import LM
    from lm_eval.tasks import TaskManager

    from clutrr._generate import Config
    from clutrr._generate.folder import Job, generate_folder
    from solving_server import solved

    class Solver(LM):
        def generate_until(self, requests, disable_tqdm=False):
            return [solved(request.args[0], world) for request in requests]

        def loglikelihood(self, requests):
            right = [
                solved(request.args[0].rpartition("\n\nAnswer:")[0], world) for request in requests
            ]
            asked = zip(requests, right, strict=True)
            return [(float(said.split()[-1] == one.args[1].strip()), False) for one, said in asked]

        def loglikelihood_rolling(self, requests):
            raise NotImplementedError

    metadata = {"size": 5, "shots": 1, "preset": "strict", "distractors": 1}
    if source == "data":
        config = Config(k=(2, 3), train=20, test=7, distractors=0)
        generate_folder(Job(tmp_path / "data", config))
        metadata = {"data": str(tmp_path / "data"), "size": 7}
    tasks = TaskManager(include_path=str(LM_EVAL), include_defaults=False, metadata=metadata)
    names = ["clutrr_k2", "clutrr_k3"] if source == "data" else ["clutrr", "clutrr_choice_k2"]
    results = simple_evaluate(Solver(), tasks=names, task_manager=tasks, bootstrap_iters=0)
    for name in ("clutrr_k2", "clutrr_k3"):
        assert results["results"][name]["acc,none"] == 1
        assert results["results"][name]["read,none"] == 1
        assert results["n-samples"][name]["effective"] == metadata["size"]
    if source == "preset":
        assert results["groups"]["clutrr"]["acc,none"] == 1
        assert results["results"]["clutrr_choice_k2"]["acc,none"] == 1
