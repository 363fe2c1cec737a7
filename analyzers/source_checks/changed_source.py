"""Defects that the text of changed functions shows, whatever their environment: nothing is run."""

from __future__ import annotations

import difflib
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from math import inf

from analyzers.source_checks.defects import Defect
from analyzers.source_checks.readers import READERS, identities
from analyzers.vocabulary import ChangeSet, FileChange, Finding, Skipped, Status, Suggestion
from analyzers.vocabulary.test_files import is_test_file

NAME = "cloud"
CUT_SHORT = "reading changed files ended after {:.0f} seconds of processor time, with {} of {} read"


def read_changes(
    changes: ChangeSet,
    functions: Mapping[str, Collection[str]],
    paths: Collection[str],
    seconds: float = inf,
) -> Iterator[Finding | Skipped]:
    """Yield the defects that changed files show, of ``paths``.

    Those of the changed ``functions`` of each file, and what its base has nowhere.  A defect that
    base has too is existing.  After ``seconds`` of processor time the rest is left, and said.
    """
    began = time.process_time()
    files = [
        change
        for change in changes.changes
        if change.path in paths and change.path.endswith(".py") and not change.deleted
    ]
    for number, change in enumerate(files):
        if time.process_time() - began > seconds:
            yield Skipped(NAME, change.path, CUT_SHORT.format(seconds, number, len(files)))
            return
        yield from _of_file(change, changes, functions.get(change.path, ()))


def _of_file(
    change: FileChange, changes: ChangeSet, functions: Collection[str]
) -> Iterator[Finding]:
    path, text = change.path, changes.sources.get(change.path, "")
    base = changes.base_sources.get(change.old_path or path, "")
    for name, read in READERS.items():
        for defect in read(text):
            if defect.rule.startswith("cloud/") and is_test_file(path):
                continue
            known = defect.key in identities(name, base)
            if defect.function in functions or not known:
                yield _finding(path, text, name, defect, Status.EXISTING if known else Status.NEW)


def _finding(path: str, text: str, reader: str, defect: Defect, status: Status) -> Finding:
    found = defect.finding(NAME, path, f"{path}::{defect.function}", reader)
    suggestion = found.suggestion
    if suggestion is not None:
        mended = _mended(text, suggestion)
        before, after = identities(reader, text), identities(reader, mended)
        helps = after < before and defect.key not in after
        suggestion = replace(suggestion, verified=True) if helps else None
    return replace(found, status=status, suggestion=suggestion)


def _mended(text: str, suggestion: Suggestion) -> str:
    lines = text.splitlines()
    lines[suggestion.start_line - 1 : suggestion.end_line] = [suggestion.replacement]
    return "\n".join(lines) + "\n"


def changed_lines(before: str, after: str) -> tuple[set[int], set[int]]:
    """Return the lines, from 1, that differ in two texts."""
    ours, theirs = before.splitlines(), after.splitlines()
    found = set[int](), set[int]()
    matcher = difflib.SequenceMatcher(None, ours, theirs, autojunk=False)
    for kind, start, end, other_start, other_end in matcher.get_opcodes():
        if kind != "equal":
            found[0].update(range(start + 1, end + 1))
            found[1].update(range(other_start + 1, other_end + 1))
    return found
