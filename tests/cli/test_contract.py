"""The surface that users rely on: which commands and options there are, and that Python agrees with them."""

import inspect
from dataclasses import fields

import pytest
import typer

import clutrr
from clutrr import api
from clutrr.cli import app
from clutrr.config import AskConfig, Config, PromptConfig
from clutrr.experiment.config import TrainConfig
from clutrr.explore.pick import LIMIT

COMMANDS = {
    *("generate", "convert", "learn-world"),
    *("info", "explore", "solve", "audit"),
    *("train", "evaluate"),
    *("prompts", "ask", "score", "tasks"),
    *("reproduce", "report", "paths"),
}
GROUP = typer.main.get_command(app())


def test_sixteen_commands_and_few_options():
    assert len(COMMANDS) == 16
    assert set(GROUP.commands) == COMMANDS
    options = [
        p for command in GROUP.commands.values() for p in command.params if p.param_type_name == "option"
    ]
    assert sum(option.name != "help" for option in options) <= 110


# The commands that call a function of the same name, and the configs that both take settings of.
SAME = {
    "generate": (api.generate_folder, Config),
    "solve": (clutrr.solve,),
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
CALLBACKS = {"tick", "note", "show", "settings", "command"}
ONLY_COMMANDS = {"as_json", "help"}


@pytest.mark.parametrize("name", SAME)
def test_a_command_and_its_function_take_the_same_with_the_same_defaults(name):
    function, *configs = SAME[name]
    settings = {one.name: one.default for config in configs for one in fields(config)}
    settings |= {one.name: one.default for one in inspect.signature(function).parameters.values()}
    known = settings.keys() - CALLBACKS - {"retries", "timeout"} | UNNAMED.get(name, set())
    found = {one.name: one for one in GROUP.commands[name].params if one.name not in ONLY_COMMANDS}
    assert found.keys() == {OTHERWISE.get(name, {}).get(one, one) for one in known}
    written = {"k", "routes", "disjoint", "omit", *(["model", "base_url"] if name == "ask" else [])}
    for one in settings.keys() & found.keys() - written:
        assert found[one].required or found[one].default == settings[one], one


def test_the_page_of_explore():
    (limit,) = (one for one in GROUP.commands["explore"].params if one.name == "limit")
    assert limit.default == LIMIT
