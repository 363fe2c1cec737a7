"""The relations of a library: valid inputs, candidates, verifying, again to the fixed point."""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, Callable, Iterator, Mapping, Sequence

from ...inputs.recipes import BadRecipe
from ...runtime.time_limits import CLOCK, TimeUp
from ..api_candidates import ApiNames, candidates
from ..fuzzing.fuzz_campaign import fuzz
from ..fuzzing.fuzz_workers import FuzzSettings, FuzzSubject
from ..libraries.library_registry import library as installed
from ..library_calls import call_source, made_calls, parsed_calls
from ..oracles import second_implementations
from ..process_pool import (
    Begin,
    ItemDone,
    ItemFailed,
    ItemReport,
    ProcessDied,
    ProcessHung,
    ProcessPool,
    Result,
    Work,
)
from ..relation_types import Library, LibraryApi, Relation
from ..synthesis.call_templates import apply_template
from ..synthesis.parameter_matching import with_types
from ..verification.call_validity import UNSAFE, CallValidation
from ..verification.equivalence import RelationVerification
from .study_inputs import Send, StudyProgress, collect_inputs, spread

TRYING, RELATIONS = "trying", "relations"
ROUNDS = 10
_SECONDS = 5.0
_BATCH = 8
_DEATHS = 20


@dataclass(frozen=True)
class StudyScope:
    """Scope of a study: sources (none: all), those already ``done``, and how much of them."""

    apis: frozenset[str]
    done: frozenset[str]
    inputs: int
    seed: int
    workers: int


class RelationStudy:
    """Study of which APIs of a library behave alike (DeepREL, section 4)."""

    def __init__(self, library: Library, scope: StudyScope, progress: StudyProgress) -> None:
        self._library = library
        self._scope = scope
        self._progress = progress
        self._apis: Mapping[str, LibraryApi] = {api.name: api for api in library.apis()}
        self._types: dict[str, dict[str, set[str]]] = {}
        self._calls: dict[str, list[str]] = {}
        self._excluded: dict[str, str] = {}
        self._avoided: dict[str, list[str]] = {}

    def study(self) -> None:
        """Send the rows of relations as they are found, and those of all APIs at the end."""
        asked = [name for name in self._scope.apis if name in self._apis]
        self._try(collect_inputs(self._library, self._scope.workers, self._progress, asked))
        targets: dict[str, list[str]] = {}
        for source, target, _ in candidates(self._library.apis()):
            targets.setdefault(source, []).append(target)
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

    def _try(self, calls: Mapping[str, list[str]]) -> None:
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

    def _verify(
        self, sources: Sequence[str], names: ApiNames, targets: Mapping[str, Sequence[str]]
    ) -> None:
        self._progress.stage(RELATIONS, len(sources))
        lent: dict[str, dict[str, None]] = {}
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

    def _take_verdict(self, found: Mapping[str, Any], lent: dict[str, dict[str, None]]) -> None:
        if "relation" in found:
            self._progress.add(kind="relation", **found["relation"])
        elif "lent" in found:
            lent.setdefault(found["lent"], {}).update(dict.fromkeys(found["calls"]))
        else:
            self._excluded.setdefault(found["excluded"], found["status"])

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


LENDING, FUZZING = "lending", "fuzzing"
_LENDING_SECONDS = 5.0
_LENDING_BATCH = 20
_CALLS = 60


