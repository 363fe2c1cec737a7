"""What a seeded fault is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Kernel = Callable[[Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]
"""A wrong kernel: gives what it gives for the right one and its arguments."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One wrong kernel of one execution.

    ``model`` is a model of the zoo or of :mod:`.nets`, ``layer`` the first in it that uses
    the kernel, by its name there.  ``operator`` is ATen's (``addmm.default``), the operation
    of a graph of ONNX (``Gemm``), or a function of a backend of Keras (``relu``).  ``wrong``
    is what takes its place: a :data:`Kernel`, a change of a node, or the name of one of
    :mod:`.keras_kernels`.
    """

    model: str
    execution: str
    layer: str
    operator: str
    wrong: Any

    @property
    def name(self) -> str:
        """``border_replicated``: what is wrong."""
        return self.wrong if isinstance(self.wrong, str) else self.wrong.__name__
