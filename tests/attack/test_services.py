"""Services that send anything, or never end; URLs and addresses that are none."""

import contextlib
import gzip
import json
import random
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from clutrr._ask.endpoint import Endpoint, RetryableError
from clutrr._ask.run import delay
from clutrr._config import AskConfig
from clutrr._io.locations import parse_location
from clutrr.errors import ConfigError, ServiceError
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
    return lambda caller: caller.sendall(
        HEAD + b"Content-Length: %d\r\n\r\n" % len(content) + content
    )


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
    "trailers without end": never_ends(
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"X: x\r\n"
    ),
    "a trailer without end": never_ends(HEAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\nX: ", b"x"),
    "the size of a piece without end": never_ends(
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"0"
    ),
    "a body cut off": lambda caller: caller.sendall(
        HEAD + b"Content-Length: 100\r\n\r\n" + reply("son")[:50]
    ),
    "a piece cut off": lambda caller: caller.sendall(
        HEAD + b"Transfer-Encoding: chunked\r\n\r\nff\r\n" + reply("son")[:50]
    ),
    "a page": lambda caller: caller.sendall(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>Welcome</html>"
    ),
    "compressed": lambda caller: caller.sendall(
        HEAD + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(bytes(1 << 26))
    ),
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
        with pytest.raises(RetryableError) as caught:
            Endpoint(AskConfig("m", address, timeout=1)).reply([], "x")
        assert time.monotonic() - started < 5
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize("code", [400, 500])
def test_a_refusal_without_end(code):
    refusal = never_ends(b"HTTP/1.1 %d No\r\n\r\n" % code, b"x")
    with (
        serving(refusal) as address,
        pytest.raises((RetryableError, ServiceError), match=f"{code} No: xx"),
    ):
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


def test_redirects_without_end():
    asked = []

    def again(caller: socket.socket) -> None:
        asked.append(1)
        caller.sendall(b"HTTP/1.1 307 Again\r\nLocation: /v1/chat/completions\r\n\r\n")

    with serving(again) as address, pytest.raises(ServiceError, match="307 Again"):
        Endpoint(AskConfig("m", address), "sk-a-key").reply([], "x")
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("a body cut off", "without sending complete message body"),
        ("a page", "not a chat completion but a page in HTML"),
        ("trailers without end", "no whole reply within 1 s"),
        ("a header without end", "no reply within 1 s"),
        ("a flood", "a reply of more than 4 MB"),
    ],
)
def test_what_was_wrong_is_said(said, told):
    with serving(NONE[said]) as address, pytest.raises(RetryableError, match=told):
        Endpoint(AskConfig("m", address, timeout=1)).reply([], "x")


def test_a_page_instead_of_a_reply_may_mean_another_address():
    with (
        serving(NONE["a page"]) as address,
        pytest.raises(RetryableError, match="an address that ends in /v1"),
    ):
        Endpoint(AskConfig("m", address.removesuffix("/v1"))).reply([], "x")


@pytest.mark.parametrize(
    ("asked", "waited"),
    [("3", 3), ("inf", 600), ("1e999", 600), ("nan", None), ("-5", 0), ("soon", None),
     ("Mon, 01 Jan 2001 00:00:00 GMT", 0), ("Fri, 31 Dec 9999 23:59:59 GMT", 600),
     ("Mon, 99 Foo 99999 99:99:99", None)],
)  # fmt: skip
def test_how_long_a_service_can_ask_to_wait(asked, waited):
    busy = f"HTTP/1.1 429 Busy\r\nRetry-After: {asked}\r\nContent-Length: 0\r\n\r\n".encode()
    with (
        serving(lambda caller: caller.sendall(busy)) as address,
        pytest.raises(RetryableError, match="429 Busy") as caught,
    ):
        Endpoint(AskConfig("m", address)).reply([], "x")
    drawn = random.Random(1)
    seconds = delay(0, caught.value.after, drawn)
    assert 0.25 <= seconds <= 0.5 if waited is None else abs(seconds - waited) <= 0.1


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:99999/v1",
        "http://127.0.0.1:0/v1",
        "http://127.0.0.1:-1/v1",
        "http://127.0.0.1/v1\r\nX-Key: 1",
        "http://127.0.0.1/\nv1",
        "http://\t127.0.0.1/v1",
        "http:///v1",
        "http://127.0.0.1/v1?key=1",
        "http://127.0.0.1/v1#a",
        "http://@127.0.0.1/v1",
        "ftp://127.0.0.1/v1",
        "http://[::1/v1",
    ],
)
def test_an_address_is_checked_before_anything_is_sent(address):
    with pytest.raises(ConfigError, match="base_url: "):
        Endpoint(AskConfig("m", address), "sk-a-key")


