"""Exporters and compilers without what they print, warn and log."""

from __future__ import annotations

import logging
import os
import tempfile
import warnings
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Dict, Generator

_STREAMS = (1, 2)
CACHE = "TORCHINDUCTOR_CACHE_DIR"
"""The folder that torch's compiler, and what shares code with it, keeps files in."""


@contextmanager
def quiet() -> Generator[None, None, None]:
    """Nothing from inside is shown, whether Python or native code writes it."""
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
    """The descriptors of the process's own streams, where it has any, lead nowhere."""
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
def emptied(variable: str) -> Generator[str, None, None]:
    """A folder that an environment variable names inside, and that is gone afterwards."""
    before = os.environ.get(variable)
    with tempfile.TemporaryDirectory(prefix="assayer-") as folder:
        os.environ[variable] = folder
        try:
            yield folder
        finally:
            if before is None:
                os.environ.pop(variable, None)
            else:
                os.environ[variable] = before
