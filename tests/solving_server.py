"""A chat service on this machine whose answers come from the solver, and that fails as real ones do."""

import json
import random
import re
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from clutrr import load_world
from clutrr._lexicon import World
from clutrr._reading import reader_of
from clutrr._solve import Solution

FAULTS = ("429", "500", "reset", "malformed", "cut", "empty")
_OPTION = re.compile(r"^([A-Z])\) (.+)$", re.MULTILINE)
_LISTED = re.compile(r"One of these relations holds between them: (.+?)\.(?:\s|$)")


class Mind:
    """Somebody who knows only what messages say, and reasons without fault."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.read = lru_cache(1000)(reader_of(world).read)
        self.solver = cache(lambda assume: world.theory.solver(world.labels, assume))
        self.verdict = lru_cache(1000)(lambda assume, *asked: self.solver(assume).verdict(*asked))

    def answer(self, told: str) -> str:
        """The answer that follows from the words of the messages."""
        story, query, asked, assume = self.question(told)
        verdict = self.verdict(assume, self.read(story).facts, query)
        possible = {*verdict.relations, *(["something else"] if verdict.outside else [])}
        if listed := _LISTED.search(told):
            possible &= {*listed[1].split(", ")}
        if "One of the relations offered holds between them." in told:
            possible &= {relation for _, relation in _OPTION.findall(told.split("Story: ")[-1])}
        assert possible
        if asked is not None and (asked not in possible or len(possible) == 1):
            return "yes" if asked in possible else "no"
        if asked is None and len(possible) == 1:
            return possible.pop()
        assert (
            'If the story leaves several answers possible, the answer is "cannot be told".' in told
        )
        return "cannot be told"

    def question(self, told: str) -> tuple[str, tuple[str, str], str | None, str]:
        """The story, the entities and the relation, if any, that a question names, and what is assumed."""
        story, question = told.split("Story: ")[-1].split("\n\nQuestion: ", 1)
        assumptions = self.world.theory.assumptions
        assume = next((one.name for one in assumptions if one.about in told), assumptions[-1].name)
        phrases = self.world.lexicon.phrases
        labels = "|".join(sorted(map(re.escape, self.world.relations), key=len, reverse=True))
        slots = {"{a}": "(?P<a>.+?)", "{b}": "(?P<b>.+?)", "{r}": f"(?P<r>{labels})"}
        for phrase in (phrases.confirm, phrases.question):
            pieces = [
                slots.get(piece) or re.escape(piece) for piece in re.split(r"(\{\w\})", phrase)
            ]
            if found := re.match(f"{''.join(pieces)}\\s", question):
                return story, (found["a"], found["b"]), found.groupdict().get("r"), assume
        raise AssertionError(question)


def solved(told: str, world: World) -> str:
    """A reply of such a mind, as the messages ask for it."""
    mind = _MINDS.setdefault(world.digest, Mind(world))
    story, query, _, assume = mind.question(told)
    answer, facts = mind.answer(told), mind.read(story).facts
    explained = mind.solver(assume).explain(facts, query)
    proof = Solution(world, query, facts, (), mind.verdict(assume, facts, query), explained).proof
    letters = {relation: letter for letter, relation in _OPTION.findall(told.split("Story: ")[-1])}
    return f"<think>Perhaps a cousin?</think>{proof}\nAnswer: {letters.get(answer, answer)}"


_MINDS: dict[str, Mind] = {}


class Service:
    """What the server was asked, and what it did.

    requests: the messages of every request, in order. answered: how often each had a whole reply.
    answers: set unless a test holds all replies back.
    """

    def __init__(self, world: World, faults: Sequence[str], share: float, delay: float) -> None:
        self.world = world
        self.faults, self.share, self.delay = faults, share, delay
        self.requests: list[str] = []
        self.bodies: list[dict[str, object]] = []
        self.headers: list[dict[str, str]] = []
        self.answered: Counter[str] = Counter()
        self.drawn = random.Random(7)
        self.lock = threading.Lock()
        self.first = threading.Event()
        self.answers = threading.Event()
        self.answers.set()
        self.running = self.most = 0
        self.replies: dict[str, str] = {}
        self.errors: list[BaseException] = []

    def reply(self, content: str) -> str:
        if content not in self.replies:
            self.replies[content] = solved(content, self.world)
        return self.replies[content]

    def fault(self) -> str | None:
        with self.lock:
            return self.drawn.choice(self.faults) if self.drawn.random() < self.share else None


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    service: Service

    def do_POST(self) -> None:
        service = self.service
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        content = "\n\n".join(message["content"] for message in body["messages"])
        with service.lock:
            service.requests.append(content)
            service.bodies.append(body)
            service.headers.append(dict(self.headers))
            service.running += 1
            service.most = max(service.most, service.running)
        service.first.set()
        service.answers.wait()
        time.sleep(service.delay)
        try:
            self.answer(content, service.fault(), bool(body.get("stream")))
        except OSError:  # the client was killed
            self.close_connection = True
        except Exception as error:
            service.errors.append(error)
            raise
        finally:
            with service.lock:
                service.running -= 1

    def answer(self, content: str, fault: str | None, stream: bool) -> None:
        if fault == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
            self.close_connection = True
            return
        if fault in ("429", "500", "401", "404"):
            said = {"error": {"message": f"not now, {self.headers.get('Authorization')}"}}
            self.send(
                int(fault),
                json.dumps(said).encode(),
                {"Retry-After": "0"} if fault == "429" else {},
            )
            return
        text = self.service.reply(content)
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": text},
            "finish_reason": "stop",
        }
        asked, said = len(content.split()), len(text.split())
        usage = {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}
        about = {"id": "1", "object": "chat.completion", "created": 0, "model": "solver"}
        raw = json.dumps({**about, "choices": [choice], "usage": usage}).encode()
        if stream:
            raw = _events({**about, "object": "chat.completion.chunk"}, text, usage)
        if fault == "malformed":
            self.send(200, raw[: len(raw) // 2])
        elif fault == "empty":
            self.send(200, b'{"choices": []}')
        elif fault == "cut":
            self.send(200, raw[: len(raw) // 2], {"Content-Length": str(len(raw))})
            self.close_connection = True
        else:
            self.send(
                200, raw, {"Content-Type": "text/event-stream" if stream else "application/json"}
            )
            self.service.answered[content] += 1

    def send(self, code: int, raw: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(code)
        for name, value in {"Content-Length": str(len(raw)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_: object) -> None:
        pass


def _events(about: dict[str, object], text: str, usage: dict[str, int]) -> bytes:
    """The reply as a stream sends it, in pieces."""
    half = len(text) // 2
    pieces: list[tuple[dict[str, str], str | None]] = [
        ({"role": "assistant", "content": text[:half]}, None),
        ({"content": text[half:]}, None),
        ({}, "stop"),
    ]
    told = [{"choices": [{"index": 0, "delta": new, "finish_reason": end}]} for new, end in pieces]
    chunks = [json.dumps({**about, **one}) for one in (*told, {"choices": [], "usage": usage})]
    return "".join(f"data: {chunk}\n\n" for chunk in [*chunks, "[DONE]"]).encode()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, *_: object) -> None:  # connections that the test itself breaks
        pass


@contextmanager
def serving(
    world: World | None = None,
    faults: Sequence[str] = FAULTS,
    share: float = 0.0,
    delay: float = 0.0,
) -> Iterator[tuple[str, Service]]:
    """A server's address, and what it sees. share: of the requests that fail."""
    service = Service(world or load_world(), faults, share, delay)
    handler = type("Handler", (_Handler,), {"service": service})
    with _Server(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(
            target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/v1", service
        finally:
            service.answers.set()
            server.shutdown()
            thread.join()
        assert not service.errors
