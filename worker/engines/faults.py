"""Whose fault an error is that a service answers with: each in its provider's own form."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, cast

_AGAIN = frozenset({408, 429, 500, 502, 503, 504})
_AT_FAULT = frozenset({400, 413, 415, 422})
_SPENT = "insufficient_quota"
_AWS_AGAIN = frozenset(
    {
        "InternalFailure",
        "InternalServerError",
        "InternalServerException",
        "LimitExceededException",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "ServiceUnavailable",
        "ServiceUnavailableException",
        "SlowDown",
        "Throttling",
        "ThrottlingException",
        "TooManyRequestsException",
    }
)
_AWS_ACCESS = frozenset(
    {
        "AccessDenied",
        "AccessDeniedException",
        "ExpiredToken",
        "ExpiredTokenException",
        "IncompleteSignature",
        "IncompleteSignatureException",
        "InvalidClientTokenId",
        "InvalidSignatureException",
        "MissingAuthenticationToken",
        "MissingAuthenticationTokenException",
        "NotAuthorized",
        "OptInRequired",
        "RequestExpired",
        "SignatureDoesNotMatch",
        "SubscriptionRequiredException",
        "UnknownOperationException",
        "UnrecognizedClientException",
    }
)


class Blame(Enum):
    """The question's fault; the moment's (ask again); or the service's and its operator's."""

    QUESTION = auto()
    MOMENT = auto()
    SERVICE = auto()


@dataclass(frozen=True, slots=True)
class Fault:
    """What a reply with an error status says: the provider's name for it, and its message."""

    blame: Blame
    code: str = ""
    message: str = ""


def read_fault(status: int, content: bytes) -> Fault:
    """An error as Google, Azure and OpenAI write it: ``{"error": {"code", "message"}}``."""
    error = _object(_object(_parsed(content)).get("error"))
    code, message = str(error.get("code") or ""), str(error.get("message") or "")
    if status in _AGAIN and code != _SPENT:
        return Fault(Blame.MOMENT, code, message)
    at_fault = status in _AT_FAULT and "api key" not in message.casefold()
    return Fault(Blame.QUESTION if at_fault else Blame.SERVICE, code, message)


def read_aws_fault(status: int, content: bytes) -> Fault:
    """An error of AWS JSON 1.1: ``{"__type": "…#Name", "message"}``, with 400 for most.

    https://docs.aws.amazon.com/rekognition/latest/dg/error-handling.html
    """
    error = _object(_parsed(content))
    code = str(error.get("__type") or "").rpartition("#")[2].partition(":")[0]
    text = str(error.get("message") or error.get("Message") or "")
    message = f"{code}: {text}" if code and text else code or text
    if code in _AWS_AGAIN or (status in _AGAIN and code not in _AWS_ACCESS):
        return Fault(Blame.MOMENT, code, message)
    at_fault = status in _AT_FAULT and code not in _AWS_ACCESS
    return Fault(Blame.QUESTION if at_fault else Blame.SERVICE, code, message)


def _parsed(content: bytes) -> object:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def _object(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
