"""What a library keeps for its whole process: a call that changes it is safe for no other call."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Tuple

from ..libraries.library import Library

_KEPT: Dict[str, Tuple[str, ...]] = {
    "torch": (
        "get_default_dtype",
        "get_default_device",
        "get_num_threads",
        "get_float32_matmul_precision",
        "is_grad_enabled",
        "is_inference_mode_enabled",
        "is_autocast_cpu_enabled",
        "is_anomaly_enabled",
        "is_deterministic_algorithms_warn_only_enabled",
        "are_deterministic_algorithms_enabled",
        "is_warn_always_enabled",
    ),
    "numpy": ("geterr", "getbufsize", "get_printoptions"),
}
"""Functions of a library that tell a setting, by the library's name."""

Settings = Tuple[str, ...]


def settings_of(library: Library) -> Callable[[], Settings]:
    """A function that gives the library's settings as they are when it is called."""
    module = library.namespace.get(library.name)
    getters: List[Any] = [getattr(module, name, None) for name in _KEPT.get(library.name, ())]
    known = [getter for getter in getters if getter is not None]
    return lambda: tuple([repr(getter()) for getter in known])
