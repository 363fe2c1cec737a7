"""The targets of a change, of the files that detection has chosen to read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from analyzers.catalogue import Catalogue
from analyzers.detection.changed_functions import (
    FileDifference,
    changed_function_ids,
    file_difference,
)
from analyzers.detection.dataflow.api_targets import ApiTargetSelection, is_script
from analyzers.detection.dataflow.project_state import ProjectState
from analyzers.detection.dataflow.statement_effects import analyse
from analyzers.detection.detection_scope import (
    NAME,
    ApiFiles,
    DetectionResult,
    DetectionScope,
    untouched,
)
from analyzers.detection.framework_use.file_definitions import outermost
from analyzers.detection.framework_use.framework_targets import FrameworkTargetSelection
from analyzers.detection.import_graph import Files, FrameworkFiles
from analyzers.vocabulary import ChangeSet, Reason, Skipped, Target

CUT_SHORT = (
    "the search for calls of ML APIs ended after {:.0f} seconds of processor time, with {} of {} "
    "files read: the callers of what it changes may be missing"
)
CALLERS_CUT_SHORT = (
    "the search for functions that run what it changes ended after {:.0f} seconds of processor "
    "time: some may be missing"
)
RECEIVING_SECONDS = 4.0
"""The longest search where what changed can call nothing that asks an API: it rarely finds any."""


@dataclass(frozen=True, slots=True)
class TargetSelection:
    """The change, the files and the extent that targets are chosen from."""

    changes: ChangeSet
    catalogue: Catalogue
    files: Files
    extent: DetectionScope

    def result(
        self, known: ApiFiles, around: FrameworkFiles, unread: Sequence[Skipped]
    ) -> DetectionResult:
        """Return the targets, and which files could not be read; no target's file is one."""
        near = known.changed | around.changed
        differences = {
            change.path: file_difference(change, self.changes)
            for change in self.changes.changes
            if change.path in near and not change.deleted
        }
        asked = detect_api_targets(self.files, self.catalogue, known, differences, self.extent)
        used, cut_short = self._framework_targets(around, differences)
        skipped = {entry.target: entry for entry in (*asked.skipped, *unread, *cut_short)}
        found = {target.id for target in used}
        left = [entry for name, entry in skipped.items() if outermost(name) not in found]
        return DetectionResult(_united(asked.targets, used), tuple(left))

    def _framework_targets(
        self, around: FrameworkFiles, differences: Mapping[str, FileDifference]
    ) -> tuple[tuple[Target, ...], list[Skipped]]:
        choice = FrameworkTargetSelection(self.files, around, self.extent.seconds)
        if self.extent.only:
            return choice.named(self.extent.only), []
        if not around.changed:
            return (), []
        if self.extent.everything:
            return choice.targets((), everything=True), []
        near = {path: each for path, each in differences.items() if path in around.changed}
        known = changed_function_ids(self.files, near)
        found = choice.targets(choice.changed(self.changes, known), everything=False)
        reason = CALLERS_CUT_SHORT.format(self.extent.seconds)
        skipped = [Skipped(NAME, min(around.changed), reason)] if choice.is_cut_short else []
        return found, skipped


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
        return DetectionResult((), tuple(untouched(extent.only, ())))
    changed = changed_function_ids(
        files, {path: each for path, each in differences.items() if path in known.changed}
    )
    marked = () if extent.everything or extent.only else changed
    seconds = extent.seconds if known.asks else min(extent.seconds, RECEIVING_SECONDS)
    state = ProjectState(files, catalogue, marked, seconds)
    state.read_files(sorted(known.read, key=lambda path: (path not in known.changed, path)))
    state.solve(analyse)
    skipped = tuple(
        Skipped(NAME, path, reason) for path, reason in sorted(state.unparsable.items())
    )
    unread = known.read - state.modules.keys() - state.unparsable.keys()
    if unread or state.is_cut_short:
        read = len(known.read) - len(unread)
        reason = CUT_SHORT.format(seconds, read, len(known.read))
        skipped += (Skipped(NAME, min(known.changed), reason),)
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
        return DetectionResult(targets, (*skipped, *untouched(extent.only, reached)))
    if extent.everything:
        return DetectionResult(_every(state, changed), skipped)
    return DetectionResult(ApiTargetSelection(state, changed).targets(), skipped)


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
    return tuple(sorted(found.values(), key=_order))


def _order(target: Target) -> tuple[bool, str, int, str]:
    """Order what changed before what only exercises it, by place."""
    return target.reason is not Reason.CHANGED, target.path, target.line, target.id
