"""Where a library disagrees with itself: each API fuzzed (DeepREL, section 4.4)."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from ...generation.recipes import BadRecipe
from ..calls import read
from ..fuzzing import Settings, Subject, fuzz
from ..libraries.library import Library
from ..nouns import Call, Relation
from ..running import Begin, Done, Pool
from ..synthesis import applied
from ..told import told
from ..verifying.trying import live_of
from .inputs import collected, spread
from .progress import Progress

LENDING, FUZZING = "lending", "fuzzing"
_SECONDS = 5.0
_BATCH = 20
_CALLS = 60


class Divergences:
    """Fuzzes the APIs of a library that are asked for, and are not ``done``."""

    def __init__(
        self,
        library: Library,
        relations: Sequence[Relation],
        settings: Settings,
        progress: Progress,
    ) -> None:
        self._library = library
        self._relations = relations
        self._settings = settings
        self._progress = progress

    def study(self, is_asked_for: Callable[[str], bool], names: Sequence[str] = ()) -> None:
        """Send the rows of divergences, those of one API at a time.

        ``names`` are APIs that are asked for; all where there are none.
        """
        calls = collected(self._library, self._settings.workers, self._progress, names)
        calls.update(self._lent(calls, is_asked_for))
        by_source: Dict[str, List[Relation]] = {}
        for relation in self._relations:
            by_source.setdefault(relation.source, []).append(relation)
        subjects = [
            Subject(name, self._read(calls[name]), tuple(by_source.get(name, ())))
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

    def _read(self, texts: Sequence[str]) -> Tuple[Call, ...]:
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
        work = _Lending(wanted, calls, self._library)
        workers = self._settings.workers
        for item, result in Pool(work.on, len(wanted), _SECONDS, workers, batch=_BATCH):
            if isinstance(result, Done):
                found.setdefault(wanted[item].target, []).extend(result.value)
                self._progress.did()
        return {name: texts for name, texts in found.items() if texts}


class _Lending:
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
            live = live_of(text, self._library)
            if live is None:
                continue
            try:
                source = self._apis[relation.source]
                made = told(applied(relation.template, source, live, self._library), self._library)
            except BadRecipe:
                continue
            if made:
                yield made


def _call(text: str, library: Library) -> Optional[Call]:
    try:
        return read(text, library)
    except BadRecipe:
        return None
