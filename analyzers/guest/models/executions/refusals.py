"""What exporters, compilers and kernels say when they do not take a model by their own word."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import Generator, Iterator, List, Optional, Set

from ..nouns import Unsupported

_TYPES = frozenset(
    (
        "DataDependentOutputException",
        "DispatchError",
        "DynamicOutputShapeException",
        "GuardOnDataDependentSymNode",
        "SymbolicValueError",
        "TorchExportError",
        "Unsupported",
        "UnsupportedOperatorError",
        "UnsupportedOperatorException",
        "UserError",
    )
)
"""Exceptions that are raised for documented limits of ``torch.export`` and the exporters."""

_WORDS = (
    "not implemented for",
    "could not find an implementation",
    "could not run '",
    "onnx export of operator",
    "onnx export failed on",
    "tracer cannot",
    "only tuples, lists and variables are supported as jit inputs/outputs",
    "unsupported: onnx export",
)
_LONGEST = 300
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def refused(error: BaseException) -> Optional[str]:
    """Why an error is a refusal; ``None`` where it is a fault."""
    for each in _chain(error):
        if type(each).__name__ in _TYPES or isinstance(each, NotImplementedError):
            return said(each)
        if any(words in str(each).lower() for words in _WORDS):
            return said(each)
    return None


@contextmanager
def refusing() -> Generator[None, None, None]:
    """Refusals from inside become :class:`Unsupported`; faults stay what they are."""
    try:
        yield
    except Exception as error:
        reason = refused(error)
        if reason is None:
            raise
        raise Unsupported(reason) from error


def said(error: BaseException) -> str:
    """The first line that an error says, with its type."""
    lines = [line.strip() for line in _COLOUR.sub("", str(error)).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0] if lines else ''}"[:_LONGEST]


def _chain(error: Optional[BaseException]) -> Iterator[BaseException]:
    """What caused an error, the first cause first."""
    seen: Set[int] = set()
    found: List[BaseException] = []
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        found.append(error)
        error = error.__cause__ or error.__context__
    return reversed(found)
