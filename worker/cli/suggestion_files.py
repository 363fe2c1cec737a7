"""Verified suggestions of a report, and the files of a checkout that they change."""

from __future__ import annotations

import tokenize
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analyzers.vocabulary import Suggestion
from worker.changes.python_source import UnreadableError, is_notebook, text_of
from worker.errors import UsageError
from worker.report.stored_report import suggestion_of
from worker.report.suggested_edits import digest_of, edited, overlap, unified_diff

CHANGED = "it has changed since it was tested; check it again"
NOTEBOOK = "it is a notebook; change its cell by hand"
OVERLAPS = "another suggestion changes the same lines; check again after that one"


@dataclass(frozen=True, slots=True)
class _File:
    place: Path
    encoding: str
    before: str
    after: str


class SuggestionFiles:
    """The suggestions of a report's document that fit the files below ``root``.

    ``chosen`` are those that fit; ``problems`` says in a sentence each why others do not.
    """

    def __init__(self, document: Mapping[str, Any], root: Path) -> None:
        self._root = root.resolve()
        self.problems: list[str] = []
        self.chosen: list[Suggestion] = []
        self._files: dict[str, _File] = {}
        digests: dict[str, str] = {}
        for finding in document["findings"]:
            told = finding["suggestion"]
            if told and told["verified"] and finding["status"] in ("new", "existing"):
                digests[told["path"]] = str(told.get("digest") or "")
                self._choose(suggestion_of(told))
        for path in dict.fromkeys(each.path for each in self.chosen):
            self._read(path, digests[path])

    def difference(self) -> str:
        """Return the suggestions as a unified diff, which ``git apply`` takes."""
        return "".join(
            unified_diff(path, file.before, file.after) for path, file in self._files.items()
        )

    def apply(self) -> Iterator[str]:
        """Change the files; yield the lines of each suggestion that was applied."""
        for path, file in self._files.items():
            file.place.write_bytes(file.after.encode(file.encoding))
            yield from (f"{path}:{each.start_line}" for each in self.chosen if each.path == path)

    def _choose(self, suggestion: Suggestion) -> None:
        if any(overlap(suggestion, other) for other in self.chosen):
            self.problems.append(f"{suggestion.path}:{suggestion.start_line}: {OVERLAPS}")
        else:
            self.chosen.append(suggestion)

    def _read(self, path: str, digest: str) -> None:
        suggestions = [each for each in self.chosen if each.path == path]
        try:
            self._files[path] = self._edited(path, digest, suggestions)
        except UsageError as error:
            self.problems.append(f"{path}: {error.message}")
            self.chosen = [each for each in self.chosen if each.path != path]

    def _edited(self, path: str, digest: str, suggestions: list[Suggestion]) -> _File:
        place = self._root / path
        if is_notebook(path):
            raise UsageError(NOTEBOOK)
        if place.is_symlink() or not place.resolve().is_relative_to(self._root):
            raise UsageError("it is not a file of this checkout")
        try:
            content = place.read_bytes()
            before = text_of(path, content)
            encoding, _ = tokenize.detect_encoding(iter(content.splitlines(keepends=True)).__next__)
        except (OSError, UnreadableError) as error:
            raise UsageError(CHANGED) from error
        if digest_of(before) != digest:
            raise UsageError(CHANGED)
        after = edited(before, suggestions)
        try:
            after.encode(encoding)
        except UnicodeEncodeError as error:
            raise UsageError(f"its encoding, {encoding}, lacks a character of it") from error
        return _File(place, encoding, before, after)
