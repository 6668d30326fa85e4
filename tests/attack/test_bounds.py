"""How much may be read: every file, reply and listing up to a stated limit, in bounded time and memory."""

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import clutrr
import sample_files
from clutrr._ask.endpoint import Endpoint, RetryableError, _seconds
from clutrr._ask.run import recording
from clutrr._config import AskConfig
from clutrr._generate import Config
from clutrr._generate.folder import Job, generate_folder
from clutrr._io.files import read_whole
from clutrr._io.locations import parse_location
from clutrr._io.records import parse_json, read_json
from clutrr.errors import DataError, OutputError
from commands import is_refusal, process, refused

pytestmark = [pytest.mark.process, pytest.mark.slow]

GB = 1 << 30


# Replies of a service


def completion(content: object, **more: object) -> bytes:
    return json.dumps({"choices": [{"message": {"content": content}, **more}]}).encode()


def test_what_a_service_says_is_kept_within_bounds(tmp_path):
    endpoint = Endpoint(AskConfig("m"), "sk-very-secret")
    reply = endpoint._parsed(completion("you are sk-very-secret", finish_reason="sk-very-secret"))
    assert "secret" not in f"{reply}"
    assert endpoint._parsed(completion("x", finish_reason="\ud800")).finish == "?"
    assert len(endpoint._parsed(completion("x", finish_reason="y" * 5_000_000)).finish) <= 200
    for long in ("\x01" * 1_000_000, "\\" * 1_000_000, "x" * 2_000_000):
        with pytest.raises(RetryableError, match="a reply of more than"):
            endpoint._parsed(completion(long))


@pytest.mark.parametrize(
    "date",
    ["Mon, 01 Jan 0001 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 -9999", "Mon, 99 Foo 99999 99:99:99", "nan",
     "1e999", "-1", "", "9" * 5000, "Mon, 01 Jan 99999999999999999999 00:00:00 GMT"],
)  # fmt: skip
def test_when_to_try_again(date):
    asked = _seconds(date)
    assert asked is None or asked >= 0


LINE = {
    "id": "M2-test-0", "subset": "M2", "sample": 0, "reply": "son", "model": "m", "sampling": {},
    "prompt_sha256": "",
}  # fmt: skip


def test_replies_that_end_without_a_newline(tmp_path):
    """A whole one is kept, half a one after it is dropped, and a file of somebody else is left as it is."""
    out, whole = tmp_path / "out", json.dumps(LINE).encode()
    for before, after, replies in (
        (whole, whole + b"\n", 1),
        (whole + b"\n" + whole[:40], whole + b"\n", 1),
        (whole + b"\n" + whole, whole + b"\n" + whole + b"\n", 2),
    ):
        out.write_bytes(before)
        with recording(out) as record:
            assert len(list(record.lines())) == replies
        assert out.read_bytes() == after
    for mine in (
        b'{"id": "x", "text": "my notes"}',
        b'{"id": "x',
        b'{"id": "x", "subset": "a", "sample": 1}',
        b"[]",
    ):
        out.write_bytes(mine)
        with (
            pytest.raises(DataError, match="not a reply that `clutrr ask` wrote"),
            recording(out) as record,
        ):
            list(record.lines())
        assert out.read_bytes() == mine


def test_devices_and_holes_are_no_replies(tmp_path):
    with pytest.raises(OutputError, match="not a file"), recording(Path("/dev/zero")):
        pass
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(6 * GB)
    with pytest.raises(DataError, match="not a reply"), recording(tmp_path / "sparse") as record:
        list(record.lines())
    assert (tmp_path / "sparse").stat().st_size == 6 * GB


# Storages


