"""One request to an OpenAI-compatible chat service.

The key is sent to the service in a header and goes nowhere else: redirects are not followed, and it is
cut out of whatever the service sends back.
"""

import contextlib
import http.client
import json
import socket
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from clutrr.config import AskConfig
from clutrr.errors import ConfigError, ServiceError
from clutrr.version import VERSION

_LONGEST = 4 << 20  # bytes of a reply
_LONGEST_TEXT = 1 << 20  # bytes of what the model said in it, as a line of a file holds them
_READING = threading.Lock()  # one reply at a time: a few bytes can become many objects
_LONGEST_REASONING = 200_000  # characters of its reasoning that are kept
_RETRIED = frozenset((408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529))
_KEY = "(the key)"  # what is written in its place
_SECRET = 8  # characters: a shorter key, such as `none`, is no secret, and replies may contain it
_SHOWN = 200  # characters of an error message


@dataclass(frozen=True)
class Reply:
    """A model's reply. finish: why it stopped. tokens: read and written, None if they were not counted.

    reasoning: what it thought before, where the service gives that separately.
    """

    text: str
    finish: str | None
    prompt_tokens: int | None
    reply_tokens: int | None
    reasoning: str = ""


class Again(Exception):  # noqa: N818  no error of the user's
    """The request failed, but may succeed if tried again. after: seconds that the service asks to wait."""

    def __init__(self, why: str, after: float | None = None) -> None:
        super().__init__(why)
        self.after = after


@dataclass(frozen=True)
class Endpoint:
    """A service, and the key to it."""

    config: AskConfig
    key: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.key is not None and (not self.key.isascii() or not self.key.isprintable()):
            raise ConfigError("the key in the environment has characters that cannot be in a key")

    def reply(self, messages: Sequence[dict[str, str]], name: str) -> Reply:
        """The model's reply. name: of this request; the same for every try of it."""
        body = json.dumps(self._body(messages)).encode()
        headers = {
            "Content-Type": "application/json",
            "User-Agent": f"clutrr/{VERSION}",
            # ids may hold characters that a header cannot
            "Idempotency-Key": urllib.parse.quote(name),
        }
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        address = f"{self.config.base_url.rstrip('/')}/chat/completions"
        request = urllib.request.Request(address, body, headers)
        end = time.monotonic() + self.config.timeout
        try:
            content = self._fetch(request, end)
        except urllib.error.HTTPError as error:
            with error:
                raise self._trouble(error, end) from None
        except (OSError, http.client.HTTPException) as error:
            if time.monotonic() > end:
                raise Again(f"no reply within {self.config.timeout:g} s") from None
            reason = getattr(error, "reason", None) or error
            said = f"no reply within {self.config.timeout:g} s" if isinstance(reason, TimeoutError) else ""
            raise Again(said or self._clean(getattr(reason, "strerror", None) or repr(reason))) from None
        except ValueError as error:  # an address that cannot be one
            raise ServiceError(self._clean(str(error))) from None
        with _READING:
            return self._parsed(content)

    def _body(self, messages: Sequence[dict[str, str]]) -> dict[str, Any]:
        config = self.config
        # OpenAI's own services refuse the old name, and others may not know the new one.
        most = "max_completion_tokens" if "openai." in config.base_url else "max_tokens"
        wanted = {"temperature": config.temperature, "reasoning_effort": config.effort}
        wanted |= {"top_p": config.top_p, "seed": config.seed, most: config.max_tokens}
        given = {name: value for name, value in wanted.items() if value is not None}
        before = [] if config.system is None else [{"role": "system", "content": config.system}]
        extra = {} if config.extra is None else json.loads(config.extra)
        return {"model": config.model, "messages": [*before, *messages], **given, **extra}

    def _fetch(self, request: urllib.request.Request, end: float) -> bytes:
        """The whole body; the time is limited as a whole, not only from byte to byte."""
        handler = _Handler()
        # For a service that never ends its headers.
        late = threading.Timer(self.config.timeout, handler.cut)
        late.daemon = True
        late.start()
        try:
            with urllib.request.build_opener(handler).open(request, timeout=self.config.timeout) as response:
                content = _read(response, _LONGEST + 1, end)
                length = response.headers.get("Content-Length") or ""
        finally:
            late.cancel()
        if len(content) > _LONGEST:
            raise Again(f"a reply of more than {_LONGEST >> 20} MB")
        if time.monotonic() > end:
            raise Again(f"no whole reply in {self.config.timeout:g} s")
        if length.isdecimal() and length.lstrip("0") != str(len(content)).lstrip("0"):
            raise Again(f"the reply was cut off after {len(content)} of {length[:20]} bytes")
        return content

    def _trouble(self, error: urllib.error.HTTPError, end: float) -> Exception:
        try:
            body = _read(error, 1 << 16, end)
        except (OSError, http.client.HTTPException):
            body = b""
        said = self._clean(f"{error.code} {error.reason}: {_message(body)}".rstrip(": "))
        if error.code in _RETRIED:
            return Again(said, _seconds(error.headers.get("Retry-After")))
        if error.code == http.HTTPStatus.NOT_FOUND and "/v1" not in self.config.base_url:
            said += "; most services have an address that ends in /v1"
        return ServiceError(said)

    def _clean(self, text: str) -> str:
        return " ".join(self._kept(text).split())[:_SHOWN]

    def _parsed(self, content: bytes) -> Reply:
        try:
            answer = json.loads(content)
            choice = answer["choices"][0]
            message = choice["message"]
            text, finish = message["content"], choice.get("finish_reason")
            if isinstance(text, list):  # some services split a message into parts
                text = "".join(part.get("text") or "" for part in text)
            if not isinstance(text, str | None):
                raise TypeError
            if not text and isinstance(message.get("refusal"), str):
                text, finish = message["refusal"], "refusal"
            thought = message.get("reasoning_content") or message.get("reasoning")
            usage = answer.get("usage") or {}
            counts = [usage.get(name) for name in ("prompt_tokens", "completion_tokens")]
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
            raise Again("what came back is not a chat completion") from None
        counted = [count if isinstance(count, int) and 0 <= count < 1 << 62 else None for count in counts]
        text, finish = (
            self._kept(text or ""),
            self._kept(finish)[:_SHOWN] if isinstance(finish, str) else None,
        )
        if len(json.dumps(text, ensure_ascii=False).encode()) > _LONGEST_TEXT:
            raise Again(f"a reply of more than {_LONGEST_TEXT:,} bytes")
        reasoning = self._kept(thought)[:_LONGEST_REASONING] if isinstance(thought, str) else ""
        return Reply(text, finish, counted[0], counted[1], reasoning)

    def _kept(self, text: str) -> str:
        """What a service sent, as it may be written: without the key, and without halves of characters."""
        whole = text.encode("utf-8", "replace").decode()
        return whole.replace(self.key, _KEY) if self.key and len(self.key) >= _SECRET else whole


