"""The two sides of a pull request, read from a git checkout, never run."""

from worker.changes.lookup import base_of, read_text
from worker.changes.reading import read_changes
from worker.changes.scope import Scope
from worker.changes.writing import materialise

__all__ = ["Scope", "base_of", "materialise", "read_changes", "read_text"]