class Endless(BaseHTTPRequestHandler):
    """A storage that claims little and sends much; its listings go on for ever."""

    protocol_version = "HTTP/1.1"

    def do_HEAD(self):
        self._head(200, 1000)

    def do_GET(self):
        if "list-type" in self.path:
            self.server.pages += 1
            keys = "".join(
                f"<Contents><Key>run/{self.server.pages}-{i}</Key><Size>1</Size></Contents>"
                for i in range(1000 if "full" in self.path else 0)
            )
            next_ = f"<NextContinuationToken>{self.server.pages}</NextContinuationToken>"
            more = f"<IsTruncated>true</IsTruncated>{next_}"
            body = f"<ListBucketResult><Name>b</Name>{keys}{more}</ListBucketResult>".encode()
            self._head(200, len(body), "application/xml")
            self.wfile.write(body)
            return
        self._head(206 if "Range" in self.headers else 200, 64 * GB)
        try:
            while True:
                self.wfile.write(b" " * (1 << 20))
                self.server.sent += 1 << 20
        except OSError:
            self.close_connection = True

    def _head(self, status, length, kind="application/octet-stream"):
        self.send_response(status)
        self.send_header("Content-Length", str(length))
        self.send_header("Content-Type", kind)
        self.send_header("Content-Range", f"bytes 0-999/{length}")
        self.send_header("ETag", '"x"')
        self.send_header("Last-Modified", "Mon, 01 Jan 2024 00:00:00 GMT")
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def endless():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Endless)
    server.sent = server.pages = 0
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def there(endless, monkeypatch):
    pytest.importorskip("s3fs")
    for name, value in {
        "AWS_ACCESS_KEY_ID": "k" * 20, "AWS_SECRET_ACCESS_KEY": "s" * 40,
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{endless.server_port}", "AWS_DEFAULT_REGION": "us-east-1",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    return lambda path: parse_location(
        path.replace("http://", f"http://127.0.0.1:{endless.server_port}/")
    )


@pytest.mark.parametrize("path", ["s3://b/run/manifest.json", "http://b/manifest.json"])
def test_an_object_without_end(endless, there, path, tmp_path, monkeypatch):
    monkeypatch.setattr("clutrr._io.url.FETCHED", 1 << 28)
    for read in (
        read_json,
        lambda url: read_whole(url, 1000),
        lambda url: url.get(tmp_path / "copy"),
    ):
        with pytest.raises(OSError, match="more than it was asked for"):
            read(there(path))
    assert endless.sent < 2 * GB


@pytest.mark.parametrize("bucket", ["full", "empty"])
def test_a_listing_without_end(there, monkeypatch, bucket):
    monkeypatch.setattr("clutrr._io.url.OBJECTS", 5000)
    monkeypatch.setattr("clutrr._io.url._LISTING", 5)
    before = time.monotonic()
    with pytest.raises(OSError, match=r"more than 5,000 files|does not answer"):
        there(f"s3://{bucket}/run").files()
    assert time.monotonic() - before < 30


# Files


def test_a_dictionary_of_wide_values(data, tmp_path):
    """3 KB on the disk, 3.6 GB in memory."""
    kind = pa.schema([("story", pa.binary(1_000_000))])
    with pq.ParquetWriter(tmp_path / "many.parquet", kind, compression="zstd") as file:
        for _ in range(60):
            file.write_table(
                pa.table([pa.array([b"x" * 1_000_000] * 60, kind[0].type)], schema=kind)
            )
    table = pq.read_table(data / "data/M2/train-00000-of-00001.parquet")
    at = table.column_names.index("story")
    wide = table.set_column(
        at, "story", pa.array([b"x" * 10_000_000] * len(table), pa.binary(10_000_000))
    )
    pq.write_table(wide, tmp_path / "one.parquet", compression="zstd")
    for name in ("many.parquet", "one.parquet"):
        done = process("info", tmp_path / name, memory=2 * GB)
        assert is_refusal(*_end(done)), done.stderr
        assert "not enough memory" not in done.stderr


@pytest.mark.parametrize("name", ["x.csv.gz", "x.jsonl.gz"])
def test_blank_lines(tmp_path, name):
    """200 KB of them, packed, are 200 MB."""
    (tmp_path / name).write_bytes(gzip.compress(b"\n" * (200 << 20), 9))
    before = time.monotonic()
    assert "blank lines of more than" in refused("info", tmp_path / name)
    assert time.monotonic() - before < 30


