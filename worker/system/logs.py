"""Logs for machines to read: one JSON object a line on stderr, no secret in any."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Mapping, MutableMapping, Sequence
from typing import Any, TextIO, cast

import structlog
from structlog.contextvars import bound_contextvars, merge_contextvars

LONGEST_TEXT = 10_000
"""Characters of one value; the rest is cut off."""

REDACTED = "[redacted]"

_SHORTEST_SECRET = 6

_PATTERNS = (
    (re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(-----END [A-Z ]*-----|\Z)", re.DOTALL), ""),
    (re.compile(r"\b(gh[a-z]_|github_pat_)\w{4,}"), ""),
    (re.compile(r"\bv1\.[0-9a-f]{40}\b"), ""),
    (re.compile(r"\beyJ[\w-]{8,}\.[\w-]+(\.[\w-]*)?"), ""),
    (re.compile(r"(?i)(\b(?:bearer|basic)\s+)[\w.~+/=-]{8,}"), r"\1"),
    (re.compile(r"(?i)(\bauthorization\W{1,4})[^\s\"',}]{4,}(\s+[^\s\"',}]{8,})?"), r"\1"),
    (re.compile(r"(\bsha(?:1|256)=)[0-9a-fA-F]{8,}"), r"\1"),
    (re.compile(r"(://)[^/\s'\"?#]*@"), r"\1"),
    (
        re.compile(
            r"(?i)\b((?:\w*(?:token|secret|password|passwd|api_?key|credential)|sig|signature)"
            r"(?:=|%3D))[^&\s\"',;]+"
        ),
        r"\1",
    ),
)

_TELLING = re.compile(
    r"(?i)(token|secret|password|authorization|signature|credentials?|private_key|api_?key)$"
)

_hidden: set[str] = set()

bound = bound_contextvars
"""``with bound(run=id):`` puts an id into every line that is logged inside."""


def configure(stream: TextIO | None = None, level: int = logging.INFO) -> None:
    """Log as JSON lines to ``stream``, by default stderr; again is harmless."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(formatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    logging.captureWarnings(capture=True)
    for chatty in ("httpx", "httpcore", "urllib3", "alembic"):
        logging.getLogger(chatty).setLevel(logging.WARNING)


def formatter() -> logging.Formatter:
    """Return what makes a record one line of JSON."""
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[
            merge_contextvars,
            structlog.stdlib.ExtraAdder(),
            structlog.stdlib.add_log_level,
            structlog.stdlib.add_logger_name,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
        ],
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            structlog.processors.EventRenamer("message"),
            redact,
            structlog.processors.JSONRenderer(),
        ],
    )


def redact_value(*secrets: str) -> None:
    """Redact these values too, whatever they look like, in this process."""
    _hidden.update(secret for secret in secrets if len(secret) >= _SHORTEST_SECRET)


def redact(_logger: object, _method: str, event: MutableMapping[str, Any]) -> Mapping[str, Any]:
    """Return an event without secrets: a processor of structlog."""
    return cast("Mapping[str, Any]", _clean(event))


def redacted(text: str) -> str:
    """Return the text with whatever looks like a secret, or was hidden, replaced."""
    for secret in sorted(_hidden, key=len, reverse=True):
        text = text.replace(secret, REDACTED)
    for pattern, kept in _PATTERNS:
        text = pattern.sub(kept + REDACTED, text)
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}…"


def _clean(value: object) -> object:
    if isinstance(value, Mapping):
        items = cast("Mapping[object, object]", value).items()
        return {
            redacted(str(key)): REDACTED if item and _TELLING.search(str(key)) else _clean(item)
            for key, item in items
        }
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, Sequence | set | frozenset) and not isinstance(value, str | bytes):
        return [_clean(item) for item in cast("Sequence[object]", value)]
    return redacted(value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value))
