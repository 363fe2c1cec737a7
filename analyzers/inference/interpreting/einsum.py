"""``einsum``: its text names the dimensions."""

from __future__ import annotations

from typing import Any

from .ledger import Ledger
from .sizes import Size
from .values import UNKNOWN, Elements, Shape, Tensor


def einsum(ledger: Ledger, equation: str, tensors: list[Tensor]) -> Any:
    """The result of ``torch.einsum``: letters that are equal are equal sizes."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    parts = left.split(",")
    if not arrow or len(parts) != len(tensors) or "." in equation:
        ledger.doubt()
        return UNKNOWN
    sizes: dict[str, Size] = {}
    for letters, tensor in zip(parts, tensors, strict=True):
        dims = tensor.shape.close(len(letters))
        if dims is None:
            ledger.doubt()
            return UNKNOWN
        for letter, size in zip(letters, dims, strict=True):
            ledger.equal(sizes.setdefault(letter, size), size)
    if any(letter not in sizes for letter in right):
        return UNKNOWN
    found = [ledger.resolved(sizes[letter]) for letter in right]
    return Tensor(Shape(ledger, found), Elements(tensors[0].elements.dtype, drawn=True))
