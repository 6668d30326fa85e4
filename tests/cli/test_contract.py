"""The surface that users rely on: which commands and options there are, and that Python agrees with them."""

import inspect

import pytest
import typer

from clutrr import api, settings
from clutrr.cli import app
from clutrr.experiment.config import TrainConfig
from clutrr.explore import LIMIT
from clutrr.generator import Config

COMMANDS = {
    *("generate", "convert", "learn-world"),
    *("info", "explore", "solve", "audit"),
    *("train", "evaluate"),
    *("prompts", "ask", "score", "tasks"),
    *("reproduce", "report", "paths"),
}
TO_GO = {"bench", "gallery", "learnt", "merge", "published", "render"}  # empty when all have left
OPTIONS = 110
GROUP = typer.main.get_command(app)


def options(command) -> list[str]:
    """Every option of a command and of its subcommands."""
    inner = [name for each in getattr(command, "commands", {}).values() for name in options(each)]
    own = [p.name for p in command.params if p.param_type_name == "option" and p.name != "help"]
    return own + inner


def test_the_sixteen_commands():
    assert len(COMMANDS) == 16
    assert set(GROUP.commands) == COMMANDS | TO_GO


def test_few_options():
    """Of the commands that are finished; all together, when the others have left."""
    found = {name: len(options(command)) for name, command in GROUP.commands.items()}
    own = (
        "generate",
        "learn-world",
        "explore",
        "solve",
        "audit",
        "train",
        "prompts",
        "ask",
        "tasks",
        "paths",
    )
    assert sum(found[name] for name in own) <= 81
    if not TO_GO:
        assert sum(found.values()) <= OPTIONS


# The commands that call a function of the same name, and the settings of both.
SAME = {
    "generate": (settings.DATASET, api.generate_folder),
    "audit": (settings.AUDIT, api.audit),
    "train": (settings.TRAIN, api.train),
    "prompts": (settings.PROMPTS, api.prompts),
    "ask": (settings.ASK, api.ask),
}
OTHERWISE = {  # settings that are written in another way on the command line
    "generate": {"brackets": "no_brackets", "format": "form"},
    "ask": dict.fromkeys(("temperature", "effort", "max_tokens"), "sampling"),
}
ONLY_IN_PYTHON = {"key", "retries"}
ONLY_COMMANDS = {"as_json", "skip_bad"}


@pytest.mark.parametrize("name", SAME)
def test_a_command_and_its_function_take_the_same(name):
    defaults, function = SAME[name]
    written = OTHERWISE.get(name, {})
    callbacks = {"tick", "note", "show", "settings"}
    arguments = set(inspect.signature(function).parameters) - callbacks
    expected = {written.get(one, one) for one in {*defaults, *arguments} - ONLY_IN_PYTHON}
    found = {parameter.name for parameter in GROUP.commands[name].params} - {"help"} - ONLY_COMMANDS
    assert found - ({"world"} if name == "ask" else set()) == expected


@pytest.mark.parametrize("name", SAME)
def test_their_defaults_are_the_same(name):
    defaults, _ = SAME[name]
    for parameter in GROUP.commands[name].params:
        if parameter.name in defaults and parameter.name not in ("k", "disjoint", "scene", "noise", "omit"):
            assert parameter.default == defaults[parameter.name], parameter.name


def test_the_configs_have_the_same_defaults():
    given = api._config(settings.DATASET)
    assert given == Config()
    for name, value in settings.TRAIN.items():
        if name in TrainConfig.__dataclass_fields__ and name not in ("model", "k"):
            assert getattr(TrainConfig, name) == value
    assert LIMIT == settings.PAGE


@pytest.mark.parametrize("function", [api.generate, api.audit, api.prompts], ids=lambda one: one.__name__)
def test_a_setting_that_does_not_exist(function, tmp_path):
    with pytest.raises(TypeError, match="'speed' is not a setting"):
        function("x", speed=9)
