"""The valid calls of a library's APIs, as texts, that a study begins with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import (
    Any,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    Optional,
    Sequence,
    Tuple,
)

from ..calls import read
from ..libraries.library import Library
from ..nouns import Call
from ..running import Begin, Died, Done, Failed, Hung, Pool, Result
from .progress import Progress

STAGE = "inputs"
_SECONDS = 120.0
_MEMORY = 8 << 30
_DEATHS = 3
_AT_ONCE = 200

Found = Iterable[Tuple[Call, str]]
Source = Callable[[], Found]


def collected(
    library: Library, workers: int, progress: Progress, names: Sequence[str] = ()
) -> Dict[str, List[str]]:
    """The texts of known valid calls by API, in the order in which the library tells them.

    They are gathered in processes of their own, as what the library's own tests
    and examples do to a process stays there.  A library that has ``sources`` is
    asked for each of them, beside one another, and what they give is put
    together as ``gathered`` does.  Where ``names`` of APIs are asked for, only
    what may tell of them is searched; everything, if one of them has no call there.
    """
    if not hasattr(library, "sources"):
        progress.stage(STAGE, 1)
        return _by_api(_gathered([library.valid], 1, progress))
    found = _of_parts(library, names, workers, progress)
    if found.keys() >= set(names):
        return found
    return _of_parts(library, (), workers, progress)


def _of_parts(
    parted: Any, names: Sequence[str], workers: int, progress: Progress
) -> Dict[str, List[str]]:
    sources = parted.sources(names)
    progress.stage(STAGE, len(sources) + 1)
    texts = [text for _, text in _gathered(sources, workers, progress)]
    known = [call for call in (_read(text, parted) for text in texts) if call is not None]

    def together() -> Found:
        found: Found = parted.gathered((call, "") for call in known)
        return found

    return _by_api(_gathered([together], 1, progress))


def _gathered(sources: Sequence[Source], workers: int, progress: Progress) -> List[Tuple[str, str]]:
    """API and text of each call of each source, in their order."""
    found: List[List[Tuple[str, str]]] = [[] for _ in sources]
    work = _Gathering(sources)
    for item, result in Pool(work.on, len(sources), _SECONDS, workers, _MEMORY, deaths=_DEATHS):
        if isinstance(result, Done):
            found[item] += [(api, text) for api, text in result.value]
            continue
        _note(result, progress)
        progress.did()
    return [each for part in found for each in part]


def _note(result: Result, progress: Progress) -> None:
    if isinstance(result, (Died, Hung, Failed)):
        progress.note(f"the search for valid calls: {result}")


@dataclass
class _Gathering:
    """Work of a pool: an item is a source, its steps are batches of calls."""

    sources: Sequence[Source]

    def on(self, item: int, start: int, begin: Begin, report: Callable[[Any], None]) -> None:
        begin(start, "")
        for step, batch in enumerate(_batches(self.sources[item]())):
            if step >= start:
                report(batch)
            begin(step + 1, "")


def _batches(found: Found) -> Iterator[List[Tuple[str, str]]]:
    batch: List[Tuple[str, str]] = []
    for call, _ in found:
        batch.append((call.api, call.source()))
        if len(batch) >= _AT_ONCE:
            yield batch
            batch = []
    yield batch


def _by_api(found: Iterable[Tuple[str, str]]) -> Dict[str, List[str]]:
    texts: Dict[str, Dict[str, None]] = {}
    for api, text in found:
        texts.setdefault(api, {})[text] = None
    return {api: list(texts[api]) for api in sorted(texts)}


def _read(text: str, library: Library) -> Optional[Call]:
    try:
        return read(text, library)
    except Exception:
        return None


def spread(items: Sequence[str], most: int) -> List[str]:
    """At most so many, evenly spread, the first among them."""
    if len(items) <= most:
        return list(items)
    return [items[index * len(items) // most] for index in range(most)]
