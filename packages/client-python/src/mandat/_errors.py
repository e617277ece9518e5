from __future__ import annotations

from email.message import Message
from typing import Any, Dict, List, Optional, TypedDict


class Fault(TypedDict):
    """A fault of a request."""

    pointer: str
    """JSON pointer into the body, `?name` for a query parameter, `{name}` for a part of the path."""
    code: str
    detail: str


class MandatError(Exception):
    """Base class of the errors of this package."""


class ProblemError(MandatError):
    """The service rejected the request (RFC 9457)."""

    def __init__(self, status: int, problem: Dict[str, Any], headers: Message) -> None:
        self.status = status
        self.headers = headers
        self.code: Optional[str] = problem.get("code")
        """Error code; None for 304, which is not an error of the service."""
        self.type: Optional[str] = problem.get("type")
        """Address of the code's documentation."""
        self.title: str = problem.get("title", "")
        self.detail: str = problem.get("detail", self.title)
        self.errors: List[Fault] = problem.get("errors", [])
        """Every fault of an invalid request; empty for other errors."""
        self.module: Optional[str] = problem.get("module")
        """The module that is not active, for `Module.NonActif`."""
        self.request_id: Optional[str] = headers.get("x-request-id")
        """Identifies the request in the operator's logs."""
        self.trace_id: Optional[str] = problem.get("traceId")
        said = "; ".join(f"{fault['pointer']} {fault['detail']}" for fault in self.errors)
        super().__init__(f"{status} {self.code or self.title}: {said or self.detail}")


class TransportError(MandatError):
    """No response arrived, or another server responded: see the message."""

    def __init__(self, message: str, *, repeatable: bool, connected: bool = True, status: Optional[int] = None) -> None:
        super().__init__(message)
        self.repeatable = repeatable
        """Whether a repetition cannot do the work twice."""
        self.connected = connected
        """Whether there was a connection."""
        self.status = status
        """Status of the other server's response."""
