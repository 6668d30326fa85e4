"""One request to an OpenAI-compatible chat service.

The key is sent to the service in a header and goes nowhere else: redirects are not followed, and it is
cut out of whatever the service says.
"""

import http.client
import json
import socket
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any

from clutrr.errors import ConfigError
from clutrr.version import VERSION

OPENAI = "https://api.openai.com/v1"
_LONGEST = 32 << 20  # bytes of a reply
_RETRIED = frozenset((408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529))
_SHOWN = 200  # characters of what a service says


@dataclass(frozen=True)
class Sampling:
    """What is asked of the model; None leaves it to the service."""

    temperature: float | None = None
    effort: str | None = None
    max_tokens: int | None = None

    def __post_init__(self) -> None:
        if self.temperature is not None and not 0 <= self.temperature <= 2:
            raise ConfigError(f"temperature: {self.temperature} is not from 0 to 2")
        if self.max_tokens is not None and self.max_tokens < 1:
            raise ConfigError(f"max-tokens: {self.max_tokens} is below 1")


@dataclass(frozen=True)
class Reply:
    """What the model said. finish: why it stopped. tokens: read and written, None where not told."""

    text: str
    finish: str | None
    prompt_tokens: int | None
    reply_tokens: int | None


class Again(Exception):  # noqa: N818  no error of the user's
    """It did not work, but may if tried again. after: seconds that the service asks to wait."""

    def __init__(self, why: str, after: float | None = None) -> None:
        super().__init__(why)
        self.after = after


class Refused(Exception):  # noqa: N818
    """The service does not do this, however often it is asked."""


@dataclass(frozen=True)
class Endpoint:
    """A service and a model of it. timeout: seconds for one reply."""

    base_url: str
    model: str
    key: str | None = field(default=None, repr=False)
    sampling: Sampling = Sampling()
    timeout: float = 600.0

    def __post_init__(self) -> None:
        parts = urllib.parse.urlsplit(self.base_url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise ConfigError(
                f"base-url: {self.base_url!r} is not an address such as http://localhost:8000/v1"
            )
        if parts.username or parts.password:
            raise ConfigError("base-url: a key does not belong in the address; put it in the environment")
        if self.key is not None and (not self.key.isascii() or not self.key.isprintable()):
            raise ConfigError("the key in the environment has characters that cannot be in a key")
        if not self.timeout > 0:
            raise ConfigError(f"timeout: {self.timeout} is not above 0")

    def reply(self, messages: Sequence[dict[str, str]], name: str) -> Reply:
        """The model's reply. name: of this request; the same for every try of it."""
        body = json.dumps(self._body(messages)).encode()
        headers = {
            "Content-Type": "application/json",
            "User-Agent": f"clutrr/{VERSION}",
            "Idempotency-Key": name,
        }
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        request = urllib.request.Request(f"{self.base_url.rstrip('/')}/chat/completions", body, headers)
        try:
            content = self._fetch(request)
        except urllib.error.HTTPError as error:
            with error:
                raise self._trouble(error) from None
        except (OSError, http.client.HTTPException) as error:
            raise Again(self._clean(self._in_words(getattr(error, "reason", None) or error))) from None
        return _parsed(content)

    def _in_words(self, reason: object) -> str:
        """Why no reply came."""
        if isinstance(reason, ConnectionRefusedError):
            return "nothing answers at this address (connection refused)"
        if isinstance(reason, TimeoutError):
            return f"no reply within {self.timeout:g} s"
        if isinstance(reason, socket.gaierror):
            return "no such host"
        return f"{type(reason).__name__}: {reason}"

    def _body(self, messages: Sequence[dict[str, str]]) -> dict[str, Any]:
        wanted = {"temperature": self.sampling.temperature, "reasoning_effort": self.sampling.effort}
        # OpenAI's own service refuses the old name; most others know no other.
        limit = (
            "max_completion_tokens" if self.base_url.startswith("https://api.openai.com") else "max_tokens"
        )
        wanted[limit] = self.sampling.max_tokens
        given = {name: value for name, value in wanted.items() if value is not None}
        return {"model": self.model, "messages": list(messages), **given}

    def _fetch(self, request: urllib.request.Request) -> bytes:
        """The whole body; the time is limited as a whole, not only from byte to byte."""
        end = time.monotonic() + self.timeout
        opener = urllib.request.build_opener(_NoRedirect)
        with opener.open(request, timeout=self.timeout) as response:
            parts, size = [], 0
            while part := response.read1(1 << 16):
                parts.append(part)
                size += len(part)
                if size > _LONGEST:
                    raise Again(f"a reply of more than {_LONGEST >> 20} MB")
                if time.monotonic() > end:
                    raise Again(f"no whole reply in {self.timeout:g} s")
            told = response.headers.get("Content-Length")
            if told is not None and told.isdecimal() and size < int(told):
                raise Again(f"the reply was cut off after {size} of {told} bytes")
        return b"".join(parts)

    def _trouble(self, error: urllib.error.HTTPError) -> Exception:
        try:
            body = error.read(1 << 16)
        except (OSError, http.client.HTTPException):
            body = b""
        said = self._clean(f"{error.code} {error.reason}: {_message(body)}".rstrip(": "))
        if error.code in _RETRIED:
            return Again(said, _seconds(error.headers.get("Retry-After")))
        return Refused(said)

    def _clean(self, text: str) -> str:
        if self.key:
            text = text.replace(self.key, "(the key)")
        return " ".join(text.split())[:_SHOWN]


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would send the key elsewhere."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _message(body: bytes) -> str:
    """What a service says in an error."""
    try:
        content = json.loads(body)
        error = content.get("error", content)
        return str(error.get("message", error) if isinstance(error, dict) else error)
    except (ValueError, AttributeError, RecursionError):
        return body.decode("utf-8", "replace")


def _seconds(text: str | None) -> float | None:
    """Retry-After: a number of seconds, or a date."""
    if text is None:
        return None
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except ValueError:
        return None


def _parsed(content: bytes) -> Reply:
    try:
        answer = json.loads(content)
        choice = answer["choices"][0]
        text = choice["message"]["content"]
        if isinstance(text, list):  # some services part a message
            text = "".join(part.get("text") or "" for part in text)
        if not isinstance(text, str | None):
            raise TypeError
        finish = choice.get("finish_reason")
        usage = answer.get("usage") or {}
        counts = [usage.get(name) for name in ("prompt_tokens", "completion_tokens")]
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        raise Again("what came back is not a chat completion") from None
    told = [count if isinstance(count, int) else None for count in counts]
    whole = (text or "").encode("utf-8", "replace").decode()  # half a character cannot be written
    return Reply(whole, finish if isinstance(finish, str) else None, told[0], told[1])
