"""One HTTP request under one deadline, which holds for all of it: looking up the host, connecting, sending,
and every byte that comes back, headers and trailers included. Whatever arrives in the meantime, it ends then.

Redirects are not followed: they could carry the key to another place.
"""

import asyncio
import contextlib
import os
import ssl
from collections.abc import Coroutine, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import httpx

from clutrr.errors import ConfigError

_ERROR_STATUS = 400


class RequestError(Exception):
    """No whole response came, for a reason that may pass."""


@dataclass
class Response:
    """What a service sent.

    - reason: the words beside the status.
    - headers: by name, in any case.
    - body: as it was sent, cut where it became too long.
    """

    status: int
    reason: str
    headers: Mapping[str, str]
    body: bytearray = field(default_factory=bytearray)


def check_address(address: str) -> None:
    """Refuse an address that no request can be sent to."""
    try:
        httpx.URL(address).raw_host.decode("idna")
    except (httpx.InvalidURL, ValueError) as error:
        raise ConfigError(
            f"is not an address: {error}", setting="base_url", value=address
        ) from None


def post(
    address: str, headers: Mapping[str, str], content: bytes, seconds: float, most: int
) -> Response:
    """Send a request and return the response.

    - seconds: until all of the response must be there; for a refusal (a status of 400 or more), its headers.
    - most: bytes of a body after which no more of it is read.
    """
    arrived: list[Response] = []
    with _network_errors():
        try:
            asyncio.run(_within(seconds, _post(address, headers, content, most, arrived)))
        except (TimeoutError, httpx.TransportError) as error:
            if arrived and arrived[0].status >= _ERROR_STATUS:
                return arrived[0]  # the reason for a refusal is worth having without its end
            if isinstance(error, TimeoutError):
                what = "no whole reply" if arrived else "no reply"
                raise RequestError(f"{what} within {seconds:g} s") from None
            raise
    return arrived[0]


async def _within(seconds: float, work: Coroutine[Any, Any, None]) -> None:
    async with asyncio.timeout(seconds):
        await work


async def _post(
    address: str,
    headers: Mapping[str, str],
    content: bytes,
    most: int,
    arrived: list[Response],
) -> None:
    """Send a request; append the response as soon as its headers are there, and fill it with the body."""
    # No compression: a few bytes would become many.
    sent = {**headers, "Accept-Encoding": "identity"}
    async with (
        httpx.AsyncClient(verify=_trusted(), timeout=None, follow_redirects=False) as client,
        client.stream("POST", address, content=content, headers=sent) as response,
    ):
        arrived.append(Response(response.status_code, response.reason_phrase, response.headers))
        body = arrived[0].body
        async for piece in response.aiter_raw():
            body += piece
            if len(body) >= most:
                del body[most:]
                return


@cache
def _trusted() -> ssl.SSLContext:
    """Return the certificates that are trusted, which take long to read."""
    return httpx.create_ssl_context()


@contextlib.contextmanager
def _network_errors() -> Iterator[None]:
    """Turn what goes wrong on the way into a RequestError."""
    try:
        yield
    except (httpx.HTTPError, httpx.StreamError, OSError, ValueError) as error:
        raise RequestError(_reason(error) or str(error) or type(error).__name__) from None
    except (httpx.InvalidURL, ImportError) as error:  # of a proxy that the environment names
        raise ConfigError(f"the service cannot be asked: {error}") from None


def _reason(error: BaseException | None) -> str:
    """Return what the system said, from the innermost error that has words of it."""
    if error is None:
        return ""
    if isinstance(error, BaseExceptionGroup):
        return _reason(error.exceptions[0])
    if inner := _reason(error.__cause__ or error.__context__):
        return inner
    if isinstance(error, ConnectionError) and error.errno:
        return os.strerror(error.errno)  # asyncio has words of its own, with the address
    return error.strerror or "" if isinstance(error, OSError) else ""
