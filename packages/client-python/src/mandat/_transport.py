from __future__ import annotations

import gzip
import json
import re
import selectors
import time
import zlib
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timezone
from email.message import Message
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any, Callable, Dict, Generic, List, Mapping, Optional, Protocol, TypeVar, Union
from urllib.parse import quote, urlencode, urlsplit

from ._errors import ProblemError, TransportError

S = TypeVar("S", bound="Surface")
T_co = TypeVar("T_co", covariant=True)

FIRST_WAIT_SECONDS = 0.25
# Statuses of a proxy whose service does not respond.
GATEWAY = (502, 503, 504)
JSON = "application/json"
# Types of the service's successful answers: others come from something else at the address.
ANSWERS = (JSON, "application/x-tar", "application/x-ndjson")


@dataclass(frozen=True)
class Answer(Generic[T_co]):
    """A successful response."""

    data: T_co
    """The parsed body: bytes if it is a file, None if it is empty."""
    status: int
    headers: Message
    """The headers; `get` and `[]` ignore case."""


@dataclass(frozen=True)
class Wait:
    """A wait before the next attempt, for `on_wait`."""

    seconds: float
    attempt: int
    """Number of attempts so far."""
    status: Optional[int]
    """Status of the last response; None if the connection broke."""


class Call(Protocol):
    """Sends a request until it succeeds or must not be repeated."""

    def __call__(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] = ...,
        header: Mapping[str, Optional[str]] = ...,
        body: Any = ...,
    ) -> Answer[Any]: ...


class Operations:
    """Operations of one group."""

    def __init__(self, call: Call) -> None:
        self._call = call


