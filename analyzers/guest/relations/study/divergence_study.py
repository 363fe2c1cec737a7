"""Where a library disagrees with itself: each API fuzzed (DeepREL, section 4.4)."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from ...inputs.recipes import BadRecipe
from ..fuzzing.fuzz_campaign import fuzz
from ..fuzzing.fuzz_inputs import FuzzSettings, FuzzSubject
from ..library_calls import call_source, parse_call
from ..process_pool import Begin, ItemReport, ProcessPool
from ..relation_types import CallSource, Library, Relation
from ..synthesis.call_templates import apply_template
from ..verification.call_validity import live_call_of
from .study_inputs import StudyProgress, collect_inputs, spread

LENDING, FUZZING = "lending", "fuzzing"
_SECONDS = 5.0
_BATCH = 20
_CALLS = 60


class DivergenceStudy:
    """Fuzzes the APIs of a library that are asked for, and are not ``done``."""

    def __init__(
        self,
        library: Library,
        relations: Sequence[Relation],
        settings: FuzzSettings,
        progress: StudyProgress,
    ) -> None:
        self._library = library
        self._relations = relations
        self._settings = settings
        self._progress = progress

    def study(self, is_asked_for: Callable[[str], bool], names: Sequence[str] = ()) -> None:
        """Send the rows of divergences, those of one API at a time.

        ``names`` are APIs that are asked for; all where there are none.
        """
        calls = collect_inputs(self._library, self._settings.workers, self._progress, names)
        calls.update(self._lent(calls, is_asked_for))
        by_source: Dict[str, List[Relation]] = {}
        for relation in self._relations:
            by_source.setdefault(relation.source, []).append(relation)
        subjects = [
            FuzzSubject(name, self._read(calls[name]), tuple(by_source.get(name, ())))
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

    def _read(self, texts: Sequence[str]) -> Tuple[CallSource, ...]:
        calls = (_call(text, self._library) for text in spread(texts, _CALLS))
        return tuple(call for call in calls if call is not None)

    def _lent(
        self, calls: Mapping[str, Sequence[str]], is_asked_for: Callable[[str], bool]
    ) -> Dict[str, List[str]]:
        """Calls for those that have none, with the arguments of APIs that they are related to."""
        wanted = [
            relation
            for relation in self._relations
            if relation.target not in calls and relation.source in calls
        ]
        wanted = [relation for relation in wanted if is_asked_for(relation.target)]
        self._progress.stage(LENDING, len(wanted))
        found: Dict[str, List[str]] = {}
        work = _LendingWork(wanted, calls, self._library)
        workers = self._settings.workers
        for item, result in ProcessPool(work.on, len(wanted), _SECONDS, workers, batch=_BATCH):
            if isinstance(result, ItemReport):
                found.setdefault(wanted[item].target, []).extend(result.value)
                self._progress.did()
        return {name: texts for name, texts in found.items() if texts}


class _LendingWork:
    """Work of a pool: an item is a relation."""

    def __init__(
        self, relations: Sequence[Relation], calls: Mapping[str, Sequence[str]], library: Library
    ) -> None:
        self._relations = relations
        self._calls = calls
        self._library = library
        self._apis = {api.name: api for api in library.apis()}

    def on(self, item: int, start: int, begin: Begin, report: Callable[[Any], None]) -> None:
        """Report the texts of the target's calls."""
        if start == 0:
            begin(0, self._relations[item].template)
            report(list(self._texts(self._relations[item])))

    def _texts(self, relation: Relation) -> Iterator[str]:
        for text in spread(self._calls[relation.source], _CALLS):
            live = live_call_of(text, self._library)
            if live is None:
                continue
            try:
                source = self._apis[relation.source]
                made = call_source(
                    apply_template(relation.template, source, live, self._library), self._library
                )
            except BadRecipe:
                continue
            if made:
                yield made


def _call(text: str, library: Library) -> Optional[CallSource]:
    try:
        return parse_call(text, library)
    except BadRecipe:
        return None
