"""Documents that name another API: ``Alias for torch.abs``, ``See torch.abs``."""

from __future__ import annotations

import re
from typing import Dict, List, Mapping, Sequence, Set

from ..nouns import Api
from .names import Names, mentioned
from .terms import first_sentence

_REFERS = re.compile(
    r"^(?:alias (?:for|of|to)|see(?: also)?|in-?place version of|out-of-place version of"
    r"|(?:this (?:function )?is )?(?:equivalent|identical|an alias|same as|deprecated alias))\b",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(r"^\s*(?:>>>|\.\.\.).*$", re.MULTILINE)
_MOST_STEPS = 4
MOST = 12
"""How many of the APIs that a documentation names are candidates: long ones name many."""


def mentions(apis: Sequence[Api], names: Names) -> Dict[str, List[str]]:
    """For each API those that its documentation names, in order, and never itself.

    Examples do not count: they are made of ``torch.randn`` and ``torch.tensor``.
    """
    return {api.name: _of(api, names)[:MOST] for api in apis}


def _of(api: Api, names: Names) -> List[str]:
    prose = _EXAMPLE.sub("", api.doc)
    found = (names.resolved(text, api.name) for text in mentioned(prose))
    return [name for name in dict.fromkeys(found) if name is not None and name != api.name]


def references(apis: Sequence[Api], named: Mapping[str, List[str]]) -> Dict[str, str]:
    """APIs whose documentation does no more than refer to another one, and that one."""
    found: Dict[str, str] = {}
    for api in apis:
        if named[api.name] and _REFERS.match(first_sentence(api.doc)):
            found[api.name] = named[api.name][0]
    return found


def meant(name: str, referred: Mapping[str, str]) -> str:
    """The API at the end of the references: whose documentation speaks for both."""
    for _ in range(_MOST_STEPS):
        if name not in referred:
            break
        name = referred[name]
    return name


def families(referred: Mapping[str, str]) -> List[Set[str]]:
    """The sets of APIs that refer to the same one, which is among them."""
    members: Dict[str, Set[str]] = {}
    for name in referred:
        last = meant(name, referred)
        members.setdefault(last, {last}).add(name)
    return [members[last] for last in sorted(members)]
