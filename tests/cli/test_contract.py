"""The surface that users rely on: which commands and options there are, and that Python agrees with them."""

import inspect
from dataclasses import MISSING, fields

import pytest
import typer

from clutrr import api
from clutrr.cli import app
from clutrr.config import AskConfig, Config, PromptConfig
from clutrr.experiment.config import TrainConfig
from clutrr.explore import LIMIT

COMMANDS = {
    *("generate", "convert", "learn-world"),
    *("info", "explore", "solve", "audit"),
    *("train", "evaluate"),
    *("prompts", "ask", "score", "tasks"),
    *("reproduce", "report", "paths"),
}
GROUP = typer.main.get_command(app)


def options(command) -> list[str]:
    """Every option of a command and of its subcommands."""
    inner = [name for each in getattr(command, "commands", {}).values() for name in options(each)]
    own = [p.name for p in command.params if p.param_type_name == "option" and p.name != "help"]
    return own + inner


def test_sixteen_commands_and_few_options():
    assert len(COMMANDS) == 16
    assert set(GROUP.commands) == COMMANDS
    assert sum(len(options(command)) for command in GROUP.commands.values()) <= 110


# The commands that call a function of the same name, and the configs that both take settings of.
SAME = {
    "generate": (api.generate_folder, Config),
    "solve": (api.solve,),
    "audit": (api.audit,),
    "score": (api.score,),
    "train": (api.train, TrainConfig),
    "prompts": (api.prompts, PromptConfig),
    "ask": (api.ask, PromptConfig, AskConfig),
}
OTHERWISE = {  # settings that are written in another way on the command line
    "generate": dict.fromkeys(("supporting", "irrelevant", "disconnected"), "noise"),
    "ask": dict.fromkeys(("n", "temperature", "effort", "max_tokens", "top_p", "seed"), "sampling"),
}
UNNAMED = {"generate": {"workers", "force"}, "audit": {"assume", "train_on"}}
CALLBACKS = {"tick", "note", "show", "settings"}
ONLY_COMMANDS = {"as_json", "to"}


@pytest.mark.parametrize("name", SAME)
def test_a_command_and_its_function_take_the_same(name):
    function, *configs = SAME[name]
    known = set(inspect.signature(function).parameters) - CALLBACKS | UNNAMED.get(name, set())
    known |= {one.name for config in configs for one in fields(config)} - {"retries", "timeout"}
    found = {parameter.name for parameter in GROUP.commands[name].params} - {"help"} - ONLY_COMMANDS
    assert found == {OTHERWISE.get(name, {}).get(one, one) for one in known}


@pytest.mark.parametrize("name", SAME)
def test_their_defaults_are_the_same(name):
    function, *configs = SAME[name]
    defaults = {one.name: one.default for one in inspect.signature(function).parameters.values()}
    defaults |= {one.name: one.default for config in configs for one in fields(config)}
    written = {"k", "routes", "disjoint", "scene", "omit", "model", "base_url"} - (
        {"model"} if name == "train" else set()
    )
    for parameter in GROUP.commands[name].params:
        if parameter.name in defaults.keys() - written and not parameter.required:
            assert defaults[parameter.name] is not MISSING
            assert parameter.default == defaults[parameter.name], parameter.name


def test_the_page_of_explore():
    (limit,) = (one for one in GROUP.commands["explore"].params if one.name == "limit")
    assert limit.default == LIMIT


@pytest.mark.parametrize("function", [api.generate, api.prompts], ids=lambda one: one.__name__)
def test_a_setting_that_does_not_exist(function, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    api.write(api.generate(k=2, size=1), "x.jsonl")
    with pytest.raises(TypeError, match="'speed'"):
        function("x.jsonl", speed=9)
