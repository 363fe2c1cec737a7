"""Errors for an answer's status and headers; its wording is only repeated."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any, cast

from worker.github_app.client.errors import (
    ConflictError,
    ForbiddenError,
    GithubError,
    GoneError,
    MovedError,
    NotFoundError,
    RefusedError,
    SuspendedError,
    TooLargeError,
    UnauthorizedError,
    UnavailableError,
    UncertainError,
)
from worker.github_app.client.limits import limit_of, limited
from worker.github_app.client.wire import Answer, Call

MOST_CHARACTERS = 500
MOST_PROBLEMS = 20

SIMPLE: dict[int, type[GithubError]] = {
    404: NotFoundError,
    409: ConflictError,
    410: GoneError,
}

FORBIDDEN_REMEDY = (
    "Give the App the permission that this needs, in its settings at GitHub,"
    " and let the account's owner accept it."
)


def fault(call: Call, answer: Answer, now: datetime) -> GithubError | None:
    """Return what is wrong with an answer; ``None``: it is a good one."""
    if answer.status < 300:
        return _graphql(call, answer, now) if call.graphql else None
    body = _object(answer.text)
    said = _clean(body.get("message"))
    limit = limited(answer, said, now)
    if limit is not None:
        return limit
    told = f"GitHub answered {call.name} with {answer.status}" + (f": {said}" if said else "")
    if answer.status >= 500:
        return _broken(call, told, answer.status)
    return _by_status(answer, told, said, _problems(body))


def _by_status(
    answer: Answer, told: str, said: str, problems: tuple[tuple[str, str], ...]
) -> GithubError:
    status = answer.status
    if status == 401:
        return UnauthorizedError(told, status=status, served_at=answer.served_at)
    if status == 406 or any(code == "too_large" for code, _ in problems):
        return TooLargeError(told, status=status)
    if status == 403:
        if "suspended" in said.lower():
            return SuspendedError(told, status=403)
        return ForbiddenError(told, status=403, remedy=FORBIDDEN_REMEDY)
    if status == 422:
        words = tuple(text for _, text in problems)
        return RefusedError(": ".join((told, *words)), problems=words or ((said,) if said else ()))
    kind = MovedError if status < 400 else SIMPLE.get(status, GithubError)
    return kind(told, status=status)


def _graphql(call: Call, answer: Answer, now: datetime) -> GithubError | None:
    errors: Any = _object(answer.text).get("errors")
    if not errors:
        return None
    entry: Any = errors[0] if isinstance(errors, list) else errors
    first = cast("dict[str, Any]", entry) if isinstance(entry, dict) else {}
    said = _clean(first.get("message")) or "no reason given"
    kind = first.get("type")
    if kind == "RATE_LIMITED":
        return limit_of(answer, said, now)
    told = f"GitHub answered {call.name} with an error: {said}"
    if kind is None and not first.get("extensions"):
        return _broken(call, told, answer.status)
    if kind in {"FORBIDDEN", "INSUFFICIENT_SCOPES"}:
        return ForbiddenError(told, status=answer.status, remedy=FORBIDDEN_REMEDY)
    if kind == "NOT_FOUND":
        return NotFoundError(told, status=answer.status)
    return RefusedError(told, problems=(said,), status=answer.status)


def _broken(call: Call, told: str, status: int) -> GithubError:
    kind = UncertainError if call.writes else UnavailableError
    return kind(told, status=status)


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _problems(body: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    """Code and words of each entry of ``errors``: strings, objects, a string or an object."""
    errors = body.get("errors")
    entries: list[Any] = errors if isinstance(errors, list) else [errors]
    found = (problem for entry in entries for problem in _problem(entry))
    return tuple(problem for problem, _ in zip(found, range(MOST_PROBLEMS), strict=False))


def _problem(entry: Any) -> Iterator[tuple[str, str]]:
    if isinstance(entry, dict):
        parts = cast("dict[str, Any]", entry)
        named = (parts.get(key) for key in ("resource", "field", "code"))
        place = " ".join(word for word in map(_clean, named) if word)
        words = _clean(parts.get("message"))
        text = f"{place}: {words}" if place and words else place or words
        if text:
            yield _clean(parts.get("code")), text
    elif _clean(entry):
        yield "", _clean(entry)


def _clean(text: Any) -> str:
    """One printable line of what GitHub said, or nothing."""
    if not isinstance(text, str):
        return ""
    line = "".join(c if c.isprintable() else " " for c in text[: 2 * MOST_CHARACTERS])
    return " ".join(line.split())[:MOST_CHARACTERS]
