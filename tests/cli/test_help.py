"""The help: groups of commands, two examples each, and every example does what it says it does."""

import re
from pathlib import Path

import pytest
import typer
import yaml

from clutrr.cli import app
from clutrr.cli.examples import EXAMPLES
from solving_server import serving

GROUPS = ["Make data", "Look at data", "Train and test", "Ask models", "The paper"]
ADDRESS = "http://localhost:8000/v1"


def leaves(command, words=()) -> dict[str, object]:
    """Every command with its own help, by its words."""
    found = {} if not words else {" ".join(words): command}
    for name, inner in getattr(command, "commands", {}).items():
        found.update(leaves(inner, (*words, name)))
    return found


COMMANDS = leaves(typer.main.get_command(app))


def printed_help(run, command: str) -> str:
    code, printed, _ = run(*command.split(), "--help")
    assert code == 0
    return printed


def examples_in(text: str) -> list[str]:
    """The commands below "Examples:" in a printed help: a paragraph each, however its lines were broken."""
    below = text.split("Examples:")[1]
    return [" ".join(paragraph.split()) for paragraph in re.split(r"\n\s*\n", below) if paragraph.strip()]


def test_commands_are_grouped_by_what_people_want_to_do(run):
    text = printed_help(run, "")
    places = [text.index(f"─ {group} ─") for group in GROUPS]
    assert places == sorted(places)
    assert "─ Commands ─" not in text  # the group of those that have none


@pytest.mark.parametrize("command", COMMANDS)
def test_help_ends_with_two_examples_and_says_every_default(run, command):
    """An option that has no value of its own says what is used instead, or was declared to do without."""
    shown = examples_in(printed_help(run, command))
    assert shown == [" ".join(line.split()) for line in EXAMPLES[command]]
    assert len(set(shown)) == 2
    assert all(f"clutrr {command}" in line for line in shown)
    for parameter in COMMANDS[command].params:
        if parameter.default is None and not parameter.required and parameter.name != "help":
            assert parameter.show_default is not True, parameter.name


def run_examples(shell, *commands: str) -> None:
    for command in commands:
        for line in EXAMPLES[command]:
            shell(line)


@pytest.mark.process
def test_examples_that_make_data(shell):
    run_examples(shell, "generate", "convert", "learn-world")


@pytest.mark.process
def test_examples_that_look_at_data_and_train(shell):
    pytest.importorskip("torch", reason="torch is not installed")
    run_examples(shell, "generate", "solve", "audit", "train", "evaluate", "explore", "info")


@pytest.mark.process
def test_examples_that_ask_models(shell, monkeypatch):
    pytest.importorskip("torch", reason="torch is not installed")
    for command in ("generate", "train", "evaluate"):
        shell(EXAMPLES[command][0])
    with serving() as (address, service):
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        run_examples(shell, "prompts", "tasks", "tasks lm-eval")
        for line in EXAMPLES["ask"]:
            shell(line.replace(ADDRESS, address))
        run_examples(shell, "score")
    assert len(service.requests) == 40


@pytest.mark.process
def test_examples_for_inspect(shell):
    pytest.importorskip("inspect_ai", reason="inspect-ai is not installed")
    run_examples(shell, "tasks inspect")


@pytest.mark.process
def test_examples_of_the_paper(shell):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    pytest.importorskip("torch", reason="torch is not installed")
    matrix = {"data": {"preset": "published", "k": 3, "train": 60, "test": 20, "distractors": 0}}
    Path("mine.yaml").write_text(yaml.safe_dump(matrix | {"models": ["gnn", "lstm"], "epochs": 1}))
    run_examples(shell, "reproduce", "report", "paths")
