"""Defects that the text of changed functions shows, whatever their environment: nothing is run."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from analyzers.source_checks.defects import Defect
from analyzers.source_checks.readers import READERS
from analyzers.vocabulary import ChangeSet, FileChange, Finding, Status, Written

NAME = "cloud"
_TESTS = re.compile(
    r"(^|/)(tests?|testing|examples?_tests?)/|(^|/)(test_[^/]*|[^/]*_test|conftest)\.py$"
)


def read_changes(
    changes: ChangeSet, functions: Mapping[str, Collection[str]], paths: Collection[str]
) -> Iterator[Finding]:
    """Yield the defects that changed files show, of ``paths``.

    Those of the changed ``functions`` of each file, and what its base has nowhere.  A defect that
    base has too is existing.
    """
    for change in changes.changes:
        if change.path in paths and change.path.endswith(".py") and not change.deleted:
            yield from _of_file(change, changes, functions.get(change.path, ()))


def _of_file(
    change: FileChange, changes: ChangeSet, functions: Collection[str]
) -> Iterator[Finding]:
    path, text = change.path, changes.sources.get(change.path, "")
    base = changes.base_sources.get(change.old_path or path, "")
    for name, read in READERS.items():
        before: frozenset[str] | None = None
        for defect in read(text):
            if defect.rule.startswith("cloud/") and _TESTS.search(path):
                continue
            if before is None:
                before = frozenset(each.key for each in read(base))
            known = defect.key in before
            if defect.function in functions or not known:
                yield _finding(path, name, defect, Status.EXISTING if known else Status.NEW)


def _finding(path: str, reader: str, defect: Defect, status: Status) -> Finding:
    place = f"{path}::{defect.function}"
    return Finding(
        analyzer=NAME,
        rule=defect.rule,
        level=defect.level,
        path=path,
        line=defect.line,
        end_line=defect.end_line,
        symbol=place,
        target=place,
        title=defect.title,
        message=defect.message,
        evidence={"raised_at": f"{path}:{defect.line}", **defect.evidence},
        probes=(),
        criterion=Written(path, defect.key, reader),
        input_kind=defect.kind,
        status=status,
    )
