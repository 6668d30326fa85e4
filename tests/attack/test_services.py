"""Services that send anything, or never end; URLs and addresses that are none."""

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from clutrr.ask.endpoint import Again, Endpoint
from clutrr.config import AskConfig
from clutrr.errors import ConfigError, ServiceError
from clutrr.files import where
from commands import is_refusal, process, refused

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
Talk = Callable[[socket.socket], None]


@contextlib.contextmanager
def serving(talk: Talk) -> Iterator[str]:
    """The address of a service that says this to whoever asks."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            with contextlib.suppress(OSError):
                while True:
                    caller, _ = server.accept()
                    with caller, contextlib.suppress(OSError):
                        caller.settimeout(5)
                        caller.recv(1 << 16)
                        talk(caller)
                        caller.shutdown(socket.SHUT_WR)
                        while caller.recv(1 << 16):  # or what is not read takes the answer with it
                            pass

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/v1"
        server.shutdown(socket.SHUT_RDWR)
        thread.join(60)


def says(content: bytes) -> Talk:
    return lambda caller: caller.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(content) + content)


def never_ends(begin: bytes, more: bytes, wait: float = 0.02) -> Talk:
    def talk(caller: socket.socket) -> None:
        caller.sendall(begin)
        while True:
            caller.sendall(more)
            time.sleep(wait)

    return talk


def reply(content: object, **more: object) -> bytes:
    return json.dumps({"choices": [{"message": {"content": content}, **more}]}).encode()


NONE = {
    "bytes": says(b"\xff\x00"),
    "nothing": says(b""),
    "lists in lists": says(b"[" * 50_000),
    "no list of texts": says(reply([1])),
    "another protocol": lambda caller: caller.sendall(b"220 hello\r\n\r\n"),
    "hangs up": lambda caller: None,
    "a status without end": never_ends(b"", b"H"),
    "a header without end": never_ends(HEAD + b"X: ", b"x"),
    "headers without end": never_ends(HEAD, b"X: x\r\n"),
    "continue, continue": never_ends(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "a body without end": never_ends(HEAD + b"\r\n", b" "),
    "pieces without end": never_ends(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
    "a flood": never_ends(HEAD + b"\r\n", b" " * (1 << 20), 0),
    "a flood of a header": never_ends(HEAD + b"X: ", b"x" * (1 << 20), 0),
    "no length": lambda caller: caller.sendall(HEAD + b"Content-Length: -5\r\n\r\n{}"),
    "a length of 5,000 digits": lambda caller: caller.sendall(
        HEAD + b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n{}"
    ),
    "more than a line holds": says(reply("son " * (1 << 20))),
}


@pytest.mark.parametrize("case", NONE)
def test_no_reply(case):
    with serving(NONE[case]) as address:
        started = time.monotonic()
        with pytest.raises(Again) as caught:
            Endpoint(AskConfig("m", address, timeout=1)).reply([], "x")
        assert time.monotonic() - started < 60
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize("code", [400, 500])
def test_a_refusal_without_end(code):
    refusal = never_ends(b"HTTP/1.1 %d No\r\n\r\n" % code, b"x")
    with serving(refusal) as address, pytest.raises((Again, ServiceError), match=f"{code} No: xx"):
        Endpoint(AskConfig("m", address, timeout=1)).reply([], "x")


def test_redirects_are_not_followed():
    """They would carry the key to another place."""
    asked: list[socket.socket] = []
    with serving(asked.append) as elsewhere:
        found = b"HTTP/1.1 302 Found\r\nLocation: %s/chat/completions\r\n\r\n" % elsewhere.encode()
        with (
            serving(lambda caller: caller.sendall(found)) as address,
            pytest.raises(ServiceError, match="302"),
        ):
            Endpoint(AskConfig("m", address), "sk-a-key").reply([], "x")
    assert not asked


def test_what_a_service_says_is_shown_as_text(data, tmp_path):
    """A terminal would obey it."""
    with serving(lambda caller: caller.sendall(b"HTTP/1.1 401 \x1b[2J\r\n\r\n\x1b[31mno\n\nno")) as address:
        err = refused("ask", data, tmp_path / "out", "--model", "m", "--base-url", address, "--limit", "1")
    assert "\x1b" not in err
    assert r"401 \x1b[2J: \x1b[31mno no" in err


def test_numbers_that_no_service_has_counted(data):
    told = json.loads(reply("son")) | {"usage": {"prompt_tokens": 10**4000, "completion_tokens": -1}}
    with serving(says(json.dumps(told).encode())) as address:
        found = Endpoint(AskConfig("m", address)).reply([], "x")
    assert (found.text, found.prompt_tokens, found.reply_tokens) == ("son", None, None)


@pytest.mark.parametrize(
    "address",
    ["http://[", "http://a b/", "http://127.0.0.1:x/", f"http://{'a' * 100}.invalid/", "http://ü/ü"],
)
def test_no_address(data, tmp_path, monkeypatch, address):
    monkeypatch.setattr("clutrr.ask.run.delay", lambda attempt, asked, drawn: 0.001)
    wish = ["--model", "m", "--base-url", address, "--limit", "1"]
    refused("ask", data, tmp_path / "out", *wish)


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("file://", "a path from the root"),
        ("file://folder", "a path from the root"),
        ("file://host/folder", "a path from the root"),
        ("http://[", "not a URL"),
        ("s3://", "not the URL"),
        ("s3://bucket/../x", "not the URL"),
        ("s3://bucket/./x", "not the URL"),
        ("s3://me:secret@bucket/x", "a user, a key"),
        ("s3://bucket/x?key=secret", "a user, a key"),
        ("https://host/x.csv?X-Amz-Signature=secret", "a user, a key"),
        ("simplecache::s3://bucket/x", "::"),
    ],
)
def test_hostile_urls(url, says):
    if url.startswith("simplecache"):
        assert where(url) == Path(url)  # no URL: a path, which is not there
        return
    with pytest.raises(ConfigError, match=says) as caught:
        where(url)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("url", ["ftp://127.0.0.1:9/x", "github://a:b/c", "reference://x", "nonsense://x"])
def test_urls_that_do_not_say_enough(url):
    pytest.importorskip("fsspec")
    refused("info", url)


def test_a_storage_that_does_not_answer_is_not_empty():
    pytest.importorskip("aiohttp")
    assert "does not answer" in refused("info", "http://127.0.0.1:9/x")


def test_results_are_not_written_into_a_folder_called_s3(data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "not a URL" in refused("explore", data, "--out", "s3://b/x")
    assert not list(tmp_path.iterdir())


@pytest.mark.process
@pytest.mark.parametrize("address", ["nonsense", "tls://127.0.0.1:9", "http://127.0.0.1:9"])
def test_no_cluster(tmp_path, address):
    """One line: what never connected is not waited for at the end, nor complained of."""
    pytest.importorskip("distributed")
    done = process("generate", tmp_path / "out", "--k", "2", "--cluster", address)
    assert is_refusal(done.returncode, done.stderr), done.stderr
    assert "is not an address" in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "address", ["local:0", "local:x", "local:" + "9" * 5000, "local:99999", "local:²", "nowhere.json"]
)
def test_no_number_of_processes(tmp_path, address):
    err = refused("generate", tmp_path / "out", "--k", "2", "--cluster", address)
    assert ("not a scheduler file" if ".json" in address else "not a number of processes") in err
