"""The help: groups of commands, two examples each, and every example does what it says it does."""

import re
from pathlib import Path

import pytest
import typer
import yaml

from clutrr._cli import app
from clutrr._cli.examples import EXAMPLES
from solving_server import serving

GROUPS = ["Make data", "Look at data", "Train and test", "Ask models", "The paper"]
ADDRESS = "http://localhost:8000/v1"
ASKING = ("prompts", "ask", "score")


COMMANDS = typer.main.get_command(app()).commands


def printed_help(run, command: str) -> str:
    code, printed, _ = run(*command.split(), "--help")
    assert code == 0
    return printed


def examples_in(text: str) -> list[str]:
    """The commands below "Examples:" in a printed help: a paragraph each, however its lines were broken."""
    below = text.split("Examples:")[1]
    return [
        " ".join(paragraph.split())
        for paragraph in re.split(r"\n\s*\n", below)
        if paragraph.strip()
    ]


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


@pytest.mark.process
@pytest.mark.parametrize(
    ("commands", "needs"),
    [
        (["generate", "book", "convert", "learn-world", "chains", "paths"], ()),
        (
            ["generate", "solve", "audit", "train", "evaluate", "explore", "info", *ASKING],
            ["torch"],
        ),
        (["tasks"], ["inspect_ai"]),
        (["reproduce", "report"], ["torch", "matplotlib"]),
    ],
    ids=lambda given: "-".join(given),
)
def test_examples(shell, monkeypatch, commands, needs):
    for name in needs:
        pytest.importorskip(name, reason=f"{name} is not installed")
    matrix = {"data": {"preset": "published", "k": 3, "train": 60, "test": 20, "distractors": 0}}
    Path("mine.yaml").write_text(yaml.safe_dump(matrix | {"models": ["gnn", "lstm"], "epochs": 1}))
    with serving() as (address, service):
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        for command in commands:
            for line in EXAMPLES[command]:
                shell(line.replace(ADDRESS, address))
    assert len(service.requests) == 40 * ("ask" in commands)
