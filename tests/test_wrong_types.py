"""Arguments of the wrong type: one clear line that names the argument, and no error from deep inside."""

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import clutrr

STORY = "Bob is Ann's son. Carl is Bob's brother."
WRONG: dict[str, Any] = {
    "a number": 7,
    "a negative number": -1,
    "a fraction": 0.5,
    "nothing": None,
    "true": True,
    "a text": "x",
    "an empty text": "",
    "bytes": b"x",
    "an empty list": [],
    "a list of numbers": [1, 2],
    "a list of texts": ["a", "b"],
    "a list of nothing": [None],
    "an empty dictionary": {},
    "a dictionary": {"a": 1},
    "a dictionary by number": {1: "a"},
    "a set": {1},
    "a function": lambda *given: None,
    "an object": object(),
    "a namespace": SimpleNamespace(columns=3),
}
NEVER_RIGHT = ("an object", "a namespace")  # which nothing takes
# Each public function with arguments that are right.
RIGHT: dict[str, dict[str, Any]] = {
    "ask": {"data": [], "out": "o.jsonl", "model": "m", "base_url": "http://127.0.0.1:9/v1"},
    "audit": {"data": []},
    "book": {"entities": 30, "questions": 2, "hops": 1},
    "chains": {"data": [], "world": "kinship"},
    "check_theory": {"theory": "order"},
    "convert": {"data": [], "out": "o.csv", "force": True},
    "evaluate": {"run": "run", "data": []},
    "explore": {"data": [], "out": "page.html"},
    "generate": {"k": 2, "size": 1},
    "info": {"what": []},
    "learn_world": {"data": [], "world": "w"},
    "load_run": {"run": "run"},
    "load_world": {"world": "kinship"},
    "paths": {"max_edges": 2},
    "plot": {"shown": None},
    "prompts": {"data": []},
    "puzzle": {"story": STORY, "query": ("Ann", "Carl"), "target": "son"},
    "read": {"data": []},
    "report": {"place": "e"},
    "reproduce": {"out": "e", "matrix": {"models": ["gnn"]}},
    "reward": {"completions": ["son"], "answer": ["son"]},
    "score": {"data": [], "answers": {}},
    "solve": {"story": STORY, "query": ("Ann", "Carl")},
    "statements": {"text": STORY, "world": "kinship"},
    "stream": {"k": 2},
    "task_path": {"framework": "inspect"},
    "train": {"data": [], "run": "run", "model": "gnn", "epochs": 1},
    "read_answer": {"reply": "Answer: son"},
    "verify": {"reply": "Carl is Ann's son.", "puzzle": None},
    "write": {"puzzles": [], "out": "o.csv"},
}
SETTINGS = {  # beside the arguments that a signature names
    "ask": (
        "form",
        "direct",
        "shots",
        "omit",
        "system",
        "extra",
        "concurrency",
        "temperature",
        "n",
    ),
    "book": (
        *("with_", "tokens", "hops", "forms", "unanswerable", "distractors", "style", "split"),
    ),
    "generate": (
        *("routes", "scene", "distractors", "noise", "order", "style", "brackets", "assume"),
        *("undetermined", "disjoint"),
    ),
    "prompts": ("form", "direct", "shots", "omit"),
    "reproduce": ("models", "seeds", "data", "encoder", "epochs", "train", "test"),
    "reward": ("query", "facts", "assume"),
    "stream": ("routes", "scene", "noise", "disjoint"),
    "train": ("seed", "epochs", "batch", "learning_rate", "encoder"),
}


def arguments(name: str) -> list[str]:
    """Every argument of a function that takes one value."""
    parameters = inspect.signature(getattr(clutrr, name)).parameters.values()
    named = [one.name for one in parameters if one.kind is not one.VAR_KEYWORD]
    return [*named, *SETTINGS.get(name, ())]


def cases() -> Iterator[tuple[str, str]]:
    for name in RIGHT:
        for argument in arguments(name):
            yield name, argument


@pytest.fixture(scope="module")
def puzzles() -> Any:
    return clutrr.generate(k=2, size=4, split=("train", "test"))


def refusal(name: str, given: dict[str, Any]) -> clutrr.ClutrrError | None:
    """Return the error by which a function refuses its arguments, if it does: always one of ours."""
    try:
        call(name, given)
    except clutrr.ClutrrError as error:
        return error
    return None


def call(name: str, given: dict[str, Any]) -> None:
    """Call a function, and go through what it gives without end."""
    function: Callable[..., Any] = getattr(clutrr, name)
    given = dict(given)
    positional = [given.pop(one) for one in ("place", "more") if one in given]
    found = function(*positional, **given)
    if name == "prompts":
        next(found, None)
    elif name == "stream" or (name == "book" and "out" not in given):
        found[0]
    elif name in ("generate", "read"):
        list(found)


@pytest.mark.parametrize(("name", "argument"), list(cases()))
def test_a_wrong_type_is_one_line_that_names_the_argument(
    name: str, argument: str, puzzles: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setattr("webbrowser.open", lambda address: None)
    monkeypatch.setattr("clutrr._ask.run.delay", lambda attempt, asked, drawn: 0.001)
    monkeypatch.setattr("clutrr._explore.explore.serve_page", lambda html, ready: ready("x"))
    monkeypatch.setattr("clutrr._report.reproduce.run_experiment", lambda *given: ())
    (tmp_path / "run").mkdir()
    right = dict(RIGHT[name])
    for data in ("data", "puzzles", "what"):
        if data in right:
            right[data] = puzzles
    if name == "verify":
        right["puzzle"] = puzzles[0]
    if name == "score":
        right["answers"] = {one.id: one.target for one in puzzles}
    for told, value in WRONG.items():
        error = refusal(name, right | {argument: value})
        assert "\n" not in str(error)
        if isinstance(error, clutrr.errors.ArgumentError):
            assert argument in error.setting.split(", "), (told, error)
        if told in NEVER_RIGHT:
            assert error is not None, told
            assert argument in str(error), (told, error)


def test_every_public_function_is_tried() -> None:
    functions = {name for name in clutrr.__all__ if inspect.isfunction(getattr(clutrr, name))}
    assert functions == RIGHT.keys()


def test_unknown_settings_list_the_known_ones() -> None:
    for name in SETTINGS.keys() - {"reward"}:  # whose columns are those of the data
        with pytest.raises(clutrr.ClutrrError) as caught:
            getattr(clutrr, name)(**RIGHT[name], nonsense=1)
        line = str(caught.value)
        assert line.startswith("nonsense: there is no such setting; the settings are ")
        assert all(one in line for one in SETTINGS[name])
