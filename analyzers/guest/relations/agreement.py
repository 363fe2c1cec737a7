"""Agreement of a run's library calls with one oracle: the check behind the word ``agrees``."""

from __future__ import annotations

import functools
import gc
import sys
from contextlib import contextmanager, suppress
from types import FunctionType
from typing import Any, Generator, Iterable, Optional, Sequence

from ..runtime.call_outcomes import is_own
from ..runtime.time_limits import CLOCK
from .call_recording import Recording, recording_calls
from .libraries.library_registry import loaded_library
from .library_calls import call_source
from .relation_types import CRASH, SUCCESS, VALUE, Disagreement, Library, LiveCall, Relation

COMPILER = "torch._dynamo"
_MARK = "__dynamo_disable"


@contextmanager
def without_compiler() -> Generator[None, None, None]:
    """Let hidden functions be called as they are; nothing where the compiler is there already."""
    loaded = COMPILER in sys.modules or "torch" not in sys.modules
    hidden = [] if loaded else [each for each in hidden_functions() if not hasattr(each, _MARK)]
    for function in hidden:
        setattr(function, _MARK, function)
    try:
        yield
    finally:
        for function in hidden:
            if getattr(function, _MARK, None) is function:
                delattr(function, _MARK)


@functools.lru_cache(maxsize=1)
def hidden_functions() -> list[FunctionType]:
    """Return torch's functions that load its compiler in order to be hidden from it.

    They are found among the collector's objects, so before those are frozen.
    """
    import torch

    hide = getattr(torch, "_disable_dynamo", None)
    code = None if hide is None else getattr(hide(_nothing), "__code__", None)
    if code is None or "fn" not in code.co_freevars:
        return []
    place = code.co_freevars.index("fn")
    functions: list[Any] = [each for each in gc.get_objects() if type(each) is FunctionType]
    wrappers = [each for each in functions if each.__code__ is code]
    inside = [each.__closure__[place].cell_contents for each in wrappers]
    return [each for each in inside if isinstance(each, FunctionType)]


def _nothing() -> None:
    """Something to hide."""


def load_oracles(library: Library, oracles: Optional[Iterable[str]] = None) -> None:
    """Let oracles (those that are asked by default) judge a call that is well, once."""
    from .oracles.oracle_registry import judge_call

    chosen = None if oracles is None else tuple(oracles)
    if (library.name, chosen) in _done:
        return
    _done.add((library.name, chosen))
    name = "torch.neg"  # every oracle knows it
    live = LiveCall(name, library.function(name), [library.function("torch.ones")(1)])
    with suppress(KeyError):
        judge_call(live, library, [Relation(name, name, f"{name}(input)", "value")], chosen)


_done: set[tuple[str, Optional[tuple[str, ...]]]] = set()


class Agreements:
    """The library calls of one run of a target (project at ``root``), to be judged after it."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._library = loaded_library()
        self._recording = Recording()

    @contextmanager
    def recorded(self) -> Generator[None, None, None]:
        """See the calls that are made inside."""
        if self._library is None:
            yield
            return
        with recording_calls(
            self._library, lambda file: is_own(file, self._root)
        ) as self._recording:
            yield

    def problem(self, api: str, relation: str, related: str) -> Optional[str]:
        """Return how a call of ``api`` disagrees with the oracle; ``None`` where all agree."""
        if self._library is None:
            return None
        relations = [Relation(api, related.partition("(")[0], related, VALUE)]
        with without_compiler():
            with CLOCK.paused():
                load_oracles(self._library, [relation])
            for live in [seen.live for seen in self._recording.calls if seen.api == api]:
                judged = disagreements(live, self._library, relations, [relation]) if live else []
                found = next((each for each in judged if each.related == related), None)
                if found is not None:
                    call = call_source(live, self._library) or api
                    return f"{call}: {found.outcome.text}; {related}: {found.expected.text}"
        return None


def disagreements(
    live: LiveCall,
    library: Library,
    relations: Sequence[Relation] = (),
    oracles: Optional[list[str]] = None,
) -> list[Disagreement]:
    """Return what a call disagrees with, but for related calls that crash where it does not."""
    from .oracles.oracle_registry import judge_call

    _, found = judge_call(live, library, relations, oracles)
    return [d for d in found if d.rule != CRASH or d.outcome.status != SUCCESS]
