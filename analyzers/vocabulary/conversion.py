"""Conversion of plain data to types, one thread at a time.

The first conversion to a type makes msgspec read its fields and keep them on the class.  msgspec
0.22 lets another thread use them while they are half written: the process ends by SIGSEGV.
"""

from __future__ import annotations

import threading
from typing import Any, TypeVar, overload

import msgspec

T = TypeVar("T")
_lock = threading.RLock()


@overload
def convert(value: object, kind: type[T], **options: Any) -> T: ...
@overload
def convert(value: object, kind: object, **options: Any) -> Any: ...
def convert(value: object, kind: Any, **options: Any) -> Any:
    """Return the value as one of ``kind``; raise ``msgspec.ValidationError`` if it is none."""
    with _lock:
        return msgspec.convert(value, kind, **options)
