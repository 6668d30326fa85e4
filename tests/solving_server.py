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
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from clutrr.solver import solve_story
from clutrr.world import World, load_world

FAULTS = ("429", "500", "reset", "malformed", "cut", "empty")
_ASKED = re.compile(
    r"Question: (?:(?:What is|How is) (.+?) (?:related )?to (.+?)\?|Is (.+?) the (.+?) of (.+?)\?)"
)
_OPTION = re.compile(r"^([A-Z])\) (.+)$", re.MULTILINE)


def solved(told: str, world: World) -> str:
    """The reply of somebody who reads only the messages, and reasons without fault."""
    content = told.split("Story: ")[-1]
    story = content.split("\n\nQuestion: ")[0]
    which = _ASKED.search(content)
    assert which, content
    second, first = (which[1], which[2]) if which[1] else (which[3], which[5])
    known = world.theory.assumptions
    assume = next((one.name for one in known if one.prompt in told), known[-1].name)
    solution = solve_story(story, (first, second), world, assume)
    answer = solution.answer or "cannot be told"
    if which[4]:
        possible = which[4] in solution.answers
        answer = "no" if not possible else "yes" if solution.answer else "cannot be told"
    options = {relation: letter for letter, relation in _OPTION.findall(content)}
    return f"<think>Perhaps {first}'s cousin?</think>{solution.proof}\nAnswer: {options.get(answer, answer)}"


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
        if fault in ("429", "500", "401"):
            said = {"error": {"message": f"not now, {self.headers.get('Authorization')}"}}
            self.send(int(fault), json.dumps(said).encode(), {"Retry-After": "0"} if fault == "429" else {})
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
            self.send(200, raw, {"Content-Type": "text/event-stream" if stream else "application/json"})
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
    world: World | None = None, faults: Sequence[str] = FAULTS, share: float = 0.0, delay: float = 0.0
) -> Iterator[tuple[str, Service]]:
    """A server's address, and what it sees. share: of the requests that fail."""
    service = Service(world or load_world(), faults, share, delay)
    handler = type("Handler", (_Handler,), {"service": service})
    with _Server(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/v1", service
        finally:
            service.answers.set()
            server.shutdown()
            thread.join()
        assert not service.errors
