"""Valid calls from documentation: its examples, run while they are traced."""

from __future__ import annotations

import contextlib
import doctest
import io
import re
from types import CodeType
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from ....nouns import Api, Call, Live
from ...library import Library
from ..catalogue import is_unsafe
from .choosing import varied
from .keeping import several
from .tracing import traced

MOST_CALLS = 8
MOST_LINES = 40
MOST_SECONDS = 1.0
"""How many calls of an API are kept, and how much of a documentation is run, for how long."""

_WORD = re.compile(r"[A-Za-z_]\w*")
_ELSEWHERE = frozenset(("open", "os", "subprocess", "distributed", "multiprocessing", "plt"))


def exemplified(library: Library, apis: Sequence[Api]) -> Iterator[Tuple[Call, str]]:
    """The calls in the examples of some APIs' documentation."""
    for api in apis:
        found: Dict[str, List[Live]] = {}
        for live in _lives(api.doc, library):
            found.setdefault(live.api, []).append(live)
        for lives in found.values():
            for call in several(varied(lives), library, MOST_CALLS):
                yield call, f"the documentation of {api.name}"


def _lives(doc: str, library: Library) -> List[Live]:
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
