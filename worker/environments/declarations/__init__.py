"""What a tree says it needs, read from its files without running any of them."""

from worker.environments.declarations.choice import read_declaration
from worker.environments.declarations.nouns import (
    Declaration,
    LeftOut,
    Target,
    Wanted,
    printable,
    read_requirement,
)
from worker.environments.declarations.python import DeclaredPython, declared_python

__all__ = [
    "Declaration",
    "DeclaredPython",
    "LeftOut",
    "Target",
    "Wanted",
    "declared_python",
    "printable",
    "read_declaration",
    "read_requirement",
]
