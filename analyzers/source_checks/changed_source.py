"""Defects that the text of changed functions shows, whatever their environment: nothing is run."""

from __future__ import annotations

import difflib
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from math import inf

from analyzers.source_checks.credential_variables import unread_variables
from analyzers.source_checks.defects import Defect
from analyzers.source_checks.readers import READERS, identities
from analyzers.vocabulary import ChangeSet, Finding, Skipped, Status, Suggestion
from analyzers.vocabulary.test_files import is_test_file

NAME = "cloud"
CUT_SHORT = "reading changed files ended after {:.0f} seconds of processor time, with {} of {} read"


@dataclass(frozen=True, slots=True)
class AskedAnswers:
    """Facts about the answers that the functions of a file ask for.

    ``lists`` are their fields that hold lists, ``lines`` those of conditions that ask about them.
    """

    lists: frozenset[str] = frozenset()
    lines: frozenset[int] = frozenset()

    def leave(self, defect: Defect) -> bool:
        """Return whether it depends on something else than an answer that a defect is one."""
        if isinstance(defect.rests_on, int):
            return defect.rests_on not in self.lines
        ends = (end for name in self.lists for end in (f".{name}", f"['{name}']"))
        return bool(defect.rests_on) and not defect.rests_on.endswith(tuple(ends))


def read_changes(
    changes: ChangeSet,
    functions: Mapping[str, Collection[str]],
    paths: Collection[str],
    seconds: float = inf,
    answers: Mapping[str, AskedAnswers] | None = None,
    variables: Collection[str] = (),
) -> Iterator[Finding | Skipped]:
    """Yield the defects that changed files show, of ``paths``.

    Those of the ``functions`` of each file, and what its base has nowhere.  A defect that
    base has too is existing.  After ``seconds`` of processor time the rest is left, and said.
    ``variables`` are those of the environment that SDKs read.
    """
    began = time.process_time()
    origins = {change.path: change.old_path or change.path for change in changes.changes}
    gone = {change.path for change in changes.changes if change.deleted}
    files = [path for path in {**origins, **functions} if path in paths and path not in gone]
    files = [path for path in files if path.endswith(".py")]
    for number, path in enumerate(files):
        if time.process_time() - began > seconds:
            yield Skipped(NAME, path, CUT_SHORT.format(seconds, number, len(files)))
            return
        text = changes.sources.get(path, "")
        base = changes.base_sources.get(origins.get(path, path), "")
        known = (answers or {}).get(path, AskedAnswers())
        yield from _of_file(path, (text, base), functions.get(path, ()), known)
        for defect in unread_variables(text, variables, changes.sources.values()):
            status = Status.EXISTING if defect.key in base else Status.NEW
            yield _finding(path, text, "", defect, status)


def _of_file(
    path: str, texts: tuple[str, str], functions: Collection[str], answers: AskedAnswers
) -> Iterator[Finding]:
    text, base = texts
    for name, read in READERS.items():
        for defect in read(text):
            if answers.leave(defect) or (defect.rule.startswith("cloud/") and is_test_file(path)):
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