def test_what_a_service_says_is_shown_as_text(data, tmp_path):
    """A terminal would obey it."""
    with serving(
        lambda caller: caller.sendall(b"HTTP/1.1 401 \x1b[2J\r\n\r\n\x1b[31mno\n\nno")
    ) as address:
        err = refused(
            "ask", data, tmp_path / "out", "--model", "m", "--base-url", address, "--limit", "1"
        )
    assert "\x1b" not in err
    assert r"401 \x1b[2J: \x1b[31mno no" in err


def test_numbers_that_no_service_has_counted(data):
    told = json.loads(reply("son")) | {
        "usage": {"prompt_tokens": 10**4000, "completion_tokens": -1}
    }
    with serving(says(json.dumps(told).encode())) as address:
        found = Endpoint(AskConfig("m", address)).reply([], "x")
    assert (found.text, found.prompt_tokens, found.reply_tokens) == ("son", None, None)


@pytest.mark.parametrize(
    "address",
    [
        "http://[",
        "http://a b/",
        "http://127.0.0.1:x/",
        f"http://{'a' * 100}.invalid/",
        "http://ü/ü",
    ],
)
def test_no_address(data, tmp_path, monkeypatch, address):
    monkeypatch.setattr("clutrr._ask.run.delay", lambda attempt, asked, drawn: 0.001)
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
        assert parse_location(url) == Path(url)  # no URL: a path, which is not there
        return
    with pytest.raises(ConfigError, match=says) as caught:
        parse_location(url)
    assert "secret" not in str(caught.value)


def test_a_url_of_any_kind_is_read_or_refused_in_one_line(monkeypatch):
    """fsspec knows some sixty kinds; most need settings that no URL has."""
    registry = pytest.importorskip("fsspec.registry").known_implementations
    allowed = {"file", "memory", "s3", "s3a", "gs", "gcs", "az", "abfs", "http", "https"}
    assert allowed <= {*registry, "s3a"}
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    for kind in {*registry, "nonsense"} - {"s3", "s3a"}:
        said = refused("info", f"{kind}://nobody.invalid/x")
        known = "this kind of URL is not known, only file://, memory://, s3://" not in said
        assert known == (kind in allowed), said
        assert "nobody.invalid" in said or f"{kind}://" in said


@pytest.mark.parametrize(("url", "package"), [("gs://b/x", "gcsfs"), ("abfs://b/x", "adlfs")])
def test_a_storage_whose_package_is_missing(monkeypatch, url, package):
    pytest.importorskip("fsspec")
    monkeypatch.setitem(sys.modules, package, None)
    assert refused("info", url).endswith(f"needs the package {package}: pip install {package}\n")


def test_a_host_that_nobody_knows_is_not_a_missing_file():
    pytest.importorskip("aiohttp")
    said = refused("info", "http://nobody.invalid:1/x")
    assert "http://nobody.invalid:1/x" in said
    assert "the storage does not answer" in said


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
    "address",
    ["local:0", "local:x", "local:" + "9" * 5000, "local:99999", "local:²", "nowhere.json"],
)
def test_no_number_of_processes(tmp_path, address):
    err = refused("generate", tmp_path / "out", "--k", "2", "--cluster", address)
    assert ("not a scheduler file" if ".json" in address else "not a number of processes") in err
