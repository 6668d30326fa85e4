"""One request to an OpenAI-compatible chat service.

The key is sent to the service in a header and goes nowhere else: redirects are not followed, and it is
cut out of whatever the service sends back.
"""

import email.utils
import json
import math
import threading
import time
import urllib.parse
from collections.abc import Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from clutrr._ask.http import RequestError, Response, check_address, post
from clutrr._config import AskConfig
from clutrr._version import VERSION
from clutrr.errors import ConfigError, ServiceError

_LONGEST = 4 << 20  # bytes of a reply
_LONGEST_REFUSAL = 1 << 16  # bytes of a refusal
_LONGEST_TEXT = 1 << 20  # bytes of what the model said in it, as a line of a file holds them
_READING = threading.Lock()  # one reply at a time: a few bytes can become many objects
_LONGEST_REASONING = 200_000  # characters of its reasoning that are kept
_RETRIED = frozenset((408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529))
_KEY = "(the key)"  # what is written in its place
_SECRET = 8  # characters: a shorter key, such as `none`, is no secret, and replies may contain it
_SHOWN = 200  # characters of an error message
_NO_V1 = "; most services have an address that ends in /v1"


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


class RetryableError(Exception):
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
        check_address(self.config.base_url)

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
        try:
            response = post(address, headers, body, self.config.timeout, _LONGEST + 1)
        except RequestError as error:
            raise RetryableError(self._clean(str(error))) from None
        if response.status != HTTPStatus.OK:
            raise self._refusal(response)
        if len(response.body) > _LONGEST:
            raise RetryableError(f"a reply of more than {_LONGEST >> 20} MB")
        with _READING:
            return self._parsed(response.body, response.headers.get("Content-Type", ""))

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

    def _refusal(self, response: Response) -> Exception:
        message = _message(response.body[:_LONGEST_REFUSAL])
        said = self._clean(f"{response.status} {response.reason}: {message}".rstrip(": "))
        if response.status in _RETRIED:
            return RetryableError(said, _seconds(response.headers.get("Retry-After")))
        if response.status == HTTPStatus.NOT_FOUND and "/v1" not in self.config.base_url:
            said += _NO_V1
        return ServiceError(said)

    def _clean(self, text: str) -> str:
        return " ".join(self._kept(text).split())[:_SHOWN]

    def _parsed(self, content: bytes | bytearray, kind: str = "") -> Reply:
        """Return the reply in the body of a response. kind: its Content-Type."""
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
            said = "what came back is not a chat completion"
            if "html" in kind:
                said += " but a page in HTML" + ("" if "/v1" in self.config.base_url else _NO_V1)
            raise RetryableError(said) from None
        counted = [
            count if isinstance(count, int) and 0 <= count < 1 << 62 else None for count in counts
        ]
        text, finish = (
            self._kept(text or ""),
            self._kept(finish)[:_SHOWN] if isinstance(finish, str) else None,
        )
        if len(json.dumps(text, ensure_ascii=False).encode()) > _LONGEST_TEXT:
            raise RetryableError(f"a reply of more than {_LONGEST_TEXT:,} bytes")
        reasoning = self._kept(thought)[:_LONGEST_REASONING] if isinstance(thought, str) else ""
        return Reply(text, finish, counted[0], counted[1], reasoning)

    def _kept(self, text: str) -> str:
        """What a service sent, as it may be written: without the key, and without halves of characters."""
        whole = text.encode("utf-8", "replace").decode()
        return whole.replace(self.key, _KEY) if self.key and len(self.key) >= _SECRET else whole


def _message(body: bytes | bytearray) -> str:
    """Return the message in the body of an error."""
    try:
        content = json.loads(body)
        error = content.get("error", content)
        return str(error.get("message", error) if isinstance(error, dict) else error)
    except (ValueError, AttributeError, RecursionError):
        return body.decode("utf-8", "replace")


def _seconds(text: str | None) -> float | None:
    """Return how many seconds to wait, by a header Retry-After: a number of them, or a date."""
    try:
        seconds = float(text or "")
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(text or "").timestamp() - time.time()
        except (ValueError, OverflowError):
            return None
    return None if math.isnan(seconds) else max(0.0, seconds)
