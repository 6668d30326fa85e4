"""A terminal obeys some characters: whatever text a command shows, they are spelt out."""

import json
import unicodedata
from pathlib import Path

import pytest

import sample_files
from clutrr._cli.show import print_json, say, shown
from clutrr.errors import plain
from commands import is_refusal, refused
from solving_server import Service, serving

MARKS = "\u061c\u200e\u200f"
OBEYED = (
    MARKS
    + "\x00\x07\x08\r\x1b\x7f\x9b\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)
ANN, BOB = (
    "Ann\x1bc\u202e",
    "Bob\x07\x9b2J\u2066",
)  # reset, reversed; bell, cleared screen, isolated
STORY = f"[{ANN}] has a son, [{BOB}]. \x1bPtitle\x07\rGood.\0"
ORDINARY = "Zoë is Łukasz's sister. 美玲是小明的妹妹。\u3000می\u200cروم क्\u200dष 👩\u200d👧 שלם\xa0! \ue000\tأب"


def raw(text: str) -> list[str]:
    """The characters of a text that a terminal obeys. New lines and tabs are ours."""
    return [
        character
        for character in text
        if (unicodedata.category(character) in ("Cc", "Zl", "Zp") and character not in "\n\t")
        or unicodedata.bidirectional(character)
        in ("LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI")
        or character in MARKS
    ]


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    """Two puzzles; the second has a fact that its text does not state, for the audit to show."""
    one = sample_files.OWN | {
        "id": "M1-test-\x1b[2J\u202e",
        "story": STORY,
        "abstract": f"[{BOB}] is [{ANN}]'s son.",
        "query": [ANN, BOB],
        "facts": [[ANN, "son", BOB]],
        "entities": [{"name": ANN, "form": "female"}, {"name": BOB, "form": "male"}],
        "scene": "f\x1b",
    }
    other = one | {"id": "M1-test-\r\x07", "facts": [[ANN, "grandson", BOB]]}
    file = tmp_path_factory.mktemp("terminal") / "stories.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in (one, other)))
    return file


COMMANDS = {
    "info": "info DATA",
    "audit": "audit DATA",
    "audit, by facts": "audit DATA --facts",
    "score": "score DATA ANSWERS",
    "score, side by side": "score DATA ANSWERS OTHER",
    "score, as a page": "score DATA ANSWERS OTHER --to OUT",
    "explore": "explore DATA --out OUT --answers ANSWERS",
    "convert": "convert DATA OUT.csv",
    "prompts": "prompts DATA --split test",
}


@pytest.mark.parametrize("as_json", [False, True])
@pytest.mark.parametrize("name", COMMANDS)
def test_what_a_command_shows(run, data, tmp_path, name, as_json):
    names = {"DATA": data, "OUT": tmp_path / "o\x1b", "OUT.csv": tmp_path / "o\x1b.csv"}
    for answers in ("ANSWERS", "OTHER"):
        names[answers] = tmp_path / f"{answers}\x1b\x07.jsonl"
        rows = [json.loads(line) for line in data.read_text().splitlines()]
        said = [{"id": row["id"], "answer": f"\x1b[31m{STORY} no relation"} for row in rows]
        names[answers].write_text("".join(json.dumps(row) + "\n" for row in said))
    command = [names.get(word, word) for word in COMMANDS[name].split()]
    if as_json and name != "prompts":
        command.append("--json")
    code, out, err = run(*command)
    assert (code, raw(out + err)) == (0, []), out + err
    if as_json:
        assert all(json.loads(line) for line in out.splitlines())


def test_a_question_on_the_command_line(run):
    """The operating system lets no NUL through; a question in Python could hold one."""
    story = STORY.replace("\0", "")
    code, out, err = run("solve", "--story", story, "--query", ANN, BOB)
    assert (code, raw(out + err)) == (0, [])
    assert r"So Bob\x07\x9b2J\u2066 is Ann\x1bc\u202e's son" in out
    code, out, err = run("solve", "--story", story, "--query", ANN, BOB, "--json")
    assert (code, raw(out), json.loads(out)["query"]) == (0, [], [ANN, BOB])
    err = refused("solve", "--story", story, "--query", ANN, "Eve\x1b\u202e")
    assert (raw(err), r"Eve\x1b\u202e" in err) == ([], True)


def test_a_world_learnt_from_such_stories(run, data, tmp_path):
    code, out, err = run("learn-world", data, tmp_path / "w\x1b")
    assert (raw(out + err), code == 0 or is_refusal(code, err)) == ([], True)


@pytest.mark.parametrize(
    "command",
    [["info", "a\x1b[2J\u202e"], ["audit", "x", "--assume", "\x1b"], ["--\x1b[2J"], ["\u202eask"]],
)
def test_error_lines(command):
    assert raw(refused(*command)) == []


def test_rows_that_cannot_be_read(run, data, tmp_path):
    file = tmp_path / "bad\x1b.jsonl"
    file.write_text(
        data.read_text() + json.dumps(sample_files.OWN | {"k": "\x1b[2J\u202e\r"}) + "\n"
    )
    kept = ["convert", file, tmp_path / "kept.jsonl", "--skip-bad"]
    for command, ends in ((["info", file], 2), (["audit", file], 0), (kept, 0)):
        code, out, err = run(*command)
        assert (code, raw(out + err)) == (ends, [])


def test_a_model_that_is_asked(run, data, tmp_path, monkeypatch):
    monkeypatch.setattr(Service, "reply", lambda self, content: f"{OBEYED} What a story!")
    with serving() as (address, service):
        wish = ["--model", "m\x1b[2J", "--base-url", address]
        code, out, err = run("ask", data, tmp_path / "o\x1b.jsonl", *wish)
    assert service.requests, err
    assert (code, raw(out + err)) == (0, []), err
    assert r"m\x1b[2J: answers to" in out
    assert r"\x1b\x7f" in out  # of a reply that was not read


@pytest.mark.parametrize("number", ["M1-test-\r\n\x1b", "M1-test-一"])
def test_ids_that_no_header_can_hold(run, tmp_path, number):
    """Every request carries its question's id in a header."""
    (tmp_path / "stories.jsonl").write_text(json.dumps(sample_files.OWN | {"id": number}) + "\n")
    with serving() as (address, service):
        wish = ["--model", "m", "--base-url", address]
        code, out, err = run("ask", tmp_path / "stories.jsonl", tmp_path / "answers.jsonl", *wish)
    assert (code, err, len(service.requests)) == (0, "", 1)
    assert service.headers[0]["Idempotency-Key"].startswith("M1-M1-test-%")
    assert "100.0" in out


def test_training_on_such_stories(run, data, tmp_path):
    torch = pytest.importorskip("torch")
    threads = torch.get_num_threads()
    stories = tmp_path / "train.jsonl"
    stories.write_text(data.read_text().replace("-test-", "-train-"))
    folder = tmp_path / "run\x1b\u202e"
    for command in (
        ["train", stories, folder, "--k", "1", "--epochs", "1", "--model", "gnn"],
        ["evaluate", folder, data],
        ["info", folder],
    ):
        code, out, err = run(*command)
        assert (code, raw(out + err)) == (0, []), err
        assert r"run\x1b\u202e" in out
    torch.set_num_threads(threads)


def test_every_character_that_is_obeyed():
    assert raw(OBEYED) == list(OBEYED)
    assert raw(plain(OBEYED + "\n")) == []
    assert plain("\x1b\r\n\u202e\x9b\ud800") == r"\x1b\r\n\u202e\x9b\ud800"


def test_ordinary_text_is_shown_as_it_is(capsys):
    assert raw(ORDINARY) == []
    assert plain(ORDINARY) == ORDINARY
    assert shown(f"{ORDINARY}\n\n{ORDINARY}\n") == f"{ORDINARY}\n\n{ORDINARY}\n"
    say(ORDINARY)
    print_json(ORDINARY)
    assert capsys.readouterr().out == f"{ORDINARY}\n{json.dumps(ORDINARY, ensure_ascii=False)}\n"


def test_json_keeps_what_it_holds(capsys):
    print_json({OBEYED: [ORDINARY, OBEYED]})
    out = capsys.readouterr().out
    assert (raw(out), json.loads(out)) == ([], {OBEYED: [ORDINARY, OBEYED]})
