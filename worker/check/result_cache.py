"""Results of targets from runs before, taken where nothing that they rest on has changed."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from analyzers.vocabulary import Broken, Finding, Skipped, Status, Target
from worker.check.result_codec import TargetResult, from_text, to_text
from worker.check.result_store import ResultStore
from worker.check.target_order import LastOutcome
from worker.executor.guest_conversation import OUT_OF_TIME

INDEX = "last.json"
LARGEST = 8 << 20
MOST_KEYS = 4
"""Results of one target that are kept, as several branches have them."""
MOST_TARGETS = 2_000
KEEP_SECONDS = 30 * 86_400.0
ENOUGH_SECONDS = 60.0
"""Seconds beyond which more time for a target would not have changed its result."""
ALLOWANCE = 0.9


@dataclass(slots=True)
class _LastResult:
    """The last results of a target: the newest key first, and what came of the newest."""

    keys: list[str]
    failed: bool
    seconds: float
    at: float


class ResultCache:
    """Results of one repository, by keys that hold everything that a result rests on.

    ``key`` returns a target's key, or ``None`` where not everything can be known.
    ``fresh`` takes no result, but keeps what is found.
    """

    def __init__(
        self,
        store: ResultStore | None = None,
        key: Callable[[Target], str | None] = lambda _: None,
        *,
        fresh: bool = False,
    ) -> None:
        self._store = store
        self._key = key
        self._fresh = fresh
        self._last = {} if store is None else _read_index(store)

    @property
    def outcomes(self) -> Mapping[str, LastOutcome]:
        """Return the last outcome of each target, by its id."""
        return {name: LastOutcome(last.failed, last.seconds) for name, last in self._last.items()}

    def take(self, target: Target, seconds: float) -> TargetResult | None:
        """Return a target's result where it is known, and had at least about ``seconds``."""
        known = self._last.get(target.id)
        if self._store is None or self._fresh or known is None:
            return None
        key = self._key(target)
        if key is None or key not in known.keys:
            return None
        try:
            result = from_text(self._store.read(_file(key)))
        except (OSError, ValueError):
            return None
        enough = result.allotted >= ALLOWANCE * min(seconds, ENOUGH_SECONDS)
        return result if enough else None

    def keep(self, target: Target, result: TargetResult, *, decided: bool) -> None:
        """Keep a result, and what came of it; only a ``decided`` one is ever taken."""
        if self._store is None:
            return
        last = self._last.get(target.id)
        keys = [] if last is None else last.keys
        key = self._key(target) if decided and is_decided(result) else None
        with suppress(OSError, TypeError):
            if key is not None and len(text := to_text(result)) <= LARGEST:
                self._store.write(_file(key), text)
                keys = [key, *(each for each in keys if each != key)]
        failed = any(isinstance(each, Finding) for each in result.verdicts)
        self._last[target.id] = _LastResult(keys, failed, result.seconds, time.time())

    def close(self) -> None:
        """Write down which results there are, and remove those that are too old or too many."""
        if self._store is None or not self._last:
            return
        newest = sorted(self._last.items(), key=lambda item: -item[1].at)
        kept: dict[str, Any] = {}
        with suppress(OSError):
            for number, (name, last) in enumerate(newest):
                lasting = number < MOST_TARGETS and time.time() - last.at < KEEP_SECONDS
                most = MOST_KEYS if lasting else 0
                for key in last.keys[most:]:
                    self._store.remove(_file(key))
                if lasting:
                    kept[name] = {**asdict(last), "keys": last.keys[:most]}
            self._store.write(INDEX, json.dumps(kept).encode())


def is_decided(result: TargetResult) -> bool:
    """Return whether nothing of ours, no limit and no chance had a part in a result."""
    coverage = result.coverage
    if coverage.out_of_time or coverage.refused or coverage.interrupted:
        return False
    for verdict in result.verdicts:
        if isinstance(verdict, Broken):
            return False
        if isinstance(verdict, Skipped) and (verdict.our_fault or _is_limit(verdict.reason)):
            return False
        if isinstance(verdict, Finding) and verdict.status is Status.FLAKY:
            return False
    return not any(map(_is_limit, coverage.endings))


def _is_limit(reason: str) -> bool:
    return any(said in reason for said in (OUT_OF_TIME, "time budget", "took longer"))


def _file(key: str) -> str:
    return f"{key}.json"


def _read_index(store: ResultStore) -> dict[str, _LastResult]:
    try:
        document = json.loads(store.read(INDEX))
        return {str(name): _LastResult(**last) for name, last in document.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
