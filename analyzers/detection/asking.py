"""The functions that ask ML cloud APIs, among those that a change touches."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from analyzers.catalogue import Catalogue
from analyzers.detection.changes import Difference
from analyzers.detection.detected import NAME, Detected, Extent
from analyzers.detection.imports import Files, closure
from analyzers.detection.state import State
from analyzers.detection.statements import analyse
from analyzers.detection.targets import Selection, is_script
from analyzers.detection.users import changed_ids
from analyzers.vocabulary import Reason, Skipped, Target


@dataclass(frozen=True, slots=True)
class Relevant:
    """The files to read, and the changed ones that matter."""

    read: frozenset[str]
    changed: frozenset[str]


def asking(
    files: Files,
    catalogue: Catalogue,
    known: Relevant,
    differences: Mapping[str, Difference],
    extent: Extent,
) -> Detected:
    """The targets that ask ML APIs, and what could not be read or asks none.

    For a function that asks none itself but is named stand the nearest callers that do.
    """
    if not known.changed:
        return Detected((), tuple(_untouched(extent.only, ())))
    changed = _changed(files, known, differences)
    state = State(files, catalogue, () if extent.everything or extent.only else changed)
    for path in sorted(known.read):
        state.load(path)
    state.solve(analyse)
    skipped = tuple(
        Skipped(NAME, path, reason) for path, reason in sorted(state.unparsable.items())
    )
    if extent.only:
        return _only(state, changed, extent.only, skipped)
    if extent.everything:
        return Detected(_every(state, changed), skipped)
    return Detected(Selection(state, changed).targets(), skipped)


def relevant(
    files: Files, catalogue: Catalogue, touched: Collection[str], *, eager: bool
) -> Relevant:
    """The files that matter where answers of ML APIs do.

    ``eager``: read also the changed files that only receive answers, or none.
    """
    seeds = [path for path, text in files.sources.items() if catalogue.mentions(text)]
    if not seeds or not touched:
        return Relevant(frozenset(), frozenset())
    imported, importers = files.imports, files.importers
    asking = closure(seeds, importers)
    near = closure(asking, imported)
    changed = near & set(touched)
    above = closure(changed, importers) & near
    read = closure(above, imported) & asking
    read |= above if eager else frozenset()
    return Relevant(read, changed)


def _changed(
    files: Files, known: Relevant, differences: Mapping[str, Difference]
) -> frozenset[str]:
    return changed_ids(
        files, {path: each for path, each in differences.items() if path in known.changed}
    )


def _every(state: State, changed: Collection[str]) -> tuple[Target, ...]:
    """The targets where everything counts as changed.

    Scripts whose goals all stand in functions that are targets themselves
    add nothing, unless they did change.
    """
    targets = Selection(state, state.units).targets()
    functions = {goal for t in targets if not is_script(t.id) for goal in t.goals}
    return tuple(
        target
        for target in targets
        if not is_script(target.id)
        or target.id in changed
        or not functions
        or not functions.issuperset(target.goals)
    )


def _only(
    state: State,
    changed: Collection[str],
    only: Collection[str],
    skipped: tuple[Skipped, ...],
) -> Detected:
    selection = Selection(state, only)
    found = {entry: selection.nearest(entry) for entry in sorted(only) if entry in state.units}
    targets = tuple(
        selection.target(
            unit,
            Reason.CHANGED if unit in only or unit in changed else Reason.CALLS_CHANGED,
        )
        for unit in sorted({unit for near in found.values() for unit in near})
    )
    reached = [entry for entry, near in found.items() if near]
    return Detected(targets, (*skipped, *_untouched(only, reached)))


def _untouched(only: Collection[str], reached: Collection[str]) -> list[Skipped]:
    return [
        Skipped(NAME, entry, "there is no such function, or it touches no ML code")
        for entry in sorted(set(only) - set(reached))
    ]
