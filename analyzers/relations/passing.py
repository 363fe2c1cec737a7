"""Whether a project's calls pass what a known call takes to go wrong."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence


def passes(known: str, sources: Iterable[str], names: Sequence[str]) -> bool:
    """Whether one of the calls seen gives each argument that a known call gives.

    ``x / y`` is no ``torch.div(x, y, rounding_mode="trunc")``, whatever the values.
    ``names`` are the API's parameters in order.  True where no call can be read.
    """
    wanted = _given(known, names)
    read = [given for given in (_given(each, names) for each in sources) if given is not None]
    return wanted is None or not read or any(wanted <= given for given in read)


def keywords(source: str) -> frozenset[str]:
    """The arguments that a call gives by name; none where it cannot be read."""
    try:
        body = ast.parse(source, mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        return frozenset()
    given = body.keywords if isinstance(body, ast.Call) else ()
    return frozenset(each.arg for each in given if each.arg is not None)


def _given(source: str, names: Sequence[str]) -> frozenset[str] | None:
    """The parameters that a call gives, by name where that is known, else by number."""
    try:
        body = ast.parse(source, mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        return None
    if not isinstance(body, ast.Call) or isinstance(body.func, ast.Call):
        return None
    numbered = [*names, *(f"#{number}" for number in range(len(names), len(body.args)))]
    keywords = [each.arg for each in body.keywords if each.arg is not None]
    return frozenset([*numbered[: len(body.args)], *keywords])