@pytest.mark.parametrize("text", ['{"a": 1, "a": 2}', '{"b": {"a": 1, "b": 2, "a": 3}}'])
def test_a_key_that_appears_twice(run, data, tmp_path, text):
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(ValueError, match="'a' appears twice"):
        read_json(tmp_path / "x.json")
    assert run("convert", data, tmp_path / "x.jsonl")[0] == 0
    lines = (tmp_path / "x.jsonl").read_text().splitlines()
    lines[1] = lines[1][:-1] + ', "id": "again"}'
    (tmp_path / "x.jsonl").write_text("\n".join(lines) + "\n")
    assert "line 2: the line is not JSON: 'id' appears twice" in refused(
        "audit", tmp_path / "x.jsonl"
    )


def test_keys_that_appear_twice_take_no_longer_than_others():
    text = json.dumps(dict.fromkeys(map(str, range(100_000)), 0))[:-1] + ', "99999": 1}'
    before = time.process_time()
    with pytest.raises(ValueError, match="'99999' appears twice"):
        parse_json(text)
    assert time.process_time() - before < 5


CHAIN = [(f"P{i}", "older than", f"P{i + 1}") for i in range(2000)]


def asked(facts, query, target="younger than"):
    """A row of one's own that states some facts."""
    story = " ".join(f"{a} is {relation} {b}." for a, relation, b in facts)
    return {"story": story, "query": query, "target": target}


@pytest.mark.parametrize(
    "row",
    [
        asked(CHAIN, ["P0", "P2000"]),
        asked([("P0", "older than", f"P{i}") for i in range(1, 2000)], ["P0", "P5"]),
        sample_files.OWN | {"facts": [["A", "son", "B"]] * 2000, "roles": None},
    ],
    ids=["chain", "star", "column"],
)
def test_a_story_of_too_many_facts(tmp_path, row):
    (tmp_path / "x.jsonl").write_text(json.dumps(row) + "\n")
    before = time.process_time()
    for command in ("info", "audit"):
        err = refused(command, tmp_path / "x.jsonl")
        assert "line 1" in err
        assert "more than 1,000" in err
    assert time.process_time() - before < 10


def test_a_question_of_too_many_routes(tmp_path):
    edges = [(0, i) for i in range(2, 2500)] + [(i, 1) for i in range(2, 2500)]
    labels = ["DC"] * len(edges)
    lines = (",edges,edge_labels,query_edge,query_label", f'0,"{edges}","{labels}","(0, 1)",DC', "")
    (tmp_path / "x.csv").write_text("\n".join(lines))
    before = time.process_time()
    assert "x.csv, line 2: story: more than 1,000 facts" in refused("info", tmp_path / "x.csv")
    assert time.process_time() - before < 10


