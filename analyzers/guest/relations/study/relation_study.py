"""The relations of a library: valid inputs, candidates, verifying, again to the fixed point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, FrozenSet, List, Mapping, Sequence, Set, Tuple

from ..matching.api_candidates import candidates
from ..matching.api_names import ApiNames
from ..process_pool import (
    ItemDone,
    ItemFailed,
    ItemReport,
    ProcessDied,
    ProcessHung,
    ProcessPool,
    Result,
    Work,
)
from ..relation_types import Library, LibraryApi
from ..synthesis.parameter_binding import with_types
from ..verification.call_validity import UNSAFE, CallValidation
from ..verification.equivalence import RelationVerification
from .study_inputs import StudyProgress, collect_inputs, spread

TRYING, RELATIONS = "trying", "relations"
ROUNDS = 10
_SECONDS = 5.0
_BATCH = 8
_DEATHS = 20


@dataclass(frozen=True)
class StudyScope:
    """What is asked for: sources (all where there are none), and how much of them.

    ``done`` are sources whose relations are known.
    """

    apis: FrozenSet[str]
    done: FrozenSet[str]
    inputs: int
    seed: int
    workers: int


class RelationStudy:
    """Finds which APIs of a library behave alike (DeepREL, section 4)."""

    def __init__(self, library: Library, scope: StudyScope, progress: StudyProgress) -> None:
        self._library = library
        self._scope = scope
        self._progress = progress
        self._apis: Mapping[str, LibraryApi] = {api.name: api for api in library.apis()}
        self._types: Dict[str, Dict[str, Set[str]]] = {}
        self._calls: Dict[str, List[str]] = {}
        self._excluded: Dict[str, str] = {}
        self._avoided: Dict[str, List[str]] = {}

    def study(self) -> None:
        """Send the rows of relations as they are found, and those of all APIs at the end."""
        asked = [name for name in self._scope.apis if name in self._apis]
        self._try(collect_inputs(self._library, self._scope.workers, self._progress, asked))
        targets = _by_source(candidates(self._library.apis()))
        names = ApiNames(self._library.apis())
        sources = [name for name in self._calls if self._is_asked_for(name)]
        for _ in range(ROUNDS):
            before = set(self._calls)
            self._verify(sources, names, targets)
            sources = [
                name for name in sorted(set(self._calls) - before) if self._is_asked_for(name)
            ]
            if not sources:
                break
        self._tell_apis()

    def _is_asked_for(self, name: str) -> bool:
        asked = not self._scope.apis or name in self._scope.apis
        return asked and name in self._apis and name not in self._excluded

    # -------------------------------------------------------------------- trying

    def _try(self, calls: Mapping[str, List[str]]) -> None:
        """Keep the calls that succeed here, and learn what is of no use for comparing."""
        asked = self._scope.apis or calls.keys()
        names = [name for name in calls if name in self._apis and name in asked]
        chosen = {name: spread(calls[name], self._scope.inputs) for name in names}
        self._progress.stage(TRYING, len(names))
        work = CallValidation(names, chosen, self._library, self._excluded, self._apis)
        for item, result in self._pool(work.on, len(names)):
            if isinstance(result, ItemReport):
                self._take_trial(names[item], result.value)
            self._ended(names[item], result)
        self._calls = {name: self._calls[name] for name in names if self._calls.get(name)}
        self._apis = {
            name: with_types(api, self._types.get(name, {})) for name, api in self._apis.items()
        }

    def _take_trial(self, name: str, found: Mapping[str, Any]) -> None:
        if "status" in found:
            self._excluded.setdefault(name, found["status"])
        else:
            self._calls.setdefault(name, []).append(found["call"])
            for parameter, kind in found["types"].items():
                self._types.setdefault(name, {}).setdefault(parameter, set()).add(kind)

    # ----------------------------------------------------------------- verifying

    def _verify(
        self, sources: Sequence[str], names: ApiNames, targets: Mapping[str, Sequence[str]]
    ) -> None:
        self._progress.stage(RELATIONS, len(sources))
        lent: Dict[str, Dict[str, None]] = {}
        work = RelationVerification(
            sources=sources,
            apis=self._apis,
            names=names,
            candidates=targets,
            calls=self._calls,
            library=self._library,
            excluded=self._excluded,
            lending=self._scope.done,
            avoided=self._avoided,
            seed=self._scope.seed,
        )
        for item, result in self._pool(work.on, len(sources)):
            if isinstance(result, ItemReport):
                self._take_verdict(result.value, lent)
            elif isinstance(result, (ProcessDied, ProcessHung)):
                self._avoided.setdefault(sources[item], []).append(result.text)
            self._ended(sources[item], result)
        for name, texts in sorted(lent.items()):
            if name not in self._excluded:
                self._calls[name] = spread(list(texts), self._scope.inputs)

    def _take_verdict(self, found: Mapping[str, Any], lent: Dict[str, Dict[str, None]]) -> None:
        if "relation" in found:
            self._progress.add(kind="relation", **found["relation"])
        elif "lent" in found:
            lent.setdefault(found["lent"], {}).update(dict.fromkeys(found["calls"]))
        else:
            self._excluded.setdefault(found["excluded"], found["status"])

    # ------------------------------------------------------------------- telling

    def _pool(self, work: Work, items: int) -> ProcessPool:
        workers = self._scope.workers
        return ProcessPool(work, items, _SECONDS, workers, batch=_BATCH, deaths=_DEATHS)

    def _ended(self, name: str, result: Result) -> None:
        """Count what is over, and note what went wrong."""
        if isinstance(result, ProcessDied):
            self._progress.note(f"signal {result.signal}: {result.text or name}")
        elif isinstance(result, ProcessHung):
            self._progress.note(f"no end within {result.seconds:g} s: {result.text or name}")
        elif isinstance(result, ItemFailed):
            self._progress.note(f"{name}: {result.text}")
        if isinstance(result, ItemDone) or (isinstance(result, ItemFailed) and result.step < 0):
            self._progress.checked(name)

    def _tell_apis(self) -> None:
        for name, api in self._apis.items():
            if self._scope.apis and name not in self._scope.apis:
                continue
            calls = len(self._calls.get(name, ()))
            status = self._excluded.get(name, "covered" if calls else "uncovered")
            parameters = [item.name for item in api.parameters]
            self._progress.add(
                kind="api", name=name, parameters=parameters, calls=calls, status=status
            )
        for name in () if self._scope.apis else getattr(self._library, "unsafe", ()):
            self._progress.add(kind="api", name=name, parameters=[], calls=0, status=UNSAFE)


def _by_source(pairs: Sequence[Tuple[str, str, float]]) -> Dict[str, List[str]]:
    found: Dict[str, List[str]] = {}
    for source, target, _ in pairs:
        found.setdefault(source, []).append(target)
    return found