def _read(response: Any, most: int, end: float) -> bytes:
    """The body, up to a size and a time."""
    parts, size = [], 0
    while size < most and time.monotonic() <= end and (part := response.read1(1 << 16)):
        parts.append(part)
        size += len(part)
    return b"".join(parts)[:most]


class _Handler(urllib.request.HTTPHandler, urllib.request.HTTPSHandler, urllib.request.HTTPRedirectHandler):
    """Keeps the connections that it opens, to be cut where a request takes too long."""

    def __init__(self) -> None:
        super().__init__()
        self._opened: list[http.client.HTTPConnection] = []

    def do_open(self, http_class: Any, req: Any, **settings: Any) -> Any:
        def connect(*args: Any, **more: Any) -> http.client.HTTPConnection:
            self._opened.append(http_class(*args, **more))
            return self._opened[-1]

        return super().do_open(connect, req, **settings)

    def redirect_request(self, *_: Any) -> None:
        """A redirect would send the key elsewhere."""

    def cut(self) -> None:
        for connection in self._opened:
            if (sock := connection.sock) is not None:
                with contextlib.suppress(OSError):
                    sock.shutdown(socket.SHUT_RDWR)


def _message(body: bytes) -> str:
    """Return the message in the body of an error."""
    try:
        content = json.loads(body)
        error = content.get("error", content)
        return str(error.get("message", error) if isinstance(error, dict) else error)
    except (ValueError, AttributeError, RecursionError):
        return body.decode("utf-8", "replace")


def _seconds(text: str | None) -> float | None:
    """Retry-After as a number of seconds; a date, which it may be too, is not heeded."""
    try:
        return max(0.0, float(text or ""))
    except ValueError:
        return None
