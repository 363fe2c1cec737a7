"""Errors of Google's clients, and the error of a question without an answer."""

from __future__ import annotations

import functools
import sys
from typing import Any, Callable, Dict, Mapping, Optional, Tuple, TypeVar

from ..protocol import api_calls
from ..runtime.standins import InertModule

EXCEPTIONS = "google.api_core.exceptions"
_Result = TypeVar("_Result")
_HIERARCHY: Tuple[Tuple[str, str, Optional[int]], ...] = (
    ("RetryError", "GoogleAPIError", None),
    ("Redirection", "GoogleAPICallError", None),
    ("MovedPermanently", "Redirection", 301),
    ("NotModified", "Redirection", 304),
    ("TemporaryRedirect", "Redirection", 307),
    ("ResumeIncomplete", "Redirection", 308),
    ("ClientError", "GoogleAPICallError", None),
    ("BadRequest", "ClientError", 400),
    ("InvalidArgument", "BadRequest", 400),
    ("FailedPrecondition", "BadRequest", 400),
    ("OutOfRange", "BadRequest", 400),
    ("Unauthorized", "ClientError", 401),
    ("Unauthenticated", "Unauthorized", 401),
    ("Forbidden", "ClientError", 403),
    ("PermissionDenied", "Forbidden", 403),
    ("NotFound", "ClientError", 404),
    ("MethodNotAllowed", "ClientError", 405),
    ("Conflict", "ClientError", 409),
    ("AlreadyExists", "Conflict", 409),
    ("Aborted", "Conflict", 409),
    ("LengthRequired", "ClientError", 411),
    ("PreconditionFailed", "ClientError", 412),
    ("RequestRangeNotSatisfiable", "ClientError", 416),
    ("TooManyRequests", "ClientError", 429),
    ("ResourceExhausted", "TooManyRequests", 429),
    ("Cancelled", "ClientError", 499),
    ("ServerError", "GoogleAPICallError", None),
    ("InternalServerError", "ServerError", 500),
    ("Unknown", "ServerError", 500),
    ("DataLoss", "ServerError", 500),
    ("MethodNotImplemented", "ServerError", 501),
    ("BadGateway", "ServerError", 502),
    ("ServiceUnavailable", "ServerError", 503),
    ("GatewayTimeout", "ServerError", 504),
    ("DeadlineExceeded", "GatewayTimeout", 504),
)


class _CallError(Exception):
    code: Optional[int] = None

    def __init__(self, message: Any = "", *_: Any, **__: Any) -> None:
        super().__init__(message)
        self.message = message
        self.errors: Any = []
        self.details: Any = []
        self.response = self.reason = self.domain = self.metadata = None
        self.grpc_status_code = None

    def __str__(self) -> str:
        return f"{self.code} {self.message}"


@functools.cache
def _classes() -> Dict[str, Any]:
    made: Dict[str, Any] = {}

    def add(name: str, bases: Tuple[Any, ...], **body: Any) -> None:
        made[name] = type(name, bases, {"__module__": EXCEPTIONS, **body})

    add("GoogleAPIError", (Exception,))
    add("GoogleAPICallError", (_CallError, made["GoogleAPIError"]))
    for name, base, code in _HIERARCHY:
        add(name, (made[base],), code=code)
    return made


def exceptions_module(name: str) -> InertModule:
    """A stand-in for ``google.api_core.exceptions``, with its classes."""
    module = InertModule(name)
    vars(module).update(_classes())
    return module


@functools.cache
def _unanswered(base: type) -> Any:
    return type("Unanswered", (base, api_calls.NoAnswer), {"__module__": EXCEPTIONS})


def unanswered(reason: str) -> BaseException:
    """Return the error of a question without an answer: ``PermissionDenied`` and ``NoAnswer``."""
    base = getattr(sys.modules.get(EXCEPTIONS), "PermissionDenied", None)
    if not isinstance(base, type):
        base = _classes()["PermissionDenied"]
    error: BaseException = _unanswered(base)(reason)
    return error


_FAILURES: Mapping[Optional[int], str] = {
    None: "DeadlineExceeded", 400: "InvalidArgument", 429: "ResourceExhausted",
}  # fmt: skip


def failed(status: Optional[int]) -> BaseException:
    """Return the error of a status, or of no answer in time."""
    name = _FAILURES.get(status, "InternalServerError")
    kind: Any = getattr(sys.modules.get(EXCEPTIONS), name, None) or _classes()[name]
    error: BaseException = kind("The request failed." if status else "Deadline Exceeded")
    return error


def answered(
    ask: Callable[[], _Result],
    refusal: Callable[[str], BaseException] = unanswered,
    failing: Callable[[Optional[int]], BaseException] = failed,
) -> _Result:
    """Return what ``ask`` does; raise the run's first refusal, and failures, as they are made."""
    before = api_calls.session().refusal
    try:
        return ask()
    except api_calls.ServiceFailure as failure:
        raise failing(failure.status) from None
    except api_calls.NoAnswer as refused:
        session = api_calls.session()
        if before is not None or session.refusal is None or not session.faithful:
            raise
        raise refusal(str(refused)) from None
