"""From a change to the functions that it makes worth testing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from analyzers.catalogue import Catalogue
from analyzers.detection.changed_functions import (
    FileDifference,
    changed_function_ids,
    file_difference,
)
from analyzers.detection.cst_modules import UnparsableError, check_parsable
from analyzers.detection.dataflow.api_targets import ApiTargetSelection, is_script
from analyzers.detection.dataflow.project_state import ProjectState
from analyzers.detection.dataflow.statement_effects import analyse
from analyzers.detection.framework_use.file_definitions import outermost
from analyzers.detection.framework_use.framework_targets import FrameworkTargetSelection
from analyzers.detection.import_graph import (
    FRAMEWORKS,
    Files,
    FrameworkFiles,
    closure,
    framework_files,
    installed,
)
from analyzers.vocabulary import ChangeSet, Reason, Skipped, Target

NAME = "detection"


@dataclass(frozen=True, slots=True)
class DetectionResult:
    """The targets of a change, and the files that could not be read."""

    targets: tuple[Target, ...]
    skipped: tuple[Skipped, ...] = ()


@dataclass(frozen=True, slots=True)
class DetectionScope:
    """The files and functions that count as changed.

    ``everything``: all; ``only``: the functions of these ids, changed or not.
    """

    everything: bool = False
    only: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ApiFiles:
    """The files to read, and the changed ones that matter."""

    read: frozenset[str]
    changed: frozenset[str]


def detect_api_targets(
    files: Files,
    catalogue: Catalogue,
    known: ApiFiles,
    differences: Mapping[str, FileDifference],
    extent: DetectionScope,
) -> DetectionResult:
    """The targets that ask ML APIs, and what could not be read or asks none.

    For a function that asks none itself but is named stand the nearest callers that do.
    """
    if not known.changed:
        return DetectionResult((), tuple(_untouched(extent.only, ())))
    changed = changed_function_ids(
        files, {path: each for path, each in differences.items() if path in known.changed}
    )
    state = ProjectState(files, catalogue, () if extent.everything or extent.only else changed)
    for path in sorted(known.read):
        state.load(path)
    state.solve(analyse)
    skipped = tuple(
        Skipped(NAME, path, reason) for path, reason in sorted(state.unparsable.items())
    )
    if extent.only:
        selection = ApiTargetSelection(state, extent.only)
        found = {
            entry: selection.nearest(entry) for entry in sorted(extent.only) if entry in state.units
        }
        targets = tuple(
            selection.target(
                unit,
                Reason.CHANGED if unit in extent.only or unit in changed else Reason.CALLS_CHANGED,
            )
            for unit in sorted({unit for near in found.values() for unit in near})
        )
        reached = [entry for entry, near in found.items() if near]
        return DetectionResult(targets, (*skipped, *_untouched(extent.only, reached)))
    if extent.everything:
        return DetectionResult(_every(state, changed), skipped)
    return DetectionResult(ApiTargetSelection(state, changed).targets(), skipped)


def api_files(
    files: Files, catalogue: Catalogue, touched: Collection[str], *, eager: bool
) -> ApiFiles:
    """The files that matter where answers of ML APIs do.

    ``eager``: read also the changed files that only receive answers, or none.
    """
    seeds = [path for path, text in files.sources.items() if catalogue.mentions(text)]
    if not seeds or not touched:
        return ApiFiles(frozenset(), frozenset())
    imported, importers = files.imports, files.importers
    asking = closure(seeds, importers)
    near = closure(asking, imported)
    changed = near & set(touched)
    above = closure(changed, importers) & near
    read = closure(above, imported) & asking
    read |= above if eager else frozenset()
    return ApiFiles(read, changed)


def _every(state: ProjectState, changed: Collection[str]) -> tuple[Target, ...]:
    """The targets where everything counts as changed.

    Scripts whose goals all stand in functions that are targets themselves
    add nothing, unless they did change.
    """
    targets = ApiTargetSelection(state, state.units).targets()
    functions = {goal for t in targets if not is_script(t.id) for goal in t.goals}
    return tuple(
        target
        for target in targets
        if not is_script(target.id)
        or target.id in changed
        or not functions
        or not functions.issuperset(target.goals)
    )


def _untouched(only: Collection[str], reached: Collection[str]) -> list[Skipped]:
    return [
        Skipped(NAME, entry, "there is no such function, or it touches no ML code")
        for entry in sorted(set(only) - set(reached))
    ]


SUFFIXES = (".py", ".ipynb")


def detect(
    changes: ChangeSet,
    catalogue: Catalogue,
    *,
    everything: bool = False,
    only: Collection[str] = (),
) -> DetectionResult:
    """The functions of head that are worth testing.

    They ask ML cloud APIs, use a deep-learning framework, or carry
    annotations.  ``everything`` takes every function as changed; ``only`` are
    the ids (``path::function``) of the functions to test whether they changed
    or not.  Functions, files and goals are those of head.
    """
    files = Files(own_sources(changes.sources, catalogue), catalogue.libraries | FRAMEWORKS)
    extent = DetectionScope(everything and not only, frozenset(only))
    named = {entry.partition("::")[0] for entry in extent.only}
    named = named or {change.path for change in changes.changes}
    touched = files.paths if extent.everything else files.paths & named
    found: list[Skipped] = []
    for path in sorted(touched):
        try:
            check_parsable(files.sources[path].removeprefix("\ufeff"))
        except UnparsableError as error:
            found.append(Skipped(NAME, path, str(error)))
    unread = found
    known = api_files(files, catalogue, touched, eager=not everything)
    around = framework_files(files, touched, everything=extent.everything)
    near = known.changed | around.changed
    differences = {
        change.path: file_difference(change, changes)
        for change in changes.changes
        if change.path in near and not change.deleted
    }
    asked = detect_api_targets(files, catalogue, known, differences, extent)
    used = _framework_targets(changes, files, around, differences, extent)
    skipped = {entry.target: entry for entry in (*asked.skipped, *unread)}
    left = [
        entry
        for name, entry in skipped.items()
        if not any(target.id == outermost(name) for target in used)
    ]
    return DetectionResult(_united(asked.targets, used), tuple(left))


def own_sources(sources: Mapping[str, str], catalogue: Catalogue) -> dict[str, str]:
    """The project's own files, without the libraries that were copied into it."""
    paths = [path for path in sources if path.endswith(SUFFIXES)]
    folders = tuple(f"{folder}/" for folder in installed(paths))
    return {
        path: sources[path]
        for path in paths
        if not path.startswith(folders) and not catalogue.is_copy(path)
    }


