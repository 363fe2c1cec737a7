"""Whether the library calls of a run agree with what one oracle says: the word ``agrees``."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Generator, List, Optional, Sequence

from ..endings import is_own
from ..limits import CLOCK
from .installed import installed
from .libraries.library import Library
from .nouns import CRASH, SUCCESS, VALUE, Disagreement, Live, Relation
from .recording import Recording, recorded
from .told import told
from .uncompiled import uncompiled
from .warming import warm


class Agreements:
    """The library calls of one run of a target, to be judged after it.

    ``root`` is the project's folder.
    """

    def __init__(self, root: str) -> None:
        self._root = root
        self._library = installed()
        self._recording = Recording()

    @contextmanager
    def recorded(self) -> Generator[None, None, None]:
        """See the calls that are made inside."""
        if self._library is None:
            yield
            return
        with recorded(self._library, lambda file: is_own(file, self._root)) as self._recording:
            yield

    def problem(self, api: str, relation: str, related: str) -> Optional[str]:
        """How a call of ``api`` does not agree with what the oracle says; ``None`` where all do."""
        if self._library is None:
            return None
        with uncompiled():
            with CLOCK.paused():
                warm(self._library, [relation])
            return self._problem(self._library, api, relation, related)

    def _problem(self, library: Library, api: str, relation: str, related: str) -> Optional[str]:
        for seen in self._recording.calls:
            if seen.api == api and seen.live is not None:
                found = disagreement(seen.live, library, relation, related)
                if found is not None:
                    return detail(seen.live, found, library)
        return None


def disagreement(
    live: Live, library: Library, relation: str, related: str
) -> Optional[Disagreement]:
    """The disagreement of a call with one oracle (raises ``KeyError`` where there is none such)."""
    found = disagreements(live, library, relations_of(live.api, relation, related), [relation])
    return next((each for each in found if each.related == related), None)


def disagreements(
    live: Live,
    library: Library,
    relations: Sequence[Relation] = (),
    oracles: Optional[List[str]] = None,
) -> List[Disagreement]:
    """What a call disagrees with, but for related calls that crash where it does not."""
    from .oracles import judged

    _, found = judged(live, library, relations, oracles)
    return [d for d in found if d.rule != CRASH or d.outcome.status != SUCCESS]


def relations_of(api: str, relation: str, related: str) -> List[Relation]:
    """The relation that a template says, where the oracle is one of those that take relations."""
    if relation != VALUE:
        return []
    return [Relation(api, related.partition("(")[0], related, VALUE)]


def detail(live: Live, found: Disagreement, library: Library) -> str:
    """Both results in words."""
    call = told(live, library) or live.api
    return f"{call}: {found.outcome.text}; {found.related}: {found.expected.text}"
