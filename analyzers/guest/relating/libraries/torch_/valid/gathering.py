"""All that is known to be valid, each call once, and lent to the relatives of the same name."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any, Callable, Dict, Iterable, Iterator, List, Sequence, Set, Tuple

from ....nouns import LAYER, Api, Call
from ...library import Library
from .databases import modules, operators
from .examples import exemplified
from .inputs import layered
from .keeping import succeeds
from .samples import sampled

Found = Iterator[Tuple[Call, str]]
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

    chosen = [each for each in operators() if is_meant(_names(each))]
    layers = [each for each in modules() if is_meant([each.module_cls.__name__])]
    apis = [api for api in library.apis() if is_meant([api.name])]
    parts: List[Source] = [partial(sampled, library, part) for part in _parted(chosen, PARTS)]
    parts += [partial(layered, library, part) for part in _parted(layers, PARTS // 4)]
    parts += [partial(exemplified, library, part) for part in _parted(apis, PARTS // 2)]
    return [partial(_quietly, source) for source in parts]


def _names(operator: Any) -> List[str]:
    return [operator.name, *(alias.name for alias in operator.aliases)]


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


def gathered(library: Library, found: Iterable[Tuple[Call, str]]) -> Found:
    """Each text once, at most :data:`MOST_CALLS` for an API; then what relatives borrow of them."""
    known: Dict[str, Dict[str, Call]] = {}
    for call, origin in found:
        calls, source = known.setdefault(call.api, {}), call.source()
        if source not in calls and len(calls) < MOST_CALLS:
            calls[source] = call
            yield call, origin
    yield from _quietly(partial(borrowed, library, known))


def borrowed(library: Library, known: Dict[str, Dict[str, Call]]) -> Found:
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


def _lent(library: Library, api: Api, calls: Sequence[Call]) -> Found:
    """Those that succeed, with the keywords that the borrower knows."""
    names = {item.name for item in api.parameters}
    seen: Set[str] = set()
    for call in calls:
        keywords = tuple(item for item in call.keywords if not names or item[0] in names)
        other = Call(api.name, call.arguments, keywords)
        if call.inputs is not None or len(seen) >= MOST_BORROWED or other.source() in seen:
            continue
        if succeeds(other, library):
            seen.add(other.source())
            yield other, f"calls of {call.api}"


def _stem(name: str) -> str:
    own = name.rpartition(".")[2].lower()
    return own.rstrip("_").removesuffix("_copy")