class Surface:
    def __init__(
        self,
        address: str,
        key: str,
        *,
        attempts: int = 5,
        max_wait_seconds: float = 60,
        timeout_seconds: float = 300,
        on_wait: Optional[Callable[[Wait], object]] = None,
        sleep: Callable[[float], object] = time.sleep,
        connection: Optional[Callable[[], HTTPConnection]] = None,
    ) -> None:
        """
        :param address: Address of the service.
        :param key: The key, which is sent as `X-Api-Key` and only to `address`.
        :param attempts: Maximum number of attempts.
        :param max_wait_seconds: Maximum `Retry-After` that the client waits for; a longer one is an error at once.
        :param timeout_seconds: Maximum time without a byte from the service.
        :param on_wait: Called before each wait.
        :param sleep: Replaces waiting, for tests.
        :param connection: Makes an unconnected connection to `address`, for proxies and certificates of your own.
        """
        parts = urlsplit(address.rstrip("/"))
        if parts.scheme not in ("http", "https") or not parts.hostname or " " in address:
            raise ValueError(f"{address!r} is no address.")
        # A file of a key often ends in a line end.
        key = key.strip()
        # The error of an invalid header would show the key.
        if not re.fullmatch(r"[\x21-\x7e]+", key):
            raise ValueError("The key is empty or has characters that no key has.")
        host, port = parts.hostname, parts.port
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        self._address = address.rstrip("/")
        self._path = parts.path
        self._key = key
        self._attempts = attempts
        self._max_wait_seconds = max_wait_seconds
        self._on_wait = on_wait
        self._sleep = sleep
        self._open = connection or (lambda: kind(host, port, timeout=timeout_seconds))
        # Threads may share a client: each takes a connection, or makes one.
        self._idle: List[HTTPConnection] = []

    def close(self) -> None:
        """Closes the connections. A later operation makes another one."""
        while self._idle:
            self._idle.pop().close()

    def __enter__(self: S) -> S:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _call(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] = {},
        header: Mapping[str, Optional[str]] = {},
        body: Any = None,
    ) -> Answer[Any]:
        asked = urlencode({name: _text(value) for name, value in query.items() if value is not None})
        target = self._path + path + (f"?{asked}" if asked else "")
        headers = {"Accept": JSON, "Accept-Encoding": "gzip", "X-Api-Key": self._key}
        headers.update({name: value for name, value in header.items() if value is not None})
        payload = None
        if body is not None:
            payload = json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
            headers["Content-Type"] = JSON
        repeatable = "Idempotency-Key" in headers if method == "POST" else method != "PATCH"
        attempt = 1
        while True:
            try:
                return self._exchange(method, target, headers, payload, repeatable)
            except (ProblemError, TransportError) as error:
                seconds = self._seconds_before(error, repeatable, attempt) if attempt < self._attempts else None
                if seconds is None:
                    raise
                if self._on_wait:
                    self._on_wait(Wait(seconds, attempt, error.status))
            self._sleep(seconds)
            attempt += 1

    def _exchange(
        self, method: str, target: str, headers: Dict[str, str], payload: Optional[bytes], repeatable: bool
    ) -> Answer[Any]:
        """Sends a request once and returns the successful response."""
        connection = self._connected()
        try:
            # A server that rejects a body before its end stops reading, and has responded.
            with suppress(BrokenPipeError):
                connection.request(method, target, payload, headers)
            response = connection.getresponse()
            # Before the answer is returned, because an interrupted body is repeated like an interrupted request.
            content = response.read()
            if response.headers.get("content-encoding") == "gzip":
                content = gzip.decompress(content)
        except (OSError, EOFError, HTTPException, zlib.error) as cause:
            connection.close()
            message = f"The connection to {self._address} broke ({_reason(cause)})"
            raise TransportError(message, repeatable=repeatable) from cause
        except BaseException:
            connection.close()
            raise
        if connection.sock is not None:
            self._idle.append(connection)
        return self._answer_of(response.status, response.reason, response.headers, content, repeatable)

    def _connected(self) -> HTTPConnection:
        while self._idle:
            try:
                connection = self._idle.pop()
            except IndexError:  # Another thread took it.
                break
            if not _is_readable(connection):
                return connection
            # The server closed it.
            connection.close()
        connection = self._open()
        try:
            connection.connect()
        except OSError as cause:
            connection.close()
            message = f"No connection to {self._address} ({_reason(cause)})"
            raise TransportError(message, repeatable=True, connected=False) from cause
        return connection

    def _answer_of(
        self, status: int, reason: str, headers: Message, content: bytes, repeatable: bool
    ) -> Answer[Any]:
        kind = headers.get("content-type", "").split(";")[0].strip()
        if 200 <= status < 300 and (not content or kind in ANSWERS):
            data = json.loads(content) if kind == JSON and content else content or None
            return Answer(data, status, headers)
        if status == 304:
            raise ProblemError(status, {"title": "Not Modified"}, headers)
        # Redirects are errors, because the key in the headers is for this address only.
        problem = _problem_of(content) if kind == "application/problem+json" else None
        if problem is not None:
            raise ProblemError(status, {"title": reason, **problem}, headers)
        said = f"{status}, {kind}" if kind else f"{status}"
        message = f"What answers at {self._address} is not Mandat ({said})"
        raise TransportError(message, repeatable=repeatable, status=status)

    def _seconds_before(
        self, error: Union[ProblemError, TransportError], repeatable: bool, attempt: int
    ) -> Optional[float]:
        """Returns the seconds to wait before the next attempt, or None if the request must not be repeated."""
        later = FIRST_WAIT_SECONDS * 2 ** (attempt - 1)
        if isinstance(error, TransportError):
            if error.status is not None:
                return later if repeatable and error.status in GATEWAY else None
            # Without a connection at the first attempt the address is wrong; at a later one the service may be restarting.
            return later if repeatable and (error.connected or attempt > 1) else None
        may_repeat = (
            # The service rejects it before any work.
            error.status == 429
            or (repeatable and error.status in GATEWAY)
            # The first attempt with this key lost its connection and is still running.
            or (repeatable and error.code == "Idempotence.EnCours")
        )
        if not may_repeat:
            return None
        asked = _seconds_to_wait(error.headers.get("retry-after"))
        seconds = later if asked is None else asked
        return seconds if seconds <= self._max_wait_seconds else None


def part(value: str) -> str:
    """Returns a value as one part of a path."""
    return quote(value, safe="")


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _reason(error: BaseException) -> str:
    return str(error) or type(error).__name__


def _is_readable(connection: HTTPConnection) -> bool:
    with selectors.DefaultSelector() as selector:
        selector.register(connection.sock, selectors.EVENT_READ)
        return bool(selector.select(0))


def _problem_of(content: bytes) -> Optional[Dict[str, Any]]:
    try:
        value = json.loads(content)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _seconds_to_wait(retry_after: Optional[str]) -> Optional[float]:
    """`Retry-After` is a number of seconds or a date (RFC 9110, section 10.2.3)."""
    if not retry_after:
        return None
    if retry_after.isdecimal():
        return float(retry_after)
    try:
        date = parsedate_to_datetime(retry_after)
    except (TypeError, ValueError):
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=timezone.utc)
    return max(0.0, (date - datetime.now(timezone.utc)).total_seconds())
