"""From a change to the functions that it makes worth testing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from analyzers.catalogue import Catalogue
from analyzers.detection.asking import asking, relevant
from analyzers.detection.changes import Difference, difference
from analyzers.detection.deep.definitions import outermost
from analyzers.detection.deep.near import Near, near
from analyzers.detection.deep.selection import Choice
from analyzers.detection.detected import NAME, Detected, Extent
from analyzers.detection.frameworks import FRAMEWORKS
from analyzers.detection.imports import Files, installed
from analyzers.detection.modules import UnparsableError, check
from analyzers.detection.users import changed_ids
from analyzers.vocabulary import ChangeSet, Reason, Skipped, Target

SUFFIXES = (".py", ".ipynb")


def detect(
    changes: ChangeSet,
    catalogue: Catalogue,
    *,
    everything: bool = False,
    only: Collection[str] = (),
) -> Detected:
    """The functions of head that are worth testing.

    They ask ML cloud APIs, use a deep-learning framework, or carry
    annotations.  ``everything`` takes every function as changed; ``only`` are
    the ids (``path::function``) of the functions to test whether they changed
    or not.  Functions, files and goals are those of head.
    """
    files = Files(own_sources(changes.sources, catalogue), catalogue.libraries | FRAMEWORKS)
    extent = Extent(everything and not only, frozenset(only))
    touched = _touched(changes, files, extent)
    unread = _unparsable(files, touched)
    known = relevant(files, catalogue, touched, eager=not everything)
    around = near(files, touched, everything=extent.everything)
    differences = _differences(changes, known.changed | around.changed)
    asked = asking(files, catalogue, known, differences, extent)
    used = _using(changes, files, around, differences, extent)
    skipped = {entry.target: entry for entry in (*asked.skipped, *unread)}
    left = [entry for name, entry in skipped.items() if not _stands_for(used, name)]
    return Detected(_united(asked.targets, used), tuple(left))


def _touched(changes: ChangeSet, files: Files, extent: Extent) -> frozenset[str]:
    if extent.only:
        named = {entry.partition("::")[0] for entry in extent.only}
    elif extent.everything:
        return files.paths
    else:
        named = {change.path for change in changes.changes}
    return files.paths & named


def own_sources(sources: Mapping[str, str], catalogue: Catalogue) -> dict[str, str]:
    """The project's own files, without the libraries that were copied into it."""
    paths = [path for path in sources if path.endswith(SUFFIXES)]
    folders = tuple(f"{folder}/" for folder in installed(paths))
    return {
        path: sources[path]
        for path in paths
        if not path.startswith(folders) and not catalogue.is_copy(path)
    }


def _unparsable(files: Files, paths: Collection[str]) -> list[Skipped]:
    found: list[Skipped] = []
    for path in sorted(paths):
        try:
            check(files.sources[path].removeprefix("\ufeff"))
        except UnparsableError as error:
            found.append(Skipped(NAME, path, str(error)))
    return found


def _differences(changes: ChangeSet, paths: Collection[str]) -> dict[str, Difference]:
    return {
        change.path: difference(change, changes)
        for change in changes.changes
        if change.path in paths and not change.deleted
    }


def _using(
    changes: ChangeSet,
    files: Files,
    around: Near,
    differences: Mapping[str, Difference],
    extent: Extent,
) -> tuple[Target, ...]:
    """The targets that use a framework, or carry annotations."""
    choice = Choice(files, around)
    if extent.only:
        return choice.named(extent.only)
    if not around.changed:
        return ()
    if extent.everything:
        return choice.targets((), everything=True)
    near_ones = {path: each for path, each in differences.items() if path in around.changed}
    known = changed_ids(files, near_ones)
    return choice.targets(choice.changed(changes, known), everything=False)


def _united(asking: Iterable[Target], using: Iterable[Target]) -> tuple[Target, ...]:
    """Each function once, by path and line, with what both know of it."""
    found = {target.id: target for target in asking}
    for target in using:
        known = found.get(target.id)
        found[target.id] = target if known is None else _both(known, target)
    return tuple(sorted(found.values(), key=lambda each: (each.path, each.line, each.id)))


def _both(asking: Target, using: Target) -> Target:
    calls = sorted({*asking.calls, *using.calls}, key=lambda c: (c.path, c.line, c.api))
    reasons = {asking.reason, using.reason}
    return replace(
        asking,
        reason=Reason.CHANGED if Reason.CHANGED in reasons else asking.reason,
        calls=tuple(calls),
        files=tuple(sorted({*asking.files, *using.files})),
    )


def _stands_for(targets: Iterable[Target], name: str) -> bool:
    """Whether one of the targets is the function of this id, or the outermost around it."""
    return any(target.id == outermost(name) for target in targets)