def test_a_long_route_is_audited(tmp_path):
    """It tells no rules, and its parts are looked for only up to a length."""
    rows = [asked(CHAIN[:990], ["P0", "P990"], label) for label in ("younger than", "older than")]
    (tmp_path / "x.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    before = time.process_time()
    ((_, _, group),) = clutrr.audit(tmp_path / "x.jsonl", world="order").groups
    assert group.soundness["line"]["proved"] == group.soundness["line"]["refuted"] == 50
    assert time.process_time() - before < 10


@pytest.mark.parametrize(
    "question", ["is A " * 30_000, "What is " + "the agent " * 30_000 + "to P0?"]
)
def test_a_question_without_end(tmp_path, question):
    (tmp_path / "x.jsonl").write_text(json.dumps(asked(CHAIN[:2], question)) + "\n")
    before = time.process_time()
    assert "x.jsonl, line 1: query: " in refused("info", tmp_path / "x.jsonl")
    assert time.process_time() - before < 10


@pytest.mark.parametrize("digits", [3, 400, 5000])
def test_numbers_of_many_digits(run, tmp_path, digits):
    number = "9" * digits
    story = f"[A] lies at {number} o'clock of [B]. [A] is north of [B]."
    code, out, _ = run("solve", "--world", "directions", "--story", story, "--query", "B", "A")
    assert code == 0
    assert "o'clock" in out  # as not read
    (tmp_path / "x.jsonl").write_text(json.dumps(asked(CHAIN[:2], ["P0", "P2"], number)) + "\n")
    assert "x.jsonl, line 1: target: " in refused("info", tmp_path / "x.jsonl")
    assert "seeds: " in refused(
        "reproduce", tmp_path / "out", "--matrix", "quick", "--seeds", number * 4
    )


def test_pipes_and_folders_are_no_files(data, tmp_path):
    """Nothing waits for a writer that never comes, and nothing that is there is passed over."""
    os.mkfifo(tmp_path / "matrix.yaml")
    done = process("reproduce", tmp_path / "out", "--matrix", tmp_path / "matrix.yaml")
    assert is_refusal(*_end(done)), done.stderr
    for name, arguments in {
        "x.html": ["explore", data, "--out", tmp_path / "x.html"],
        "x.parquet": ["audit", data, "--rows", tmp_path / "x.parquet"],
        "x.csv": ["convert", data, tmp_path / "x.csv", "--force"],
        "x.jsonl": [
            "ask",
            data,
            tmp_path / "x.jsonl",
            "--model",
            "m",
            "--base-url",
            "http://127.0.0.1:9",
        ],
        "data/data/M2/more.parquet": ["info", shutil.copytree(data, tmp_path / "data")],
    }.items():
        os.mkfifo(tmp_path / name)
        done = process(*arguments)
        assert is_refusal(*_end(done)), (arguments, done.stderr)
        assert (tmp_path / name).is_fifo()
    for kind in (os.mkfifo, os.mkdir):
        world = tmp_path / kind.__name__
        world.mkdir()
        (world / "world.yaml").write_text("extends: kinship\n")
        for name in (
            "templates.yaml",
            "relations.yaml",
            "attributes.yaml",
            "prose.yaml",
            "phrases.yaml",
        ):
            kind(world / name)
            done = process("generate", tmp_path / "made", "--k", "2", "--world", world)
            assert is_refusal(*_end(done)), (name, done.stderr)
            assert name in done.stderr
            os.rmdir(world / name) if kind is os.mkdir else os.unlink(world / name)


def _end(done: subprocess.CompletedProcess) -> tuple[int, str]:
    return done.returncode, done.stderr


def test_out_is_a_link_to_itself(data, tmp_path):
    (tmp_path / "out").symlink_to(tmp_path / "out")
    out = tmp_path / "out"
    for arguments in (
        ["generate", out, "--k", "2"],
        ["convert", data, out],
        ["explore", data, "--out", out],
        ["train", data, out, "--k", "2"],
        ["info", out],
    ):
        for force in ([], ["--force"]) if arguments[0] in ("generate", "convert") else ([],):
            refused(*arguments, *force)


@pytest.mark.parametrize("closed", [(1,), (2,), (1, 2)])
def test_a_closed_output(data, tmp_path, closed):
    script = f'"$@" {" ".join(f"{number}>&-" for number in closed)}'
    command = ["bash", "-c", script, "bash", sys.executable, "-m", "clutrr", "info", str(data)]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_little_memory(data, tmp_path):
    """Success, or a line of ours with exit code 2, or the words of a library that ends the process itself.
    Never a hang, a traceback, or a word of a bug or a broken file."""
    many = tmp_path / "many"
    generate_folder(Job(many, Config("described", (2,), 450, 10, distractors=0)))
    for megabytes in (300, 500, 700, 1000, 1400):
        for arguments in (
            ["info", data],
            ["audit", data],
            ["explore", many, "--out", tmp_path / "page.html"],
        ):
            done = process(*arguments, memory=megabytes << 20, stdout=subprocess.DEVNULL)
            said = (megabytes, arguments, done.returncode, done.stderr[-2000:])
            assert (
                done.returncode == 0 or is_refusal(*_end(done)) or done.stderr.count("\n") <= 3
            ), said
            assert not re.search("Traceback|a bug|broken", done.stderr), said
