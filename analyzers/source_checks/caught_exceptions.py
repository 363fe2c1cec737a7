"""The exceptions that handlers catch and keep, as their text has them."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping

BROAD = frozenset({"Exception", "BaseException"})
REQUEST_ERRORS = frozenset(
    {"APIConnectionError", "APIError", "APIStatusError", "APITimeoutError", "BadRequestError",
     "BotoCoreError", "ClientError", "DeadlineExceeded", "GoogleAPICallError", "GoogleAPIError",
     "HttpResponseError", "InternalServerError", "OpenAIError", "RateLimitError",
     "ResourceExhausted", "RetryError", "ServiceRequestError", "ServiceUnavailable"}
)  # fmt: skip
"""Exceptions by which the SDKs tell that a service refused, or did not answer in time."""
_BASES: Mapping[str, frozenset[str]] = {
    "IndexError": frozenset({"LookupError"}),
    "KeyError": frozenset({"LookupError"}),
    "JSONDecodeError": frozenset({"ValueError"}),
    "UnboundLocalError": frozenset({"NameError"}),
}


def named_in(node: ast.AST) -> frozenset[str]:
    """Return the names and attributes that an expression is made of."""
    attributes = {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}
    return frozenset(attributes | {n.id for n in ast.walk(node) if isinstance(n, ast.Name)})


def caught_by(handler: ast.ExceptHandler) -> frozenset[str]:
    """Return the names of the exceptions that a handler catches."""
    return named_in(handler.type) if handler.type is not None else frozenset({"BaseException"})


def catches(caught: Collection[str], exception: str) -> bool:
    """Return whether an exception, or one that it is a kind of, is among those that are caught."""
    kind = exception.rpartition(".")[2]
    return not {*BROAD, kind, *_BASES.get(kind, ())}.isdisjoint(caught)


def passes_on(handler: ast.ExceptHandler) -> bool:
    """Return whether a handler ends by raising what it has caught, and never leaves otherwise."""
    match handler.body[-1]:
        case ast.Raise(exc=None) | ast.Raise(exc=ast.Name(id=handler.name)):
            pass
        case _:
            return False
    leaving = (ast.Return, ast.Continue, ast.Break)
    return not any(isinstance(each, leaving) for part in handler.body for each in ast.walk(part))