@dataclass(frozen=True, eq=False)
class DivergenceStudy:
    """Fuzzing of the APIs of a library that are asked for, and are not ``done``."""

    _library: Library
    _relations: Sequence[Relation]
    _settings: FuzzSettings
    _progress: StudyProgress

    def study(self, is_asked_for: Callable[[str], bool], names: Sequence[str] = ()) -> None:
        """Send the rows of divergences, those of one API at a time; all APIs without names."""
        calls = collect_inputs(self._library, self._settings.workers, self._progress, names)
        calls.update(self._lent(calls, is_asked_for))
        by_source: dict[str, list[Relation]] = {}
        for relation in self._relations:
            by_source.setdefault(relation.source, []).append(relation)
        subjects = [
            FuzzSubject(
                name,
                tuple(parsed_calls(spread(calls[name], _CALLS), self._library)),
                tuple(by_source.get(name, ())),
            )
            for name in sorted(calls)
            if is_asked_for(name)
        ]
        self._progress.stage(FUZZING, len(subjects))
        for fuzzed in fuzz(subjects, self._library, self._settings):
            for row in fuzzed.rows:
                self._progress.add(**row)
            for note in fuzzed.notes:
                self._progress.note(f"{fuzzed.api}: {note}")
            self._progress.checked(fuzzed.api)

    def _lent(
        self, calls: Mapping[str, Sequence[str]], is_asked_for: Callable[[str], bool]
    ) -> dict[str, list[str]]:
        """Calls for those that have none, with the arguments of APIs that they are related to."""
        wanted = [
            relation
            for relation in self._relations
            if relation.target not in calls and relation.source in calls
        ]
        wanted = [relation for relation in wanted if is_asked_for(relation.target)]
        self._progress.stage(LENDING, len(wanted))
        apis = {api.name: api for api in self._library.apis()}

        def work(item: int, start: int, begin: Begin, report: Callable[[Any], None]) -> None:
            if start == 0:
                begin(0, wanted[item].template)
                report(list(self._texts(wanted[item], calls[wanted[item].source], apis)))

        found: dict[str, list[str]] = {}
        workers = self._settings.workers
        for item, result in ProcessPool(
            work, len(wanted), _LENDING_SECONDS, workers, batch=_LENDING_BATCH
        ):
            if isinstance(result, ItemReport):
                found.setdefault(wanted[item].target, []).extend(result.value)
                self._progress.did()
        return {name: texts for name, texts in found.items() if texts}

    def _texts(
        self, relation: Relation, calls: Sequence[str], apis: Mapping[str, LibraryApi]
    ) -> Iterator[str]:
        library, source = self._library, apis[relation.source]
        for live in made_calls(parsed_calls(spread(calls, _CALLS), library), library):
            with suppress(BadRecipe):
                lent = apply_template(relation.template, source, live, library)
                text = call_source(lent, library)
                if text:
                    yield text


Frame = dict[str, Any]

_SHORTEST = 0.01
CLOCK.never_interrupt(logging.__file__)
"""What is done there before and after a fork must be whole."""
_LATE = ("torch.fx.experimental.symbolic_shapes", "torch.nested._internal.nested_tensor")


def study(message: Mapping[str, Any], send: Send) -> Frame:
    """Send ``progress`` frames and return the ``studied`` frame (``complete`` or out of time)."""
    progress = StudyProgress(send)
    library = _library(message["library"])
    complete = True
    try:
        with CLOCK.limited(max(message["seconds"], _SHORTEST)):
            _TASKS[message["task"]](message, library, progress)
    except TimeUp:
        complete = False
    progress.flush()
    return {
        "type": "studied",
        "version": library.version,
        "notes": progress.notes,
        "complete": complete,
    }


def _library(name: str) -> Library:
    """Return the library on one thread (for forks), with what its calls import late imported."""
    found = installed(name)
    import torch

    torch.set_num_threads(1)
    for module in _LATE:
        with suppress(ImportError):
            import_module(module)
    return found


def _relations(message: Mapping[str, Any], library: Library, progress: StudyProgress) -> None:
    scope = StudyScope(
        apis=frozenset(message["apis"] or ()),
        done=frozenset((message.get("done") or {}).get(RELATIONS, ())),
        inputs=message["inputs"],
        seed=message["seed"],
        workers=message["workers"],
    )
    RelationStudy(library, scope, progress).study()


def _divergences(message: Mapping[str, Any], library: Library, progress: StudyProgress) -> None:
    oracles = message.get("oracles")
    settings = FuzzSettings(
        inputs=message["inputs"],
        seed=message["seed"],
        workers=message["workers"],
        oracles=None if oracles is None else tuple(oracles),
    )
    if second_implementations.INDUCTOR in (oracles or ()):
        second_implementations.load_inductor()
        settings = replace(settings, seconds=second_implementations.SECONDS)
    asked: frozenset[str] = frozenset(message["apis"] or ())
    done: frozenset[str] = frozenset((message.get("done") or {}).get(FUZZING, ()))
    relations = [
        Relation(row["source"], row["target"], row["template"], row["holds"], row.get("inputs", 0))
        for row in message.get("relations") or ()
    ]
    DivergenceStudy(library, relations, settings, progress).study(
        lambda name: name not in done and (not asked or name in asked), sorted(asked)
    )


_TASKS: Mapping[str, Callable[[Mapping[str, Any], Library, StudyProgress], None]] = {
    "relations": _relations,
    "divergences": _divergences,
}
