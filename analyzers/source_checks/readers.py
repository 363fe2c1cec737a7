"""The checks that read the text of a file, by the name under which findings carry them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence

from analyzers.source_checks import code_defects
from analyzers.source_checks.answer_names import unknown_names
from analyzers.source_checks.answer_shapes import missing_parts
from analyzers.source_checks.broken_syntax import broken_syntax
from analyzers.source_checks.constant_tests import constant_tests
from analyzers.source_checks.defects import Defect
from analyzers.source_checks.endless_loops import endless_loops
from analyzers.source_checks.literal_keys import missing_keys
from analyzers.source_checks.lost_answers import lost_answers
from analyzers.source_checks.missing_returns import missing_returns
from analyzers.source_checks.raising_calls import raising_calls
from analyzers.source_checks.unbound_names import unbound_calls, unbound_names

UNBOUND_NAME, UNBOUND_CALL = "unbound-name", "unbound-call"
RAISING_CALL, MISSING_RETURN = "raising-call", "missing-return"
BROKEN_SYNTAX, MISSING_PART = "broken-syntax", "missing-part"
CONSTANT_TEST, MISSING_KEY = "constant-test", "missing-key"
UNKNOWN_NAME, ENDLESS_RETRY = "unknown-name", "endless-retry"
LOST_ANSWER = "lost-answer"

Reader = Callable[[str], Sequence[Defect]]


def _bounded(read: Reader) -> Reader:
    """Return a check that finds nothing in code that is nested too deep to be walked."""

    @functools.wraps(read)
    def bounded(text: str) -> Sequence[Defect]:
        try:
            return read(text)
        except RecursionError:
            return ()

    return bounded


READERS: Mapping[str, Reader] = {
    UNBOUND_NAME: _bounded(code_defects.unbound),
    RAISING_CALL: _bounded(code_defects.raising),
    MISSING_RETURN: _bounded(code_defects.missing),
    MISSING_PART: _bounded(missing_parts),
    UNKNOWN_NAME: _bounded(unknown_names),
    CONSTANT_TEST: _bounded(constant_tests),
    MISSING_KEY: _bounded(missing_keys),
    ENDLESS_RETRY: _bounded(endless_loops),
    LOST_ANSWER: _bounded(lost_answers),
}
"""The checks of every changed function."""


def _broken(text: str) -> frozenset[str]:
    broken = broken_syntax(text)
    return frozenset() if broken is None else frozenset((broken.key,))


_IDENTITIES: Mapping[str, Callable[[str], frozenset[str]]] = {
    UNBOUND_NAME: lambda text: frozenset(each.key for each in unbound_names(text)),
    RAISING_CALL: lambda text: frozenset(each.key for each in raising_calls(text)),
    MISSING_RETURN: lambda text: frozenset(each.key for each in missing_returns(text)),
    UNBOUND_CALL: lambda text: frozenset(unbound_calls(text)),
    BROKEN_SYNTAX: _broken,
}


NAMES = frozenset({*READERS, *_IDENTITIES})
"""All that findings may carry; ``worker/report/replay-schema.json`` lists them too."""


def identities(reader: str, text: str) -> frozenset[str]:
    """Return what tells the defects that a check finds in a text from others."""
    try:
        if reader in _IDENTITIES:
            return _IDENTITIES[reader](text)
        return frozenset(each.key for each in READERS[reader](text))
    except RecursionError:
        return frozenset()
