"""What means ill, or slipped from a finger, ends in one line: no traceback, no machine without memory."""

import gzip
import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import clutrr
import sample_files
from clutrr import load_world
from clutrr.__main__ import main as start
from clutrr._data import open_dataset
from clutrr._explore.page import serve_page
from clutrr._generate import Config
from clutrr._generate.folder import Job, generate_folder
from clutrr._io.limits import VARIABLE, limit
from clutrr._io.yamls import read_yaml
from clutrr._reading import reader_of
from clutrr._report.loading import load_experiment
from clutrr._score.predictions import read_predictions
from clutrr._score.replies import AnswerReader, QuestionForm
from clutrr._table import SCHEMA
from clutrr._train.matrix import load_matrix
from clutrr.errors import ClutrrError, ConfigError, DataError, WorldError
from commands import is_refusal, refused
from processes import PATIENCE, session, until

pytestmark = pytest.mark.process


@pytest.mark.skipif(sys.platform != "linux", reason="what a process took is read from /proc")
def test_memory_is_bounded_by_what_is_read(tmp_path):
    """Each of these takes gigabytes where it is unpacked whole."""
    row = sample_files.OWN | {"story": "[Ann] has a son, [Bob]." + " " * 1_000_000}
    one = pa.Table.from_pylist([row], SCHEMA)
    with pq.ParquetWriter(tmp_path / "texts.parquet", SCHEMA, compression="zstd") as writer:
        for _ in range(32):
            writer.write_table(pa.concat_tables([one] * 64).combine_chunks())
    assert (tmp_path / "texts.parquet").stat().st_size < 300_000
    _crowd(tmp_path / "crowd.parquet", 20_000_000)
    assert (tmp_path / "crowd.parquet").stat().st_size < 10_000
    lists = '"' + "[" + "[]," * 5_000_000 + "[]]" + '"'
    with gzip.open(tmp_path / "lists.csv.gz", "wt") as file:
        file.write(sample_files.CSV + ",".join(["x"] * 3 + [lists]) + "\n")
    script = (
        "import sys\n"
        "from clutrr._data import open_dataset\n"
        "from clutrr.errors import ClutrrError\n"
        "for name in sys.argv[1:]:\n"
        "    try:\n"
        "        sum(len(part.table) for part in open_dataset(name).parts())\n"
        "    except ClutrrError as error:\n"
        "        print(error)\n"
        "status = dict(line.split(':', 1) for line in open('/proc/self/status'))\n"
        "print(int(status['VmHWM'].split()[0]) >> 10)\n"
    )
    names = [str(tmp_path / name) for name in ("texts.parquet", "crowd.parquet", "lists.csv.gz")]
    done = subprocess.run(
        [sys.executable, "-c", script, *names],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert int(done.stdout.split()[-1]) < 700, done.stdout


def _crowd(path: Path, size: int) -> None:
    """A story of so many entities, all called the same: a few bytes tell that."""
    table = pa.Table.from_pylist([sample_files.OWN], SCHEMA)
    names = [pa.repeat(text, size) for text in ("Ann", "female")]
    entities = pa.StructArray.from_arrays(names, ["name", "form"])
    field = SCHEMA.field("entities")
    crowd = pa.ListArray.from_arrays(pa.array([0, size], pa.int32()), entities).cast(field.type)
    table = table.set_column(SCHEMA.get_field_index("entities"), field, crowd)
    pq.write_table(
        table, path, compression="zstd", data_page_size=1 << 30, write_batch_size=1 << 30
    )


def test_limits_can_be_raised(monkeypatch, tmp_path):
    row = sample_files.OWN | {"story": "[Ann] has a son, [Bob]." + " " * 5_000_000}
    (tmp_path / "a.jsonl").write_text(json.dumps(row) + "\n")
    pq.write_table(pa.Table.from_pylist([row], SCHEMA), tmp_path / "a.parquet", compression="zstd")
    for name, says in (("a.jsonl", "line 1: a line"), ("a.parquet", "a row")):
        with pytest.raises(DataError, match=f"{says} of more than 4 MB: set CLUTRR_LIMITS=10"):
            list(open_dataset(tmp_path / name).parts())
    monkeypatch.setenv(VARIABLE, "2")
    assert limit(7) == 14
    assert [len(part.table) for part in open_dataset(tmp_path / "a.jsonl").parts()] == [1]
    for wrong in ("much", "0", "-3", "nan", "inf", ""):
        monkeypatch.setenv(VARIABLE, wrong)
        with pytest.raises(ConfigError, match=VARIABLE):
            limit(1)


def test_time_is_bounded_by_what_is_read(tmp_path, world):
    started = time.process_time()
    (tmp_path / "wide.csv").write_text(
        ",".join(f"c{i}" for i in range(100_000)) + ",story,summary\n"
    )
    with pytest.raises(DataError, match="100,002 columns, more than 1,000"):
        list(open_dataset(tmp_path / "wide.csv").parts())
    for text in ("[" * 100_000, "[a" * 100_000, "[a] [" * 50_000):
        reader = reader_of(world)
        reader.read(text + ".")
        reader.read("[Ann] " + text)
    assert (
        time.process_time() - started < 30
    )  # of this process: the machine may be busy with others


def test_a_story_that_is_too_much_for_a_model(tmp_path):
    pytest.importorskip("torch")
    from clutrr.models import encode, learn_vocabulary

    crowd = [f"P{i}" for i in range(1000)]
    for story, what in (
        (" ".join(f"[{name}] sings." for name in crowd), "people and values"),
        (" and ".join(f"[{name}]" for name in crowd[:100]) + " sing.", "names in a sentence"),
    ):
        row = sample_files.OWN | {
            "story": story,
            "entities": [{"name": n, "form": "male"} for n in crowd],
        }
        table = pa.Table.from_pylist([row, sample_files.OWN], SCHEMA)
        with pytest.raises(DataError, match=f"story M1-test-000000000: .*{what}"):
            encode(table, learn_vocabulary([table], load_world()))


LONG_REPLIES = (
    *(
        "not son ",
        "not son but ",
        "cannot be told ",
        "cannot be told whether ",
        "\\boxed{",
        "\\boxed{son}",
    ),
    *(
        "<answer>",
        "<answer ",
        "<answer>son</answer>",
        "<think>",
        "<think ",
        "Answer: son\n",
        "Answer:\n",
    ),
    *("step-", "{", "}", "n't", "母", "a\u0301", "\ufdfa", "( ", "A) ", "**", "the\n", "x.", "ß"),
    *(
        "son, ",
        "son or ",
        "ANN ",
        "ANN's son's ",
        "ANN is BOB's son. ",
        "BOB is the son of ",
        "ANN and ",
    ),
)


@pytest.mark.slow
@pytest.mark.parametrize("piece", LONG_REPLIES)
def test_a_reply_is_read_in_the_time_it_takes_to_read(world, piece):
    """A megabyte of it, and as much as an answer may have."""
    (puzzle,) = clutrr.generate(k=3, size=1)
    piece = piece.replace("ANN", puzzle.query[0]).replace("BOB", puzzle.query[1])
    reader, started = AnswerReader(world), time.process_time()
    for length in (1_000_000, 49_000):
        text = piece * (length // len(piece))
        reader.read(text)
        reader.read(text, QuestionForm("choice", ("son", "niece")))
        clutrr.verify(text, puzzle)
    assert time.process_time() - started < 8  # quadratic time would be hours


def test_predictions_that_are_no_probabilities(tmp_path):
    row = {"subset": "M1", "id": "x", "target": "son", "prediction": "son"}
    for number in (float("nan"), float("inf"), -0.5, 7.0):
        pq.write_table(
            pa.Table.from_pylist([row | {"probability": number}]), tmp_path / "p.parquet"
        )
        with pytest.raises(DataError, match="row 1: probability must be a number from 0 to 1"):
            read_predictions(tmp_path / "p.parquet")


@pytest.mark.skipif(sys.platform != "linux", reason="no such device")
def test_files_without_end(run, tool, tmp_path, monkeypatch):
    """Nothing is read from a device in the place of a file."""
    data = tmp_path / "data"
    generate_folder(Job(data, Config("described", (2,), 4, 2, distractors=0)))
    (data / "manifest.json").unlink()
    (data / "manifest.json").symlink_to("/dev/zero")
    (tmp_path / "page.md").write_text("<!-- table by cell: /dev/zero -->\n<!-- end of table -->\n")
    renders = [
        lambda page=page: tool("render", page) for page in (tmp_path / "page.md", "/dev/zero")
    ]
    for command in (lambda: run("info", data), *renders):
        code, _, err = command()
        assert code == 0 or is_refusal(code, err), err


@pytest.mark.parametrize("name", ["$\\frac$ a\x1b[31mb <b>&amp; [bold]x a|b", "x" * 200])
def test_names_of_answers_in_a_report(run, tmp_path, name):
    pytest.importorskip("matplotlib")
    (tmp_path / "asked.jsonl").write_text(sample_files.JSONL)
    (tmp_path / f"{name}.csv").write_text(f"id,answer\n{sample_files.OWN['id']},son\n")
    wish = [tmp_path / "asked.jsonl", tmp_path / f"{name}.csv", "--to", tmp_path / "out"]
    code, out, err = run("score", *wish)
    assert (code, err) == (0, "")
    page = (tmp_path / "out/index.html").read_text()
    assert "\x1b" not in page + out
    assert "<b>&" not in page


WORLDS = {
    "not a number": "a: !!int x\n",
    "nested": "a: " + "[" * 50_000 + "\n",
    "nested blocks": "\n".join(" " * i + "a:" for i in range(300)),
    "aliases": "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n",
    "a date": "a: 2001-99-99\n",
    "a key that is a list": "? [a, b]\n: c\n",
    "a number of 5,000 digits": "a: " + "9" * 5000 + "\n",
    "a number of 20,000 parts": "a: " + "1:" * 20_000 + "1",
    "a fraction of 50,000 digits": "a: 1." + "1" * 50_000,
    "a hexadecimal number": "a: 0x" + "f" * 50_000,
    "minutes": "a: 1:30",
    "code": "a: !!python/object/apply:os.abort []\n",
    "not UTF-8": b"a: \xff\n",
    "merged": "<<: 3\n",
    "a tab": "\t- x",
    "binary": "a: !!binary x\n",
    "a set": "a: !!set {b, c}\n",
    "a long name": f"extends: {'x' * 5000}\n",
}


@pytest.mark.parametrize("case", WORLDS)
@pytest.mark.parametrize("file", ["relations.yaml", "templates.yaml", "world.yaml"])
def test_hostile_worlds(tmp_path, case, file):
    (tmp_path / "world.yaml").write_text("extends: kinship\n")
    content = WORLDS[case]
    (tmp_path / file).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(WorldError) as caught:
        load_world(tmp_path)
    assert str(tmp_path / file) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize(
    "number", ["9" * 5000, "0x" + "f" * 500_000, "1:30", "9" * 41 + ".5", "1:30.5"]
)
def test_numbers_that_are_none(tmp_path, number):
    (tmp_path / "a.yaml").write_text(f"a: {number}\n")
    with pytest.raises(WorldError, match=r"line 1: '.*is not a number \(quote it\)"):
        read_yaml(tmp_path / "a.yaml", WorldError)


MATRICES = (
    "data: {k: [a]} | models: [1] | models: [[]] | data: {k: 2001-99-99} | data: {k: [3, true]} | "
    "data: {train: 1e999} | train: [1e999] | test: {k: {}} | seeds: 1e999 | epochs: {gnn: .nan} | "
    "learning_rate: .nan | [] | | train: &a [*a]"
).split(" | ")


@pytest.mark.parametrize("text", MATRICES)
def test_hostile_matrices(tmp_path, text):
    (tmp_path / "matrix.yaml").write_text(text)
    with pytest.raises(ConfigError):
        load_matrix(tmp_path / "matrix.yaml")
    with pytest.raises(ClutrrError):
        load_experiment(tmp_path)


def test_hostile_options(tmp_path):
    for arguments in (
        ["generate", tmp_path / "out", "--k", "9" * 5000],
        ["generate", tmp_path / "out", "--train", str(10**15)],
        ["generate", tmp_path / "out", "--seed", "9" * 5000],
        ["generate", tmp_path / ("x" * 5000)],
        ["train", tmp_path, tmp_path / "run", "--batch", "1000000000000"],
        ["train", tmp_path, tmp_path / "run", "--epochs", "9" * 400],
        ["info", tmp_path / "[/b]"],
        ["info", "a\0b"],
        ["info", b"\xff".decode("utf-8", "surrogateescape")],
        ["solve", "--story", "[/b]", "--query", "[/b]", "[b]"],
        ["explore", tmp_path, "--out", tmp_path / ("x" * 300)],
    ):
        refused(*arguments)
    assert not list(tmp_path.iterdir())


def test_markup_in_a_path_is_text(run, tmp_path):
    (tmp_path / "[").mkdir()
    name = tmp_path / "[" / "b]"
    assert run("generate", name, "--k", "2", "--train", "5", "--test", "5")[0] == 0
    code, out, _ = run("info", name)
    assert (code, str(name) in out) == (0, True)


def test_a_page_is_served_under_its_own_name_only():
    addresses: list[str] = []
    ready = threading.Event()

    def told(address: str) -> None:
        addresses.append(address)
        ready.set()

    threading.Thread(target=serve_page, args=("<p>secret", told), daemon=True).start()
    assert ready.wait(PATIENCE)
    place = addresses[0].removeprefix("http://").rstrip("/")
    for host, status in (
        (place, 200),
        (place.replace("127.0.0.1", "localhost"), 200),
        ("evil.example", 403),
        (f"evil.example:{place.partition(':')[2]}", 403),
        ("", 403),
    ):
        connection = http.client.HTTPConnection(place, timeout=PATIENCE)
        connection.request("GET", "/", headers={"Host": host})
        answer = connection.getresponse()
        assert answer.status == status
        assert (b"secret" in answer.read()) == (status == 200)


def test_stopping_says_how_to_go_on(tmp_path):
    more = ["--train", "2000000", "--workers", "2"]
    command = [sys.executable, "-m", "clutrr", "generate", tmp_path / "out", *more]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as run:
        until(
            lambda: (tmp_path / "out.partial/done").exists() or run.poll() is not None,
            "a beginning",
        )
        os.killpg(run.pid, signal.SIGINT)
        assert run.wait(PATIENCE) == 130
        assert run.stderr.read() == "clutrr: stopped; run the same command again to go on\n"


def test_stopping_while_it_loads(monkeypatch, capsys):
    class Stopped:
        def find_spec(self, name, path=None, target=None):
            if name == "clutrr._cli":
                raise KeyboardInterrupt

    monkeypatch.setattr(sys, "argv", ["clutrr"])
    monkeypatch.delitem(sys.modules, "clutrr._cli", raising=False)
    monkeypatch.delattr("clutrr._cli", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Stopped(), *sys.meta_path])
    with pytest.raises(SystemExit) as stopped:
        start()
    assert stopped.value.code == 130
    assert capsys.readouterr().err == "clutrr: stopped; run the same command again to go on\n"


def test_a_mistake_of_ours_is_one_line_too(run, monkeypatch):
    monkeypatch.setattr("clutrr._data.given.open_dataset", lambda *_, **__: 1 / 0)
    code, _, err = run("info", "x")
    assert code == 1
    assert err.startswith("clutrr: a bug in clutrr: ZeroDivisionError: division by zero (")
    assert err.count("\n") == 1
    monkeypatch.setenv("CLUTRR_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        run("info", "x")


@pytest.mark.parametrize("processes", [2, 3])  # the command and one or both of its workers
def test_stopping_at_any_moment(tmp_path, processes):
    """While processes start, while they work: one line, no traceback, no waiting."""
    rows = [json.dumps(sample_files.OWN | {"id": f"M1-test-{i:09}"}) + "\n" for i in range(3000)]
    (tmp_path / "data.jsonl").write_text("".join(rows))
    two_cores = "import os; os.cpu_count = lambda: 2; from clutrr._cli import main; main()"
    command = [sys.executable, "-c", two_cores, "explore", tmp_path / "data.jsonl"]
    more = ["--out", tmp_path / "page.html", "--limit", "3000"]
    given = {
        "stderr": subprocess.PIPE,
        "stdout": subprocess.DEVNULL,
        "text": True,
        "start_new_session": True,
    }
    with subprocess.Popen([*command, *more], **given) as run:
        until(
            lambda: len(session(run.pid)) >= processes or run.poll() is not None,
            f"{processes} processes",
        )
        os.killpg(run.pid, signal.SIGINT)
        code, err = run.wait(PATIENCE), run.stderr.read()
    assert (code, err) in ((130, "clutrr: stopped; run the same command again to go on\n"), (0, ""))


def test_stopping_after_the_end():
    """Ctrl-C while the interpreter closes: the command has answered, and that stands."""
    late = "import atexit, os, signal; atexit.register(os.kill, os.getpid(), signal.SIGINT)"
    code = f"{late}; from clutrr.__main__ import main; main()"
    ended = subprocess.run(
        [sys.executable, "-c", code, "--version"], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")
