"""Other inputs of the same shapes, by name: what may take another branch of a model."""

from __future__ import annotations

from typing import Any, Callable, Mapping

Change = Callable[[Any], Any]


def _reduced(tensor: Any) -> Any:
    return tensor * 1e-3


def _enlarged(tensor: Any) -> Any:
    return tensor * 100.0


def _raised(tensor: Any) -> Any:
    return tensor.abs() + 1.0


def _lowered(tensor: Any) -> Any:
    return -tensor.abs() - 1.0


def _negated(tensor: Any) -> Any:
    return -tensor


def _zeroed(tensor: Any) -> Any:
    return tensor.new_zeros(tensor.shape)


CHANGES: Mapping[str, Change] = {
    "negated": _negated,
    "lowered": _lowered,
    "raised": _raised,
    "enlarged": _enlarged,
    "reduced": _reduced,
    "zeroed": _zeroed,
}
"""How each floating tensor of the inputs is changed; ``zeroed`` changes those of numbers, too."""

WORDS: Mapping[str, str] = {
    "negated": "the same numbers with the other sign",
    "lowered": "negative numbers, all at most -1",
    "raised": "positive numbers, all at least 1",
    "enlarged": "numbers a hundred times as large",
    "reduced": "numbers a thousandth as large",
    "zeroed": "zeros",
}


def changed(inputs: Any, name: str) -> Any:
    """The inputs with their tensors changed; raises ``KeyError`` for an unknown name."""
    from .executions.tensor_trees import map_tensors

    change = CHANGES[name]

    def each(tensor: Any) -> Any:
        changes = tensor.is_floating_point() or name == "zeroed"
        return change(tensor.detach()) if changes else tensor

    return map_tensors(inputs, each)
