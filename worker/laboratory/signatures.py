"""The same call on base, where a function's signature was another one.

An argument goes to the parameter of its name, or to one that only base has and
that stands at the same place.  One that base has nowhere is left out where
head has a default for it: without it base did what it did.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from analyzers.guest.annotations.reading import definitions
from analyzers.vocabulary import Argument, Made, Probe

T = TypeVar("T")

SELF = "self"
_CONSTRUCTORS = ("__init__", "__new__")


class Incomparable(Exception):  # noqa: N818 - a fact about two revisions
    """A call that base cannot take; says why."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """A function's parameters in order; ``optional`` are those with a default."""

    names: tuple[str, ...]
    optional: frozenset[str]
    takes_any: bool = False


class Signatures:
    """A function as two texts of its file define it, ``ours`` and ``theirs``."""

    def __init__(self, function: str, ours: str, theirs: str) -> None:
        self._owner = function.rpartition(".")[0]
        self._ours, self._theirs = _of(ours), _of(theirs)
        self._function = function

    def translated(self, probe: Probe) -> Probe:
        """The probe for ``theirs``; raises ``Incomparable``.

        One with inputs or answers stays what it is: the guest fits it.
        """
        if probe.inputs or probe.script:
            return probe
        pair = self._pair(self._function)
        arguments = dict(probe.arguments)
        instance = arguments.pop(SELF, None)
        if pair is not None:
            arguments = _translated(arguments, *pair)
        if instance is not None:
            arguments[SELF] = self._constructed(instance)
        return replace(probe, arguments=arguments)

    def alike(self) -> bool:
        """Return whether the function, and its class's constructor, take the same on both sides."""
        names = (self._function, *(f"{self._owner}.{name}" for name in _CONSTRUCTORS))
        return all(self._ours.get(name) == self._theirs.get(name) for name in names)

    def _constructed(self, instance: Argument) -> Argument:
        """The recipe of an instance with the arguments that its class took."""
        pair = next(filter(None, (self._pair(f"{self._owner}.{n}") for n in _CONSTRUCTORS)), None)
        call = _call_of(instance, self._owner)
        if pair is None or call is None:
            return instance
        given = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
        kept = _translated(given, *pair, placed=len(call.args))
        keywords = [ast.keyword(name, value) for name, value in kept.items()]
        return Made(ast.unparse(ast.Call(call.func, call.args, keywords)))

    def _pair(self, name: str) -> tuple[Parameters, Parameters] | None:
        ours, theirs = self._ours.get(name), self._theirs.get(name)
        return None if ours is None or theirs is None else (ours, theirs)


def _translated(
    given: Mapping[str, T], ours: Parameters, theirs: Parameters, placed: int = 0
) -> dict[str, T]:
    """Arguments by ``theirs``' names; ``placed`` more were given by their place."""
    found: dict[str, T] = {}
    for name, value in given.items():
        there = _there(name, ours, theirs)
        if there is not None:
            found[there] = value
        elif name not in ours.optional:
            raise Incomparable(f"`{name}` is no parameter there")
    fitted = {name for name in ours.names if name not in ours.optional and name not in given}
    wanted = (name for name in theirs.names[placed:] if name not in theirs.optional)
    lacking = [name for name in wanted if name not in found and name not in fitted]
    if lacking:
        raise Incomparable(f"`{lacking[0]}` has to be given there")
    return found


def _there(name: str, ours: Parameters, theirs: Parameters) -> str | None:
    """The parameter of ``theirs`` for one of ours; others (places) stay what they are."""
    if name not in ours.names or name in theirs.names or theirs.takes_any:
        return name
    place = ours.names.index(name)
    other = theirs.names[place] if place < len(theirs.names) else name
    renamed = other not in ours.names and len(ours.names) == len(theirs.names)
    return other if renamed else None


def _call_of(argument: Argument, owner: str) -> ast.Call | None:
    """The call of the class ``owner`` that a recipe is."""
    if not isinstance(argument, Made):
        return None
    body = ast.parse(argument.recipe, mode="eval").body
    is_call = isinstance(body, ast.Call) and ast.unparse(body.func) == owner
    return body if is_call and isinstance(body, ast.Call) else None


def _of(source: str) -> dict[str, Parameters]:
    """The parameters of all functions of a text, without those that methods are bound by."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return {}
    return {name: _parameters(node) for name, node in definitions(tree)}


def _parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Parameters:
    spec = node.args
    placed = [*spec.posonlyargs, *spec.args]
    defaults = placed[len(placed) - len(spec.defaults) :]
    named = [a for a, d in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if d is not None]
    names = [argument.arg for argument in (*placed, *spec.kwonlyargs)]
    bound = names[:1] if names[:1] in ([SELF], ["cls"]) else []
    return Parameters(
        tuple(names[len(bound) :]),
        frozenset(argument.arg for argument in (*defaults, *named)),
        takes_any=spec.kwarg is not None,
    )
