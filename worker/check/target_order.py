"""The order in which targets are examined: the most telling first."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from analyzers.catalogue import load_catalogue
from analyzers.detection.import_graph import is_deep_learning
from analyzers.vocabulary import ChangeSet, InputKind, Reason, Target

_ASIDE = frozenset({"example", "examples", "demo", "demos", "doc", "docs", "bench", "benchmarks"})
_MEDIA = frozenset({InputKind.IMAGE, InputKind.AUDIO})
_SCRIPT = re.compile(r"(?:train|demo|example|benchmark)(?:[_-].*)?\.py")
FRAMEWORK_SECONDS, MEDIA_SECONDS, OTHER_SECONDS = 15.0, 8.0, 5.0
"""What is expected of deep-learning code, of calls with pictures or sounds, and of the rest."""
LEAST_SECONDS, MOST_SECONDS = 1.0, 60.0


@dataclass(frozen=True, slots=True)
class LastOutcome:
    """The last examination of a target: whether it failed, and how long it took."""

    failed: bool
    seconds: float


def most_telling_first(
    targets: Sequence[Target],
    changes: ChangeSet,
    last: Mapping[str, LastOutcome],
    room: float = 0.0,
) -> tuple[Target, ...]:
    """Return the targets by the expected value of a second that is spent on them.

    What failed before or has changed itself comes before what only calls changed code;
    examples, documents, benchmarks and scripts that train come after the code that they show.
    Where all are expected to fit into ``room``, seconds of work, those that take longest come
    first among their like, so that all are over soonest (Graham, 1969, Bounds on
    Multiprocessing Timing Anomalies).
    ``last`` outcomes are by the target's id.  Ties keep the order.
    """
    changed = {change.path: change.lines | change.removed_at for change in changes.changes}
    expected = {target.id: _seconds(target, last) for target in targets}
    fits = sum(expected.values()) <= room

    def rank(target: Target) -> tuple[bool, bool, bool, float]:
        known = last.get(target.id)
        failed = known is not None and known.failed
        seconds = expected[target.id]
        worth = seconds if fits else _value(target, changed, failed=failed) / seconds
        is_late = target.reason is not Reason.CHANGED and not failed
        return is_late, not failed and _is_aside(target.path), fits and not failed, -worth

    return tuple(sorted(targets, key=rank))


def _seconds(target: Target, last: Mapping[str, LastOutcome]) -> float:
    known = last.get(target.id)
    seconds = _usual_seconds(target) if known is None else known.seconds
    return min(max(seconds, LEAST_SECONDS), MOST_SECONDS)


def _usual_seconds(target: Target) -> float:
    if is_deep_learning(target):
        return FRAMEWORK_SECONDS
    known = load_catalogue().apis
    inputs = [known[api].input for api in target.apis if api in known]
    media = any(each is not None and each.kind in _MEDIA for each in inputs)
    return MEDIA_SECONDS if media else OTHER_SECONDS


def _value(target: Target, changes: Mapping[str, frozenset[int]], *, failed: bool) -> float:
    changed = changes.get(target.path, frozenset())
    lines = sum(target.line <= line <= target.end_line for line in changed)
    share = lines / max(1, target.end_line - target.line + 1)
    return 1.0 + share + 2.0 * failed


def _is_aside(path: str) -> bool:
    *folders, name = PurePosixPath(path).parts
    if path.endswith(".ipynb") or any(each.lower() in _ASIDE for each in folders):
        return True
    return not folders and _SCRIPT.fullmatch(name) is not None