def _framework_targets(
    changes: ChangeSet,
    files: Files,
    around: FrameworkFiles,
    differences: Mapping[str, FileDifference],
    extent: DetectionScope,
) -> tuple[Target, ...]:
    choice = FrameworkTargetSelection(files, around)
    if extent.only:
        return choice.named(extent.only)
    if not around.changed:
        return ()
    if extent.everything:
        return choice.targets((), everything=True)
    near_ones = {path: each for path, each in differences.items() if path in around.changed}
    known = changed_function_ids(files, near_ones)
    return choice.targets(choice.changed(changes, known), everything=False)


def _united(asking: Iterable[Target], using: Iterable[Target]) -> tuple[Target, ...]:
    found = {target.id: target for target in asking}
    for target in using:
        known = found.setdefault(target.id, target)
        if known is target:
            continue
        calls = sorted({*known.calls, *target.calls}, key=lambda c: (c.path, c.line, c.api))
        changed = Reason.CHANGED in (known.reason, target.reason)
        found[target.id] = replace(
            known,
            reason=Reason.CHANGED if changed else known.reason,
            calls=tuple(calls),
            files=tuple(sorted({*known.files, *target.files})),
        )
    return tuple(sorted(found.values(), key=lambda each: (each.path, each.line, each.id)))
