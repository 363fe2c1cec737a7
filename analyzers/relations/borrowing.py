"""What is known of one form of an operation, as calls of its other forms.

``x.lcm(y)``, ``torch.lcm(x, y)`` and what else the table holds to be of equal
value, argument by argument, share their kernel, so that what one is known for
is worth a trial of the other.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from analyzers.vocabulary import Divergence, Equivalence

Divergences = Callable[[Sequence[str]], Iterable[Divergence]]


def borrowed(
    equivalences: Iterable[Equivalence],
    divergences: Divergences,
    parameters: Mapping[str, Sequence[str]],
) -> Iterator[Divergence]:
    """What the forms of an API are known for, told of the API itself.

    Not what they are known for beside yet another form, which the API has for itself.
    """
    forms = [each for each in equivalences if each.kind == "value" and is_form(each, parameters)]
    for form in forms:
        for known in divergences([form.target]):
            call = renamed(known.call, form, parameters.get(form.source, ()))
            if known.relation != "value" and call is not None:
                yield replace(known, api=form.source, call=call)


def is_form(equivalence: Equivalence, parameters: Mapping[str, Sequence[str]]) -> bool:
    """Whether the target takes the source's arguments as they are, in their order."""
    if equivalence.target.endswith("_") != equivalence.source.endswith("_"):
        return False
    call = _call(equivalence.template)
    names = list(parameters.get(equivalence.source, ()))
    if call is None or not isinstance(call.func, ast.Attribute):
        return False
    given = [each.id for each in call.args if isinstance(each, ast.Name)]
    if len(given) != len(call.args) or given != names[: len(given)]:
        return False
    return all(
        isinstance(each.value, ast.Name) and each.value.id == each.arg for each in call.keywords
    )


def renamed(source: str, form: Equivalence, names: Sequence[str]) -> str | None:
    """A call of a form's target as one of its source; ``None`` where that has no such argument."""
    call = _call(source)
    if call is None or ast.unparse(call.func) != form.target or len(call.args) > len(names):
        return None
    if any(each.arg not in names for each in call.keywords):
        return None
    call.func = ast.Name(form.source, ast.Load())
    return ast.unparse(call)


def _call(source: str) -> ast.Call | None:
    try:
        body = ast.parse(source, mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        return None
    return body if isinstance(body, ast.Call) else None
