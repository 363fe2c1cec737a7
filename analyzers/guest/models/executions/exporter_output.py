"""Refusals of exporters, compilers and kernels, told apart from their faults; silenced output."""

from __future__ import annotations

import logging
import os
import re
import tempfile
import warnings
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Dict, Generator, Iterator, List, Optional, Set

from ..model_types import Unsupported

_STREAMS = (1, 2)
CACHE = "TORCHINDUCTOR_CACHE_DIR"
"""The folder that torch's compiler, and what shares code with it, keeps files in."""


@contextmanager
def silenced() -> Generator[None, None, None]:
    """Hide all output from inside, of Python and of native code."""
    off = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings(), Path(os.devnull).open("w", encoding="utf-8") as null:
            warnings.simplefilter("ignore")
            with redirect_stdout(null), redirect_stderr(null), _redirected(null.fileno()):
                yield
    finally:
        logging.disable(off)


@contextmanager
def _redirected(null: int) -> Generator[None, None, None]:
    kept: Dict[int, int] = {}
    for stream in _STREAMS:
        with suppress(OSError):
            kept[stream] = os.dup(stream)
            os.dup2(null, stream)
    try:
        yield
    finally:
        for stream, copy in kept.items():
            os.dup2(copy, stream)
            os.close(copy)


@contextmanager
def temporary_cache() -> Generator[None, None, None]:
    """Let inductor keep its files in a folder that is removed afterwards."""
    before = os.environ.get(CACHE)
    with tempfile.TemporaryDirectory(prefix="assayer-") as folder:
        os.environ[CACHE] = folder
        try:
            yield
        finally:
            if before is None:
                os.environ.pop(CACHE, None)
            else:
                os.environ[CACHE] = before


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


def refusal_reason(error: BaseException) -> Optional[str]:
    """Return why an error is a refusal; ``None`` where it is a fault."""
    for each in _chain(error):
        if type(each).__name__ in _TYPES or isinstance(each, NotImplementedError):
            return error_summary(each)
        if any(words in str(each).lower() for words in _WORDS):
            return error_summary(each)
    return None


@contextmanager
def refusing() -> Generator[None, None, None]:
    """Raise :class:`Unsupported` for refusals from inside; faults stay what they are."""
    try:
        yield
    except Exception as error:
        reason = refusal_reason(error)
        if reason is None:
            raise
        raise Unsupported(reason) from error


def error_summary(error: BaseException) -> str:
    """Return the first line that an error says, with its type."""
    lines = [line.strip() for line in _COLOUR.sub("", str(error)).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0] if lines else ''}"[:_LONGEST]


def _chain(error: Optional[BaseException]) -> Iterator[BaseException]:
    """Return what caused an error, the first cause first."""
    seen: Set[int] = set()
    found: List[BaseException] = []
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        found.append(error)
        error = error.__cause__ or error.__context__
    return reversed(found)
