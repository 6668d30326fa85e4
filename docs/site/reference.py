"""Pages that nobody writes: commands from their help, Python from docstrings, results from their files."""

import inspect
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

import clutrr
from clutrr._cli import app

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
from render import render

_PYTHON = {
    "Make data": [
        "generate",
        "stream",
        "book",
        "chains",
        "puzzle",
        "read",
        "write",
        "convert",
        "learn_world",
    ],
    "Look at data": ["info", "explore", "statements", "solve", "audit", "check_theory"],
    "Train and test": ["train", "evaluate", "load_run"],
    "Ask models": ["prompts", "ask", "score", "reward", "verify", "read_answer", "task_path"],
    "The paper": ["reproduce", "report", "plot", "paths"],
    "What they exchange": [
        *("Puzzle", "Fact", "Entity", "Sentence", "Statement", "World", "load_world"),
    ],
    "What they return": [
        "_solve.Solution",
        "_audit.audit.Audit",
        "_audit.audit.Group",
        "_score.result.Result",
        "_score.result.Score",
        "_score.result.Training",
        "_report.experiment.Experiment",
        "_report.experiment.TableEntry",
        "_report.info.DataInfo",
        "_report.info.RunInfo",
        "_audit.convert.Converted",
        "_chains.chains.Chains",
        "_chains.chain.Chain",
        "_chains.chain.Step",
        "_reading.learning.LearntWorld",
        "_train.run.Run",
        "_train.evaluate.Evaluation",
        "_train.evaluate.SubsetAnswers",
        "_explore.explore.ExplorerPage",
        "_paths.PathCounts",
        "theory.checking.TheoryCheck",
        "theory.checking.Check",
    ],
    "A theory of your own": [
        "theory.Theory",
        "theory.Assumption",
        "theory.Preset",
        "theory.questions.QuestionSource",
        "theory.questions.QuestionBlock",
        "theory.Supply",
        "theory.Solver",
        "theory.Verdict",
    ],
    "Errors": [
        "errors.ClutrrError",
        "errors.ConfigError",
        "errors.ArgumentError",
        "errors.WorldError",
        "errors.DataError",
        "errors.RowError",
        "errors.OutputError",
        "errors.ServiceError",
        "errors.ClusterError",
        "errors.WorkError",
        "errors.ExtraError",
    ],
}


def commands_page() -> str:
    """Every command with its options and examples, grouped as in `clutrr --help`."""
    lines = [
        "# Commands",
        "",
        "This is what `clutrr COMMAND --help` says. Every command that prints figures takes `--json`, and",
        "then prints one JSON document and nothing else. A mistake in the input is one line on standard",
        "error, and the exit code is 2.",
    ]
    root = typer.main.get_command(app())
    groups: dict[str, list[Any]] = {}
    for command in root.commands.values():  # type: ignore[attr-defined]
        groups.setdefault(command.rich_help_panel, []).append(command)
    for group, commands in groups.items():
        lines += ["", f"## {group}"]
        for command in commands:
            lines += ["", f"### {command.name}", "", *_command(command)]
    return "\n".join(lines) + "\n"


def _command(command: Any) -> Iterator[str]:
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    options = [p for p in command.params if p.param_type_name == "option" and p.name != "help"]
    yield inspect.cleandoc(command.help)
    usage = [_usage(parameter) for parameter in arguments]
    yield from (
        "",
        "```text",
        " ".join(["clutrr", command.name, *usage, *(["[OPTIONS]"] if options else [])]),
        "```",
    )
    if arguments or options:
        yield from ("", "| argument or option | default | meaning |", "| --- | --- | --- |")
    for parameter in (*arguments, *options):
        # A switch that only turns something off has no other name.
        spelled = parameter.opts or parameter.secondary_opts
        name = usage[arguments.index(parameter)] if parameter in arguments else spelled[0]
        yield f"| `{name}` | {_default(parameter)} | {_cell(parameter.help or '')} |"
    heading, *examples = command.epilog.split("\n\n")
    yield from ("", heading, "", "```sh", *(line.strip() for line in examples), "```")


def _usage(argument: Any) -> str:
    name = argument.metavar or argument.name.upper()
    more = "..." if argument.nargs == -1 and not name.endswith("...") else ""
    return f"{name}{more}" if argument.required else f"[{name}{more}]"


def _default(parameter: Any) -> str:
    """What is used if it is not given, in words if it is computed; nothing for a switch."""
    if isinstance(parameter.show_default, str):
        return parameter.show_default
    value = parameter.default
    if parameter.required:
        return "required"
    return "" if value is None or isinstance(value, bool) or value == "" else f"`{value}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def python_page() -> str:
    """The public names, by what they are for, with their docstrings."""
    listed = {name for names in _PYTHON.values() for name in names}
    if missing := set(clutrr.__all__) - listed - {"__version__", "ClutrrError", "errors"}:
        raise ValueError(f"the reference lacks {', '.join(sorted(missing))}")
    lines = [
        "# Python",
        "",
        "Every command is a function of the same name. `import clutrr` loads nothing heavy; a function that needs an extra",
        "says which one. To write parts of a model: [a model of your own](own-model.md).",
    ]
    for heading, names in _PYTHON.items():
        lines += ["", f"## {heading}", "", "```{eval-rst}"]
        for name in names:
            last = name.rpartition(".")[2]
            kind = (
                "autofunction"
                if last.islower()
                else "autoexception"
                if "Error" in last
                else "autoclass"
            )
            lines += [
                f".. {kind}:: clutrr.{name}",
                *(["   :members:"] if kind == "autoclass" else []),
                "",
            ]
        lines += ["```"]
    return "\n".join(lines) + "\n"


def results_page(folder: Path, scratch: Path) -> str:
    """Every file of experiments/results: what it is, the commands that made it, and its cells."""
    lines = [
        "# Results",
        "",
        "Every figure of these pages comes from one of these files, which are made by the commands shown.",
    ]
    for file in sorted(folder.glob("*.json")):
        content = json.loads(file.read_text(encoding="utf-8"))
        lines += ["", f"## {file.stem}", "", content.get("about") or content.get("data", "")]
        devices = dict.fromkeys(result["device"] for result in content.get("results", ()))
        device = " and ".join(devices) or content.get("device", "")
        lines += ["", f"[{file.name}](results/{file.name}){device and f', {device}'}:", "", "```sh"]
        lines += [*content.get("commands", []), "```"]
        if "results" in content:
            lines += ["", f"<!-- table by length: {file} -->", "<!-- end of table -->"]
    page = scratch / "results.md"
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return render(page).text
