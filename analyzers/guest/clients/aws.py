"""What AWS's clients ask, whichever client it is: one function a direction.

Names are AWS's own (``Labels``, ``Confidence``): its JSON, botocore's
dictionaries and the canonical answers are the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Dict, List, Optional, Tuple

from .. import calls
from ..fitting import with_lists
from ..spelling import snake
from .described import Described, Entry, asked_each, decoded, plain


class Aws:
    """Answers the operations that the catalogue describes."""

    def __init__(self, described: Described) -> None:
        self._described = described

    def entry(self, service: str, operation: str) -> Optional[Entry]:
        """The description of ``DetectLabels`` of ``rekognition``, in either spelling."""
        return self._described.named(f"aws.{service}.{snake(operation).lower()}")

    def answer(
        self, entry: Entry, params: Mapping[str, Any], *, in_base64: bool = False
    ) -> Dict[str, Any]:
        """The response to an operation's parameters.

        ``in_base64``: contents are written as JSON has them.  Raises ``Refused``.
        """
        asked = semantic(entry, params, in_base64=in_base64)
        answers = [self._described.ask(entry, request) for request in asked]
        if not asked_each(entry):
            return with_lists(self._described.schema, str(entry["schema"]), answers[0])
        result = str(entry["result"]).partition("[]")[0]
        elements = [{"Index": n, **answer} for n, answer in enumerate(answers)]
        return with_lists(self._described.schema, str(entry["schema"]), {result: elements})


def semantic(
    entry: Entry, params: Mapping[str, Any], *, in_base64: bool = False
) -> List[calls.Request]:
    """The questions that a call asks: one, or one for each element of its input."""
    described = entry.get("input") or {}
    head, _, inner = str(described.get("field", "")).partition(".")
    options = plain({key: value for key, value in params.items() if key != head})
    given = params.get(head)
    items = list(given or ()) if asked_each(entry) else [given]
    kind = str(described.get("kind"))
    requests: List[calls.Request] = []
    for item in items:
        content, text, uri = _source(item, inner, kind, in_base64)
        requests.append(calls.Request(str(entry["name"]), content, text, uri, options))
    return requests


def _source(item: Any, inner: str, kind: str, in_base64: bool) -> Tuple[Any, Any, Any]:
    """The content, text and URI of ``{"Bytes": …}``, ``{"S3Object": …}``, a text or an id."""
    value: Any = item.get(inner) if inner and isinstance(item, Mapping) else item
    if kind == "text":
        return None, value, None
    if value is None:
        where = item.get("S3Object") if isinstance(item, Mapping) else None
        return None, None, _bucket(where)
    if hasattr(value, "read"):
        value = value.read()
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value), None, None
    if inner == "Bytes" and isinstance(value, str):
        return (decoded(value) if in_base64 else value.encode()), None, None
    return None, None, value


def _bucket(where: Any) -> Optional[str]:
    if not isinstance(where, Mapping):
        return None
    version = f"?versionId={where['Version']}" if where.get("Version") else ""
    return f"s3://{where.get('Bucket')}/{where.get('Name')}{version}"


def metadata() -> Dict[str, Any]:
    """What botocore says about the transport of a response."""
    return {
        "RequestId": "00000000-0000-0000-0000-000000000000",
        "HTTPStatusCode": 200,
        "HTTPHeaders": {"content-type": "application/x-amz-json-1.1"},
        "RetryAttempts": 0,
    }
