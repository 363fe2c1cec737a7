"""How deep-learning frameworks compute in the guest: on one thread, and on what is installed."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec

_THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
_KERAS = "KERAS_BACKEND"
_BACKENDS = ("tensorflow", "torch", "jax", "numpy")


def choose_backend() -> None:
    """To be called before the project loads: Keras takes a backend that is there.

    Libraries in C start no threads of their own: a process with such threads
    cannot fork and go on computing, and inputs are small.  ``os.environ`` does
    not show that.
    """
    for name in _THREADS:
        if name not in os.environ:
            os.putenv(name, "1")
    if _KERAS in os.environ or not _is_there("keras"):
        return
    found = next((name for name in _BACKENDS if _is_there(name)), None)
    if found is not None and found != _BACKENDS[0]:
        os.environ[_KERAS] = found


def calm_torch() -> None:
    """Let torch compute on one thread, where it is loaded."""
    torch = sys.modules.get("torch")
    if hasattr(torch, "set_num_threads"):
        torch.set_num_threads(1)  # type: ignore[union-attr]


def _is_there(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):
        return False
