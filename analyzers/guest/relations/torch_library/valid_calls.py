"""All that is known to be valid, each call once, and lent to the relatives of the same name."""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import warnings
from functools import partial
from types import CodeType
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Set, Tuple

from ..relation_types import LAYER, CallSource, Library, LibraryApi, LiveCall
from .call_selection import most_different, several, succeeds
from .call_tracing import traced
from .opinfo_samples import moduleinfo_calls, moduleinfo_database, opinfo_calls, opinfo_database
from .torch_catalogue import is_unsafe

MOST_EXAMPLE_CALLS = 8
MOST_LINES = 40
MOST_SECONDS = 1.0
"""How many calls of an API are kept, and how much of a documentation is run, for how long."""

_WORD = re.compile(r"[A-Za-z_]\w*")
_ELSEWHERE = frozenset(("open", "os", "subprocess", "distributed", "multiprocessing", "plt"))


def calls_in_documentation(
    library: Library, apis: Sequence[LibraryApi]
) -> Iterator[Tuple[CallSource, str]]:
    """The calls in the examples of some APIs' documentation."""
    for api in apis:
        found: Dict[str, List[LiveCall]] = {}
        for live in _lives(api.doc, library):
            found.setdefault(live.api, []).append(live)
        for lives in found.values():
            for call in several(most_different(lives), library, MOST_EXAMPLE_CALLS):
                yield call, f"the documentation of {api.name}"


def _lives(doc: str, library: Library) -> List[LiveCall]:
    """The calls of a documentation's examples, which share their names."""
    import torch

    names: Dict[str, Any] = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional}
    codes = [code for code in map(_compiled, _sources(doc)[:MOST_LINES]) if code]

    def run() -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            for code in codes:
                with contextlib.suppress(Exception):
                    exec(code, names)

    library.seed()
    return traced(run, library, MOST_SECONDS) if codes else []


def _sources(doc: str) -> List[str]:
    if ">>>" not in doc:
        return []
    try:
        found = doctest.DocTestParser().get_examples(doc)
    except ValueError:
        lines = (line.strip() for line in doc.splitlines())
        return [line[4:] for line in lines if line.startswith(">>> ")]
    return [example.source for example in found]


def _compiled(source: str) -> Optional[CodeType]:
    """An example that is nothing but torch's, and no use of what is never called."""
    words = set(_WORD.findall(source))
    if words & _ELSEWHERE or any(is_unsafe(word) for word in words):
        return None
    try:
        return compile(source, "<documentation>", "exec")
    except SyntaxError:
        return None


Found = Iterator[Tuple[CallSource, str]]
Source = Callable[[], Found]

MOST_CALLS = 30
MOST_BORROWED = 8
PARTS = 8
"""In how many parts the test data is gone through, and the documentation in half as many."""


def sources(library: Library, names: Iterable[str] = ()) -> Sequence[Source]:
    """What can be run in any order, and beside each other.

    ``names`` are of APIs: only what may tell calls of them or of their
    namesakes is run.  The test data is loaded here, once.
    """
    stems = {_stem(name) for name in names}

    def is_meant(named: Iterable[str]) -> bool:
        return not stems or not stems.isdisjoint(map(_stem, named))

    chosen = [
        each
        for each in opinfo_database()
        if is_meant([each.name, *(alias.name for alias in each.aliases)])
    ]
    layers = [each for each in moduleinfo_database() if is_meant([each.module_cls.__name__])]
    apis = [api for api in library.apis() if is_meant([api.name])]
    parts: List[Source] = [partial(opinfo_calls, library, part) for part in _parted(chosen, PARTS)]
    parts += [partial(moduleinfo_calls, library, part) for part in _parted(layers, PARTS // 4)]
    parts += [partial(calls_in_documentation, library, part) for part in _parted(apis, PARTS // 2)]
    return [partial(_quietly, source) for source in parts]


def _parted(items: Sequence[Any], parts: int) -> List[Sequence[Any]]:
    """Every n-th of them, as the slow ones stand together."""
    return [items[part::parts] for part in range(min(parts, len(items)))]


def _quietly(source: Source) -> Found:
    """Without the warnings of what is deprecated or in beta, and in one thread.

    The inputs are small: threads would mostly wait for each other.
    """
    import torch

    found, threads = source(), torch.get_num_threads()
    while True:
        torch.set_num_threads(1)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                item = next(found, None)
        finally:
            torch.set_num_threads(threads)
        if item is None:
            return
        yield item


def gathered(library: Library, found: Iterable[Tuple[CallSource, str]]) -> Found:
    """Each text once, at most :data:`MOST_CALLS` for an API; then what relatives borrow of them."""
    known: Dict[str, Dict[str, CallSource]] = {}
    for call, origin in found:
        calls, source = known.setdefault(call.api, {}), call.source()
        if source not in calls and len(calls) < MOST_CALLS:
            calls[source] = call
            yield call, origin
    yield from _quietly(partial(borrowed, library, known))


def borrowed(library: Library, known: Dict[str, Dict[str, CallSource]]) -> Found:
    """For what has no calls, those of an API of the same name elsewhere that succeed with it.

    ``torch.Tensor.view_as`` has the name of ``torch.view_as``, and ``abs_`` and
    ``abs_copy`` that of ``abs``.
    """
    relatives: Dict[str, List[str]] = {}
    for name in known:
        relatives.setdefault(_stem(name), []).append(name)
    for api in library.apis():
        if api.kind == LAYER or api.name in known:
            continue
        for name in relatives.get(_stem(api.name), ()):
            yield from _lent(library, api, list(known[name].values()))


def _lent(library: Library, api: LibraryApi, calls: Sequence[CallSource]) -> Found:
    """Those that succeed, with the keywords that the borrower knows."""
    names = {item.name for item in api.parameters}
    seen: Set[str] = set()
    for call in calls:
        keywords = tuple(item for item in call.keywords if not names or item[0] in names)
        other = CallSource(api.name, call.arguments, keywords)
        if call.inputs is not None or len(seen) >= MOST_BORROWED or other.source() in seen:
            continue
        if succeeds(other, library):
            seen.add(other.source())
            yield other, f"calls of {call.api}"


def _stem(name: str) -> str:
    own = name.rpartition(".")[2].lower()
    return own.rstrip("_").removesuffix("_copy")
