"""Setup of deep-learning frameworks in the guest: one thread, and the installed back ends."""

from __future__ import annotations

import functools
import os
import random
import sys
from importlib.util import find_spec
from typing import Any, Type

_THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
_KERAS = "KERAS_BACKEND"
_BACKENDS = ("tensorflow", "torch", "jax", "numpy")


def limit_threads() -> None:
    """Let libraries in C start no threads: such a process could not fork.  Hide it."""
    for name in _THREADS:
        if name not in os.environ:
            os.putenv(name, "1")


def choose_backend() -> None:
    """Choose a Keras backend that is there, before the project loads."""
    limit_threads()
    if _KERAS in os.environ or not is_installed("keras"):
        return
    found = next((name for name in _BACKENDS if is_installed(name)), None)
    if found is not None and found != _BACKENDS[0]:
        os.environ[_KERAS] = found


def use_one_torch_thread() -> None:
    """Let torch compute on one thread, where it is loaded."""
    torch = sys.modules.get("torch")
    if hasattr(torch, "set_num_threads"):
        torch.set_num_threads(1)  # type: ignore[union-attr]


def is_installed(name: str) -> bool:
    """Return whether a package can be imported, without importing it."""
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):
        return False


SEED = 0
_entropy = random.Random(SEED)
_seed_generator = random.Random.seed


def _seed_alike(generator: random.Random, a: Any = None, version: int = 2) -> None:
    _seed_generator(generator, _entropy.getrandbits(128) if a is None else a, version)


def seed(number: int = SEED) -> None:
    """Seed ``random``, and NumPy and torch where they are loaded.

    Generators that code makes without a seed get theirs in turn from here, so that a program
    with ``RandomState()`` or ``default_rng()`` can be compared.
    """
    _entropy.seed(number)
    random.Random.seed = _seed_alike  # type: ignore[method-assign,assignment]
    bits = sys.modules.get("numpy.random.bit_generator")
    if bits is not None:
        bits.randbits = _entropy.getrandbits  # type: ignore[attr-defined]
    random.seed(number)
    numpy = sys.modules.get("numpy")
    if hasattr(numpy, "random"):
        numpy.random.seed(number)  # type: ignore[union-attr]
    torch = sys.modules.get("torch")
    generator = getattr(torch, "default_generator", None)
    if hasattr(generator, "manual_seed"):
        generator.manual_seed(number)  # type: ignore[union-attr]
        cuda = getattr(torch, "cuda", None)
        if cuda is not None and cuda.is_initialized():
            cuda.manual_seed_all(number)


@functools.lru_cache(maxsize=1)
def decomposition_mode() -> Type[Any]:
    """Return a mode that replaces, and counts, every operator that has a decomposition."""
    from torch._decomp import decomposition_table
    from torch.utils._python_dispatch import TorchDispatchMode

    class Decomposing(TorchDispatchMode):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.replaced = 0

        @classmethod
        def _should_skip_dynamo(cls) -> bool:
            return False

        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            rule = decomposition_table.get(func)
            if rule is not None:
                result = rule(*args, **(kwargs or {}))
                if result is not NotImplemented:
                    self.replaced += 1
                    return result
            return func(*args, **(kwargs or {}))

    return Decomposing
