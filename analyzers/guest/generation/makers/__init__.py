"""What recipes may call to make a value: plain functions, whose source goes into reproducers.

Their modules need the standard library alone at import.  Every top-level name
is used in one of the modules only, as :mod:`..sources` puts them together.
"""

from __future__ import annotations

from typing import Dict

MAKERS: Dict[str, str] = {
    "element": "elements",
    "tensor": "tensors",
    "array": "arrays",
    "jax_array": "arrays",
    "image": "files",
    "path": "files",
    "dataset": "datasets",
    "loader": "datasets",
    "module": "modules",
    "optimizer": "modules",
    "function": "objects",
    "config": "objects",
}
"""The makers by name: the modules of this package in which they are."""
