"""Functions that recipes call to make a value; their source goes into reproducers.

Their modules need the standard library alone at import.  Every top-level name
is used in one of the modules only, as :mod:`..sources` puts them together.
"""

from __future__ import annotations

from typing import Dict

MAKERS: Dict[str, str] = {
    "element": "object_makers",
    "tensor": "array_makers",
    "array": "array_makers",
    "jax_array": "array_makers",
    "image": "file_makers",
    "path": "file_makers",
    "dataset": "object_makers",
    "loader": "object_makers",
    "module": "object_makers",
    "optimizer": "object_makers",
    "function": "object_makers",
    "coroutine": "object_makers",
    "config": "object_makers",
    "imported": "name_makers",
    "constructed": "name_makers",
}
"""The makers by name: the modules of this package in which they are."""
