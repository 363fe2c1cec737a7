"""The changed files of a pull request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from analyzers.vocabulary.verdicts import Skipped


@dataclass(frozen=True, slots=True)
class FileChange:
    """One changed file of a pull request.

    ``path`` is the path on head (on base for a deletion), ``old_path`` the
    path on base when it differs.  ``lines`` are the added or modified lines
    of the head text; ``removed_at`` are the head lines directly after which
    base lines were removed (0: before the first line).
    """

    path: str
    lines: frozenset[int]
    old_path: str | None = None
    deleted: bool = False
    removed_at: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """Two revisions of one repository, and what lies between them.

    ``sources`` and ``base_sources`` map the path of every Python file (and
    notebook, as the text of its code cells) to its text; they may read
    lazily.  ``head`` is ``None`` for a working tree.
    """

    repository: str
    base: str
    head: str | None
    changes: tuple[FileChange, ...]
    sources: Mapping[str, str]
    base_sources: Mapping[str, str]
    skipped: tuple[Skipped, ...] = ()
