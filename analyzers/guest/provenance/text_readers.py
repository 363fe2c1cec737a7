"""Checks that a finding names, to be read again in another text of its file."""

from __future__ import annotations

from typing import Callable, Dict, FrozenSet

from .broken_syntax import broken_syntax
from .missing_returns import missing_returns
from .raising_calls import raising_calls
from .unbound_names import unbound_calls, unbound_names


def _unbound(text: str) -> FrozenSet[str]:
    return frozenset(each.key for each in unbound_names(text))


def _raising(text: str) -> FrozenSet[str]:
    return frozenset(each.key for each in raising_calls(text))


def _missing(text: str) -> FrozenSet[str]:
    return frozenset(each.key for each in missing_returns(text))


def _broken(text: str) -> FrozenSet[str]:
    broken = broken_syntax(text)
    return frozenset() if broken is None else frozenset((broken.key,))


def _uncalled(text: str) -> FrozenSet[str]:
    return frozenset(unbound_calls(text))


UNBOUND_NAME, UNBOUND_CALL = "unbound-name", "unbound-call"
RAISING_CALL, MISSING_RETURN = "raising-call", "missing-return"
BROKEN_SYNTAX = "broken-syntax"
READERS: Dict[str, Callable[[str], FrozenSet[str]]] = {
    UNBOUND_NAME: _unbound,
    RAISING_CALL: _raising,
    MISSING_RETURN: _missing,
    UNBOUND_CALL: _uncalled,
    BROKEN_SYNTAX: _broken,
}
"""The identities of the defects that a check finds in a text, by the check's name."""
