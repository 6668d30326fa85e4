"""The surface that users rely on: which commands and options there are, and that Python agrees with them."""

import inspect
from dataclasses import dataclass, fields
from pathlib import Path

import pytest
import typer

import clutrr
from clutrr._books.config import BookConfig
from clutrr._cli import app
from clutrr._config import AskConfig, Config, PromptConfig
from clutrr._train.config import TrainConfig

COMMANDS = {
    *("generate", "book", "convert", "learn-world", "chains"),
    *("info", "explore", "solve", "audit"),
    *("train", "evaluate"),
    *("prompts", "ask", "score", "tasks"),
    *("reproduce", "report", "paths"),
}


@dataclass
class Changes:
    """What `reproduce` changes of a matrix."""

    models: None = None
    seeds: None = None
    data: None = None
    encoder: str = ""
    epochs: None = None
    train: None = None
    test: None = None


@dataclass
class AlsoBook:
    """What `book` takes beside its config."""

    with_: None = None


GROUP = typer.main.get_command(app())


def test_the_commands():
    assert set(GROUP.commands) == COMMANDS


# The commands whose functions take settings by name, and the configs that these are fields of.
CONFIGS = {
    "generate": (Config,),
    "book": (BookConfig, AlsoBook),
    "train": (TrainConfig,),
    "prompts": (PromptConfig,),
    "ask": (PromptConfig, AskConfig),
    "reproduce": (Changes,),
}
OTHERWISE = {  # settings that are written in another way on the command line
    "generate": {
        **dict.fromkeys(("supporting", "irrelevant", "disconnected"), "noise"),
        "families": "from_",
    },
    "ask": dict.fromkeys(("n", "temperature", "effort", "max_tokens", "top_p", "seed"), "sampling"),
    "report": {"place": "out", "more": "out"},
}
ONLY_FUNCTIONS = {
    *("tick", "note", "say", "each", "show", "ready", "command"),  # what a command prints or knows
    *("settings", "changes", "retries", "timeout"),
}
ONLY_PYTHON = {  # no folder; an object; what follows from world and seed
    "generate": {"size", "split"},
    "evaluate": {"model"},
    "book": {"parts", "number"},
}
ONLY_COMMANDS = {"as_json", "help", "full"}
# Texts of several values, and what a command says otherwise of what is not given.
WRITTEN = {"k", "routes", "disjoint", "omit", "hops", "forms"}
OF_FOLDERS = {"train": Config.train, "test": Config.test, "format": "parquet"}
DEFAULTS = {
    "ask": {"base_url": None},
    "book": {"out": None},
    "generate": OF_FOLDERS,
    "reproduce": {"matrix": None, "out": Path("reproduction"), "encoder": ""},
}


@pytest.mark.parametrize("name", sorted(COMMANDS - {"tasks"}))
def test_a_command_and_its_function_take_the_same_with_the_same_defaults(name):
    function = getattr(clutrr, name.replace("-", "_"))
    settings = {one.name: one.default for config in CONFIGS.get(name, ()) for one in fields(config)}
    settings |= {one.name: one.default for one in inspect.signature(function).parameters.values()}
    settings |= DEFAULTS.get(name, {})
    known = settings.keys() - ONLY_FUNCTIONS - ONLY_PYTHON.get(name, set())
    found = {one.name: one for one in GROUP.commands[name].params if one.name not in ONLY_COMMANDS}
    assert found.keys() == {OTHERWISE.get(name, {}).get(one, one) for one in known}
    for one in settings.keys() & found.keys() - WRITTEN:
        assert found[one].required or found[one].default == settings[one], one
