"""Many questions at once, each paid for once.

Replies are JSON lines, appended to a file and never changed; those that it already holds are not asked for
again. A line is written in one piece when its reply has arrived: a killed process leaves whole lines and at
most one incomplete line, which is dropped before the next is written. A run that is stopped waits for the
requests under way, since they are paid for.
"""

import contextlib
import errno
import json
import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from clutrr._ask.endpoint import Endpoint, Reply, RetryableError
from clutrr._ask.prompt_text import PROMPT_VERSION
from clutrr._ask.prompter import Prompt
from clutrr._io.files import writing
from clutrr._io.limits import LINE, limit
from clutrr._io.locks import lock_or_fail
from clutrr._io.records import parse_json
from clutrr.errors import DataError, ServiceError

_FIRST_WAIT, _LONGEST_WAIT, _LONGEST_ASKED = 0.5, 60.0, 600.0  # seconds before the next try
_GIVEN_UP = 10  # questions in a row that fail before the whole run does
_BEGIN = b'{"id": "'  # of every line that a killed run left incomplete
_WRITTEN = frozenset(("reply", "sampling", "prompt_sha256"))  # in every line, with its key
Key = tuple[str, str, int]  # subset, id, number of the sample
_Request = tuple[Key, Prompt]


@dataclass
class Outcome:
    """The figures of a run.

    wanted: replies to all questions. asked: new replies. kept: replies from earlier runs. failed: questions,
    and what the service said.
    """

    wanted: int = 0
    asked: int = 0
    kept: int = 0
    retried: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0
    failed: list[tuple[Key, str]] = field(default_factory=list)
    stopped: bool = False


