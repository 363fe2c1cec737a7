"""Where in a pull request something may be said: on lines, on a file, or nowhere.

GitHub refuses a whole review for one line that is not in the diff, so the
diff is read first.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from unidiff.errors import UnidiffParseError
from unidiff.patch import Hunk, PatchSet

_UNTOUCHED = frozenset({"removed", "unchanged"})
_LONE_RETURN = re.compile(r"\r(?!\n)")


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file of a pull request; ``patch`` are its hunks, without a header.

    ``patch`` is ``None`` where GitHub gives none: binary, too large, only
    renamed.
    """

    path: str
    status: str
    patch: str | None = None


@dataclass(frozen=True, slots=True)
class OnLines:
    """A comment on lines of the head; ``start_line`` is ``None`` for one line."""

    path: str
    line: int
    start_line: int | None = None


@dataclass(frozen=True, slots=True)
class OnFile:
    """A comment on a whole file of the pull request."""

    path: str


@dataclass(frozen=True, slots=True)
class Nowhere:
    """The pull request does not touch the file: say it in the summary."""


Place: TypeAlias = OnLines | OnFile | Nowhere


@dataclass(frozen=True, slots=True)
class _Stretch:
    """The lines of the head in one hunk; behind ``cut`` ones, lines were deleted."""

    first: int
    last: int
    cut: frozenset[int]

    def holds(self, first: int, last: int) -> bool:
        return self.first <= first <= last <= self.last

    def replaceable(self, first: int, last: int) -> bool:
        """Whether nothing that was deleted stands between the lines."""
        return self.holds(first, last) and not self.cut & set(range(first, last))


@dataclass(frozen=True, slots=True)
class Diff:
    """The hunks of a pull request, by path."""

    stretches: Mapping[str, tuple[_Stretch, ...]]

    @classmethod
    def of(cls, files: Sequence[ChangedFile]) -> Diff:
        """Read the files that GitHub lists; a patch that cannot be read has no lines."""
        return cls({f.path: _stretches(f.patch) for f in files if f.status not in _UNTOUCHED})

    def place(self, path: str, first: int, last: int, text: str | None = None) -> Place:
        """Return the most exact place for a remark on lines of the head, 1-based.

        ``text`` is the head's file where it is known: lines that Git counts
        otherwise than Python cannot be pointed at.
        """
        if path not in self.stretches:
            return Nowhere()
        if text is not None and _LONE_RETURN.search(text):
            return OnFile(path)
        for stretch in self.stretches[path]:
            if stretch.holds(first, last):
                return OnLines(path, last, first if first < last else None)
        if any(stretch.holds(first, first) for stretch in self.stretches[path]):
            return OnLines(path, first)
        return OnFile(path)

    def replaceable(self, path: str, first: int, last: int) -> bool:
        """Whether a suggestion may replace these lines of the head."""
        return any(s.replaceable(first, last) for s in self.stretches.get(path, ()))


def _stretches(patch: str | None) -> tuple[_Stretch, ...]:
    if not patch:
        return ()
    end = "" if patch.endswith("\n") else "\n"
    try:
        files = PatchSet.from_string(f"--- a/file\n+++ b/file\n{patch}{end}")
    except UnidiffParseError:
        return ()
    return tuple(_stretch(hunk) for file in files for hunk in file if hunk.target_length)


def _stretch(hunk: Hunk) -> _Stretch:
    last = hunk.target_start - 1
    cut: set[int] = set()
    for line in hunk:
        if line.target_line_no is not None:
            last = line.target_line_no
        elif line.is_removed:
            cut.add(last)
    return _Stretch(hunk.target_start, last, frozenset(cut))
