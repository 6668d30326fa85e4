"""The docs: their commands exist, their examples give what they show, their tree is the tree."""

import json
import re
import shlex
import tomllib
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import pytest
import typer
import yaml

import clutrr
from clutrr._cli import app as clutrr_app
from clutrr._score.reward import WEIGHTS
from clutrr._train.matrix import find_matrix, load_matrix, shipped
from solving_server import serving, solved

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
NOTES = sorted((ROOT / "experiments/notes").glob("*.md"))
COMMANDS = [
    (page.name, line)
    for page in PAGES
    for block in re.findall(r"```(?:\w*)\n(.*?)```", page.read_text(), re.DOTALL)
    for line in block.splitlines()
    if line.removeprefix("$ ").startswith(("clutrr ", "python "))
]


def options(app: typer.Typer, words: list[str]) -> set[str]:
    """The options of the command of an app that the words start with."""
    command = typer.main.get_command(app)
    for word in words:
        commands = getattr(command, "commands", None)
        if commands is None:
            break
        assert word in commands, f"no command {word}"
        command = commands[word]
    return {option for one in command.params for option in (*one.opts, *one.secondary_opts)}


def check_command(command: str) -> None:
    """A command of `clutrr` or of a tool has its options; any other script of the checkout is there."""
    name, *words = shlex.split(command)
    app = clutrr_app()
    if name == "python":
        script = Path(words.pop(0))
        assert (ROOT / script).is_file(), script
        if script.parts[0] != "tools":
            return
        app = import_module(script.stem).app
    assert {word for word in words if word.startswith("--")} <= options(app, words)


@pytest.mark.parametrize(("page", "line"), COMMANDS)
def test_every_command_and_option_exists(page, line):
    check_command(line.removeprefix("$ ").partition(" #")[0])


