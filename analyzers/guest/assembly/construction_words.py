"""The words ``made`` and ``refuses``; a call that does more than compute is not made."""

from __future__ import annotations

import ast
import inspect
import re
from types import SimpleNamespace
from typing import Any, Dict, Optional

from ..inputs.exploration.postconditions import CompletedCall
from ..inputs.generation.call_scope import CallScope
from ..inputs.makers import MAKERS
from ..inputs.recipes import BadRecipe, CallRecipe, NameRecipe, Recipe, evaluate, parse, parts
from ..protocol.argument_decoding import Unusable

_ROOM = "torch.nn."
_NAMED = re.compile(r"torch\.nn\.(?:functional\.)?[A-Za-z]\w*\Z")


def constructor_argument(called: CompletedCall, name: str) -> Any:
    """Return what the argument ``name`` of the constructor was; raises ``Unusable`` if unknown."""
    arguments = _of_recipe(called) if called.recipe else dict(called.arguments)
    if name not in arguments:
        raise Unusable(f"nobody says what {name} was made with")
    return arguments[name]


def _of_recipe(called: CompletedCall) -> Dict[str, Any]:
    try:
        recipe = parse(called.recipe)
        if not isinstance(recipe, CallRecipe):
            return {}
        signature = inspect.signature(CallScope(called.namespace).value(recipe.function))
        bound = signature.bind(*recipe.arguments, **dict(recipe.keywords))
        given = {n: evaluate(each, called.namespace) for n, each in bound.arguments.items()}
    except (BadRecipe, TypeError, ValueError):
        return {}
    defaults = {name: each.default for name, each in signature.parameters.items()}
    return {**{n: d for n, d in defaults.items() if d is not inspect.Parameter.empty}, **given}


def accepts_call(called: CompletedCall, call: str) -> Optional[str]:
    """Return that a call of a layer is taken; ``None`` where it is refused.

    The call makes a layer of ``torch.nn``, and may call that: all its arguments are
    literals or tensors.  Raises ``Unusable`` for another call.
    """
    del called
    layer, inputs = _parts(call)
    try:
        recipes = [_checked(each) for each in (layer, *inputs)]
    except BadRecipe as error:
        raise Unusable(f"{call!r} is no call of a layer: {error}") from error
    try:
        built, *given = [evaluate(each, _library()) for each in recipes]
        if inputs:
            built(*given)
    except BadRecipe as error:
        raise Unusable(f"{call!r} is no call of a layer: {error}") from error
    except Exception:
        return None
    return f"{call} is taken"


def _checked(source: str) -> Recipe:
    """Return a recipe that calls only makers and layers of ``torch.nn``; raises ``BadRecipe``."""
    recipe = parse(source)
    for part in parts(recipe):
        if (
            isinstance(part, CallRecipe)
            and part.function not in MAKERS
            and not _is_layer(part.function)
        ):
            raise BadRecipe(f"{part.function} is no layer")
        if isinstance(part, NameRecipe) and _NAMED.match(part.dotted) is None:
            raise BadRecipe(f"{part.dotted} is nothing that a layer takes")
    return recipe


def _is_layer(dotted: str) -> bool:
    import torch

    room, _, name = dotted.rpartition(".")
    kind = getattr(torch.nn, name, None) if f"{room}." == _ROOM else None
    return isinstance(kind, type) and issubclass(kind, torch.nn.Module)


def _parts(call: str) -> Any:
    try:
        tree = ast.parse(call, mode="eval").body
    except (SyntaxError, ValueError) as error:
        raise Unusable(f"{call!r} is no call") from error
    if not isinstance(tree, ast.Call):
        raise Unusable(f"{call!r} is no call")
    inner = isinstance(tree.func, ast.Call)
    layer = ast.unparse(tree.func if inner else tree)
    if not layer.startswith(_ROOM) or (inner and tree.keywords):
        raise Unusable(f"{call!r} is no call of a layer of {_ROOM[:-1]}")
    return layer, [ast.unparse(each) for each in tree.args] if inner else []


def _library() -> Dict[str, Any]:
    import torch

    return {"torch": SimpleNamespace(nn=torch.nn)}
