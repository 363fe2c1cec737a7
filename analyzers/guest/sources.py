"""The project's files: their texts, and their trees with the points recorded."""

from __future__ import annotations

import ast
import importlib.util
import os
from pathlib import Path
from typing import Dict, List, Sequence, Tuple

from . import endings
from .goals import RECORD, instrument
from .notebooks import code_of
from .recording import Recorder


class Sources:
    """Texts by path (relative to ``root``, with slashes), read once.

    ``points`` are the ids of the files that were instrumented, in order.
    """

    def __init__(self, root: str) -> None:
        self.root = root
        self.recorder = Recorder()
        self.points: List[str] = []
        self.texts: Dict[str, str] = {}
        self._instrumented: Dict[str, ast.Module] = {}

    def instrument(self, paths: Sequence[str]) -> Dict[str, str]:
        """Prepare files for recording; what could not be, with the reason."""
        failed: Dict[str, str] = {}
        for path in paths:
            try:
                text = self.text(path)
                tree, points = instrument(text, path, RECORD, len(self.points))
            except (OSError, SyntaxError, ValueError, RecursionError) as error:
                failed[path] = f"{type(error).__name__}: {error}"
                continue
            self.texts[path] = text
            self.points += points
            self._instrumented[path] = tree
        return failed

    def text(self, path: str) -> str:
        """The code of a file; raises ``OSError``, ``SyntaxError``, ``ValueError``."""
        full = Path(self.root, path)
        content = full.read_bytes()
        text = importlib.util.decode_source(content).lstrip("\ufeff")
        text = code_of(text) if path.endswith(".ipynb") else text
        endings.remember(str(full), text)
        return text

    def statements(self, path: str) -> Tuple[List[ast.stmt], int]:
        """The top-level statements of a file and its compiler flags."""
        tree = self._instrumented.get(path) or ast.parse(self.text(path))
        return tree.body, _flags(tree)

    def relative(self, full: str) -> str:
        """A file's path relative to the root, with slashes."""
        return os.path.relpath(full, self.root).replace(os.sep, "/")


def _flags(tree: ast.Module) -> int:
    import __future__

    flags = 0
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
            for alias in statement.names:
                flags |= getattr(getattr(__future__, alias.name, None), "compiler_flag", 0)
    return flags
