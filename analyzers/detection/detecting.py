"""From a change to the functions that it makes worth testing."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from analyzers.catalogue import Catalogue
from analyzers.detection.changes import Difference, difference
from analyzers.detection.imports import Files, closure, installed, inverted
from analyzers.detection.modules import UnparsableError, check
from analyzers.detection.state import State
from analyzers.detection.statements import analyse
from analyzers.detection.targets import Selection, is_script
from analyzers.detection.users import users
from analyzers.vocabulary import ChangeSet, Reason, Skipped, Target

NAME = "detection"
SUFFIXES = (".py", ".ipynb")


@dataclass(frozen=True, slots=True)
class Detected:
    """What to examine, and which files could not be read."""

    targets: tuple[Target, ...]
    skipped: tuple[Skipped, ...] = ()


@dataclass(frozen=True, slots=True)
class _Relevant:
    """The files to read, the changed ones among them, and who imports whom."""

    read: frozenset[str]
    changed: frozenset[str]
    importers: Mapping[str, Collection[str]]


def detect(
    changes: ChangeSet,
    catalogue: Catalogue,
    *,
    everything: bool = False,
    only: Collection[str] = (),
) -> Detected:
    """The functions of head that are worth testing.

    ``everything`` takes every function as changed; ``only`` are the ids
    (``path::function``) of the functions to test whether they changed or
    not.  Functions, files and goals are those of head.
    """
    sources = _own(changes.sources, catalogue)
    files = Files(sources, catalogue.libraries)
    named = {entry.partition("::")[0] for entry in only}
    touched = named if only else {change.path for change in changes.changes}
    touched = set(sources) if everything and not only else touched & sources.keys()
    skipped = _unparsable(files, touched)
    relevant = _relevant(files, catalogue, touched, eager=not everything)
    if not relevant.changed:
        return Detected((), (*skipped, *_untouched(only, ())))
    differences = _differences(changes, relevant)
    changed = _changed(files, relevant, differences)
    state = State(files, catalogue, () if everything or only else changed)
    for path in sorted(relevant.read):
        state.load(path)
    state.solve(analyse)
    known = {entry.target for entry in skipped}
    skipped += [
        Skipped(NAME, path, reason)
        for path, reason in sorted(state.unparsable.items())
        if path not in known
    ]
    if only:
        return _only(state, changed, only, skipped)
    if everything:
        return Detected(_every(state, changed), tuple(skipped))
    return Detected(Selection(state, changed).targets(), tuple(skipped))


def _own(sources: Mapping[str, str], catalogue: Catalogue) -> dict[str, str]:
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


def _relevant(
    files: Files, catalogue: Catalogue, touched: Collection[str], *, eager: bool
) -> _Relevant:
    """``eager``: read also the changed files that only receive answers, or none."""
    seeds = [path for path, text in files.sources.items() if catalogue.mentions(text)]
    if not seeds or not touched:
        return _Relevant(frozenset(), frozenset(), {})
    imported = {path: files.imported(path) for path in files.paths}
    importers = inverted(imported)
    asking = closure(seeds, importers)
    near = closure(asking, imported)
    changed = near & set(touched)
    above = closure(changed, importers) & near
    read = closure(above, imported) & asking
    read |= above if eager else frozenset()
    return _Relevant(read, changed, importers)


def _differences(changes: ChangeSet, relevant: _Relevant) -> dict[str, Difference]:
    return {
        change.path: difference(change, changes)
        for change in changes.changes
        if change.path in relevant.changed and not change.deleted
    }


def _changed(
    files: Files, relevant: _Relevant, differences: Mapping[str, Difference]
) -> frozenset[str]:
    own = {f"{path}::{name}" for path, known in differences.items() for name in known.functions}
    return users(files, relevant.importers, differences) | own


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
    state: State, changed: Collection[str], only: Collection[str], skipped: list[Skipped]
) -> Detected:
    selection = Selection(state, only)
    found = {entry: selection.nearest(entry) for entry in sorted(only) if entry in state.units}
    units = sorted({unit for near in found.values() for unit in near})
    targets = tuple(
        selection.target(
            unit,
            Reason.CHANGED if unit in only or unit in changed else Reason.CALLS_CHANGED,
        )
        for unit in units
    )
    reached = [entry for entry, near in found.items() if near]
    return Detected(targets, (*skipped, *_untouched(only, reached)))


def _untouched(only: Collection[str], reached: Collection[str]) -> list[Skipped]:
    return [
        Skipped(NAME, entry, "there is no such function, or it asks no ML API")
        for entry in sorted(set(only) - set(reached))
    ]