class Record:
    """A file of replies, open for more. Only one process at a time."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self._path = path
        self._file = file

    def lines(self) -> Iterator[Mapping[str, Any]]:
        """Yield the replies that the file holds."""
        self._file.seek(0)
        number, most = 0, limit(LINE)
        while raw := self._file.readline(most + 1):
            number += 1
            try:
                line = parse_json(raw)
                key_of(line)
                if not line.keys() >= _WRITTEN:
                    raise KeyError
            except (ValueError, KeyError, TypeError, AttributeError):
                begun = raw.startswith(_BEGIN) and not raw.endswith(b"\n") and len(raw) <= most
                if begun and number > 1:  # after replies of ours, it is one that was not finished
                    self._file.truncate(self._file.tell() - len(raw))
                    return
                raise DataError(
                    f"line {number}: not a reply that `clutrr ask` wrote",
                    place=self._path,
                    hint="choose another file",
                ) from None
            if not raw.endswith(b"\n"):
                self._file.write(b"\n")
            yield line

    def add(self, line: Mapping[str, Any]) -> None:
        raw = json.dumps(line, ensure_ascii=False).encode() + b"\n"
        with writing(self._path):
            end = self._file.seek(0, os.SEEK_END)
            try:
                self._file.write(raw)
                self._file.flush()
                os.fsync(self._file.fileno())
            except OSError:  # a full disk holds no half of a line
                with contextlib.suppress(OSError):
                    os.truncate(self._path, end)
                raise


def key_of(line: Mapping[str, Any]) -> Key:
    """The question and sample that a line answers."""
    subset, number, sample = line["subset"], line["id"], line["sample"]
    if not (isinstance(subset, str) and isinstance(number, str) and isinstance(sample, int)):
        raise TypeError
    return subset, number, sample


@contextmanager
def recording(path: Path) -> Iterator[Record]:
    """Open a file of replies to add to it; it is created if there is none, and stays if a reply came."""
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        new = not path.exists()
        path.touch()
        if not path.is_file():  # a device or pipe may have no end
            raise OSError(errno.EINVAL, "not a file", str(path))
        file = path.open("r+b")
    with file:
        lock_or_fail(file, f"{path}: another process is writing to it")
        try:
            yield Record(path, file)
        finally:
            if new and not path.stat().st_size:  # no reply came
                path.unlink()


def delay(attempt: int, asked: float | None, drawn: random.Random) -> float:
    """Return the seconds before the next try, after this many. asked: by the service (Retry-After)."""
    own = min(_LONGEST_WAIT, _FIRST_WAIT * 2.0**attempt) * drawn.uniform(0.5, 1.0)
    return own if asked is None else min(max(asked, 0.1 * own), _LONGEST_ASKED)


def ask_all(
    prompts: Sequence[Prompt],
    out: Path,
    endpoint: Endpoint,
    tick: Callable[[Outcome], None] = lambda outcome: None,
    say: Callable[[str], None] = lambda text: None,
) -> Outcome:
    """Ask every question n times and append the replies to a file.

    tick: called after every reply. say: called once, with the reason, if no reply has come yet.
    """
    for (_, number), times in Counter((one.subset, one.id) for one in prompts).items():
        if times > 1:
            raise DataError(f"the id {number!r} appears twice in the data")
    outcome = Outcome(len(prompts) * endpoint.config.n)
    with recording(out) as record:
        there = _there(record, out, endpoint)

        def left() -> Iterator[_Request]:
            for prompt in prompts:
                for sample in range(endpoint.config.n):
                    key = prompt.subset, prompt.id, sample
                    if key not in there:
                        yield key, prompt
                        continue
                    if there[key] != prompt.digest:
                        raise DataError(
                            f"holds replies to other prompts (question {prompt.id!r}): "
                            "choose another file, or the settings and data it was made with",
                            place=out,
                        )
                    outcome.kept += 1

        _ask_all(left(), record, endpoint, outcome, tick, say)
    return outcome


def _there(record: Record, out: Path, endpoint: Endpoint) -> dict[Key, str]:
    """Return the questions that have been answered, each with the checksum of its prompt."""
    there: dict[Key, str] = {}
    for line in record.lines():
        for name, wanted in _settings(endpoint).items():
            if (was := line.get(name)) != wanted:
                raise DataError(
                    f"holds replies with {name} {was!r}, not {wanted!r}",
                    place=out,
                    hint="choose another file",
                )
        there[key_of(line)] = str(line.get("prompt_sha256"))
    return there


def _settings(endpoint: Endpoint) -> dict[str, Any]:
    """Return the fields that every line of one file has in common."""
    config = endpoint.config
    return {"model": config.model, "sampling": config.sampling, "prompt_version": PROMPT_VERSION}


def _ask_all(
    requests: Iterator[_Request],
    record: Record,
    endpoint: Endpoint,
    outcome: Outcome,
    tick: Callable[[Outcome], None],
    say: Callable[[str], None],
) -> None:
    stop, gave_up = threading.Event(), False
    trouble: list[str] = []  # why requests were tried again
    running: dict[Future[tuple[Reply, float, int]], _Request] = {}
    in_a_row, said = 0, False
    with ThreadPoolExecutor(endpoint.config.concurrency) as pool, _stopping(stop, outcome):
        while True:
            room = 0 if stop.is_set() else endpoint.config.concurrency - len(running)
            for request in islice(requests, room):
                running[pool.submit(_one, request, endpoint, stop, trouble)] = request
            if not running:
                break
            ready = wait(running, timeout=0.5, return_when=FIRST_COMPLETED).done
            if trouble and not (outcome.asked or ready or said):
                said = True
                say(f"{endpoint.config.base_url}: {trouble[0]}; trying again")
            for done in ready:
                request = running.pop(done)
                try:
                    reply, seconds, tries = done.result()
                except (RetryableError, ServiceError) as error:
                    if not outcome.stopped:
                        outcome.failed.append((request[0], str(error)))
                        in_a_row += 1
                    if not outcome.asked or in_a_row == _GIVEN_UP:
                        gave_up = True
                        stop.set()
                    continue
                in_a_row = 0
                record.add(_line(request, reply, seconds, endpoint))
                outcome.asked += 1
                outcome.retried += tries
                outcome.prompt_tokens += reply.prompt_tokens or 0
                outcome.reply_tokens += reply.reply_tokens or 0
                tick(outcome)
    if gave_up and not outcome.stopped:
        raise ServiceError(f"{endpoint.config.base_url}: {outcome.failed[0][1]}")


def _one(
    request: _Request, endpoint: Endpoint, stop: threading.Event, trouble: list[str]
) -> tuple[Reply, float, int]:
    """Return a reply, the seconds of the last try, and how many tries came before it.

    stop: set where the run is to end. trouble: why tries failed.
    """
    key, prompt = request
    name = "-".join((*map(str, key), prompt.digest))
    drawn = random.Random(name)
    for attempt in range(endpoint.config.retries + 1):
        if stop.is_set():
            raise RetryableError("stopped")
        started = time.monotonic()
        try:
            reply = endpoint.reply(prompt.messages, name)
        except RetryableError as error:
            if attempt == endpoint.config.retries:
                raise
            trouble.append(str(error))
            stop.wait(delay(attempt, error.after, drawn))
        else:
            return reply, time.monotonic() - started, attempt
    raise AssertionError("unreachable")


def _line(request: _Request, reply: Reply, seconds: float, endpoint: Endpoint) -> dict[str, Any]:
    (*_, sample), prompt = request
    return {
        **prompt.to_dict(),
        "sample": sample,
        "prompt_sha256": prompt.digest,
        **_settings(endpoint),
        **({"reasoning": reply.reasoning} if reply.reasoning else {}),
        "reply": reply.text,
        "finish": reply.finish,
        "prompt_tokens": reply.prompt_tokens,
        "reply_tokens": reply.reply_tokens,
        "seconds": round(seconds, 3),
    }


@contextmanager
def _stopping(stop: threading.Event, outcome: Outcome) -> Iterator[None]:
    """Let the first Ctrl-C or SIGTERM end the run after the requests under way, the second at once."""

    def caught(number: int, frame: Any) -> None:
        if outcome.stopped:
            os._exit(128 + number)  # the file holds whole lines at any time
        outcome.stopped = True
        stop.set()

    before = {}
    if threading.current_thread() is threading.main_thread():  # signals can be caught only there
        before = {
            number: signal.signal(number, caught) for number in (signal.SIGINT, signal.SIGTERM)
        }
    try:
        yield
    finally:
        stop.set()  # in any case, nothing waits for another try
        for number, handler in before.items():
            signal.signal(number, handler)