def test_the_python_example_runs(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs/tutorial.md").read_text(), re.DOTALL)
    program = "\n".join(blocks).replace("epochs=10", "epochs=1").replace("size=500", "size=40")
    exec(program, {})
    assert "So Dan is Ann's son-in-law: entailed" in capsys.readouterr().out


@pytest.mark.parametrize(("page", "proofs"), [("README.md", 1), ("docs/worlds.md", 7)])
def test_the_solver_says_what_pages_show(run, page, proofs):
    blocks = re.findall(r"```\n\$ clutrr (solve .*?)```", (ROOT / page).read_text(), re.DOTALL)
    assert len(blocks) == proofs
    for block in blocks:
        command, _, shown = block.partition("\n")
        assert run(*shlex.split(command)) == (0, shown, "")


def shown_commands() -> list[tuple[str, str]]:
    """The commands of the README to start with, each with the line that it prints last."""
    block = (ROOT / "README.md").read_text().split("## Five commands")[1].split("```")[1]
    return re.findall(r"^\$ clutrr (.+)\n(.+)$", block, re.MULTILINE)


@pytest.mark.process
def test_the_readme_says_what_its_commands_print(run, tmp_path, monkeypatch):
    pytest.importorskip("torch", reason="torch is not installed")
    monkeypatch.chdir(tmp_path)
    commands = shown_commands()
    assert len(commands) == 5
    with serving() as (address, _):
        for command, shown in commands:
            code, printed, errors = run(*shlex.split(command.replace("URL", address)))
            assert code == 0, errors
            # Times differ from run to run, and so do the last digits of a training between machines.
            passing = r"[\d.]+ (?=s\b)|(?<=loss )[\d.-]+|[\d.]+ (?=% of the training)|[\d,]+ (?=tokens|written)"
            assert re.sub(passing, "", shown) in re.sub(passing, "", printed).splitlines()


def test_the_prompt_is_the_one_shown(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs/prompts-and-replies.md").read_text()
    commands, shown = (
        re.search(rf"```{name}\n(.*?)```", page, re.DOTALL)[1] for name in ("sh", "text")
    )
    *_, (code, printed, _) = [run(*shlex.split(line)[1:]) for line in commands.splitlines()]
    assert code == 0
    assert json.loads(printed)["messages"][0]["content"].split() == shown.split()


def test_a_batch_is_made_and_scored_as_the_page_says(run, shell, world):
    page = (ROOT / "docs/prompts-and-replies.md").read_text()
    start, batch = page.split("## A provider's batch API")
    for line in re.search(r"```sh\n(.*?)```", start, re.DOTALL)[1].splitlines():
        shell(line)
    shell(re.search(r"```\n(clutrr .*?)\n```", batch, re.DOTALL)[1])
    code, _, errors = run("score", "stories", "prompts.jsonl")
    assert (code, errors) == (2, "clutrr: prompts.jsonl, line 1: no column 'reply'\n")
    requests, replies = re.findall(r"```python\n(.*?)```", batch, re.DOTALL)
    exec(requests, said := {})
    results = [
        {"custom_id": "M2-test-000000001", "response": None, "error": {"code": "batch_expired"}}
    ]
    for asked in reversed(
        [json.loads(line) for line in Path("requests.jsonl").read_text().splitlines()][2:]
    ):
        message = {"content": solved(asked["body"]["messages"][-1]["content"], world)}
        body = {"choices": [{"message": message, "finish_reason": "stop"}]}
        results.append(
            {"custom_id": asked["custom_id"], "response": {"status_code": 200, "body": body}}
        )
    Path("results.jsonl").write_text("\n".join(map(json.dumps, results)))
    exec(replies, said)
    code, printed, _ = run("score", "stories", "replies.jsonl", "--steps", "--json")
    found = json.loads(printed)
    assert (code, found["rows"], found["right"], found["missing"]) == (0, 18, 18, 0)
    assert found["steps"]["all"]["right_by_right_steps"] == 18


def anchors(page: Path) -> set[str]:
    """What a link to a heading of the page may end in."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize(
    "page", [*PAGES, *NOTES, ROOT / "experiments/README.md"], ids=lambda page: page.name
)
def test_links_and_pictures_are_there(page):
    for target, _, heading in re.findall(r"\]\(([^)#\s]*)(#([^)\s]+))?\)", page.read_text()):
        if "://" not in target:
            there = page.parent / target if target else page
            assert there.exists(), target
            assert not heading or heading in anchors(there), f"{target}#{heading}"


def test_every_note_is_dated_and_linked_once():
    linked = [
        link for page in PAGES for link in re.findall(r"/notes/([\w.-]+)\)", page.read_text())
    ]
    listed = re.findall(
        r"^\| \[.+\]\(([\w.-]+)\)", (ROOT / "experiments/notes/README.md").read_text(), re.MULTILINE
    )
    assert (
        sorted(linked)
        == sorted(listed)
        == [note.name for note in NOTES if note.name != "README.md"]
    )
    assert all(re.match(r"20\d\d-\d\d-\d\d-", name) for name in listed)


def test_versions_agree():
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"] == clutrr.__version__
    headings = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[headings[0] == "Unreleased"] == clutrr.__version__


def test_every_extra_is_in_the_readme():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    table = (ROOT / "README.md").read_text().split("| extra |")[1].split("\n\n")[0]
    assert set(re.findall(r"`(\w+)`(?=[^|]*\|)", table.split("---", 1)[1])) >= set(extras) - {"dev"}


def test_the_reward_of_the_docs():
    page = (ROOT / "docs/train-with-rewards.md").read_text()
    call, shown = re.search(r"`(clutrr\.reward\(.*?\))` is `(.*?)`", page).groups()
    assert eval(call) == eval(shown)
    table = page.split("## The reward")[1].split("\n## ")[0]
    found = re.findall(r"^\| `(\w+)` \| (\d+) \|", table, re.MULTILINE)
    assert {part: float(weight) for part, weight in found} == WEIGHTS


def test_every_matrix_is_on_its_page() -> None:
    page = (ROOT / "docs/matrix-files.md").read_text()
    named = re.findall(
        r"^\| `([\w-]+)` \| (.+) \|$", page.split("| name | about |")[1], re.MULTILINE
    )
    assert named == [(name, find_matrix(name).about) for name in shipped()]
    page = (ROOT / "experiments/README.md").read_text()
    named = re.findall(r"^\| \[`([\w-]+).yaml`\]\(\1.yaml\) \| (.+?) \|", page, re.MULTILINE)
    files = sorted((ROOT / "experiments").glob("*.yaml"))
    assert named == [(file.stem, load_matrix(file).about) for file in files]


@pytest.mark.parametrize(
    "path", sorted((ROOT / "experiments/results").glob("*.json")), ids=lambda path: path.stem
)
def test_every_result_file_says_what_it_is_and_the_commands_that_make_it(path):
    content = json.loads(path.read_text())
    assert content["about"]
    assert content["commands"]
    if path.stem in ("composer-v1", "real-text-retold", "real-text-tables"):
        return  # of stories that version 0.2 told again
    for command in content["commands"]:
        check_command(command)
        for option, value in pairwise(shlex.split(command)):
            if option == "--matrix":
                assert value in shipped() or (ROOT / value).is_file()
