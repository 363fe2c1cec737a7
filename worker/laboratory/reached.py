"""Which findings lie where the change edits or reaches the code."""

from __future__ import annotations

import filecmp
import os
from collections.abc import Collection, Mapping
from functools import cached_property
from pathlib import Path

from analyzers.detection.reach import ChangeReach
from analyzers.properties.removed.versions import declarations
from analyzers.vocabulary import ChangeSet, Finding, Target, Written
from worker.laboratory.documents import documents
from worker.laboratory.laboratory import Laboratory


class Reached:
    """The reach of a change, with the files of both trees that are no code."""

    def __init__(self, laboratory: Laboratory, changes: ChangeSet) -> None:
        self._head, self._base = laboratory.head.root, laboratory.base.root
        self._texts = laboratory.head.texts, laboratory.base.texts
        self._reach = ChangeReach(changes, self._differing)

    def finding(self, finding: Finding) -> bool:
        """Return whether the change edits or reaches the location of a finding.

        Other packages reach everything.  What a run of an edited function showed
        was reached by its call.
        """
        if self._packages_differ:
            return True
        if not isinstance(finding.criterion, Written) and self._reach.is_edited(finding.target):
            return True
        return self._reach.reaches(finding.path, finding.line, finding.target)

    def target(self, target: Target) -> bool:
        """Return whether a target runs code that differs from base.

        Its files are compared first: the call graph takes time in a large project.
        """
        for path in (target.path, *target.files):
            if self._texts[0].get(path) != self._texts[1].get(path):
                return True
        return self._packages_differ or self._reach.alters(target.id)

    @cached_property
    def _packages_differ(self) -> bool:
        return _declared(self._head) != _declared(self._base)

    def _differing(self, names: Collection[str]) -> bool:
        head, base = _named(self._head, names), _named(self._base, names)
        return head.keys() != base.keys() or any(
            not filecmp.cmp(head[path], base[path], shallow=False) for path in head
        )


def _declared(root: Path) -> Mapping[str, str]:
    """The texts in which a tree declares its packages, by path."""
    texts = documents(root)
    return {path: texts[path] for path in declarations(list(texts))}


def _named(root: Path, names: Collection[str]) -> Mapping[str, Path]:
    """The regular files of these names in a tree, by their paths in it."""
    found = (
        Path(folder, name)
        for folder, _, files in os.walk(root, followlinks=False)
        for name in files
        if name in names
    )
    usual = (path for path in found if path.is_file() and not path.is_symlink())
    return {path.relative_to(root).as_posix(): path for path in usual}
