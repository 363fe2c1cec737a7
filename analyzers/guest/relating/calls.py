"""Calls of a library as text and as values, and from one to the other."""

from __future__ import annotations

import ast
from typing import Any, Callable, Optional, Tuple

from ..generation.recipes import (
    MOST_CHARACTERS,
    BadRecipe,
    Recipe,
    evaluate,
    parse,
)
from ..generation.recipes import Call as Called
from .libraries.library import Library
from .nouns import Call, Live


def made(call: Call, library: Library) -> Live:
    """A call with values of its own; raises ``LookupError`` for what is no API.

    Else raises what making them raises.
    """
    make = library.namespace
    return Live(
        call.api,
        library.function(call.api),
        [evaluate(item, make) for item in call.arguments],
        {name: evaluate(item, make) for name, item in call.keywords},
        None if call.inputs is None else [evaluate(item, make) for item in call.inputs],
    )


def copied(live: Live, library: Library) -> Live:
    """The same call with arrays of its own."""
    copy = library.copied
    return Live(
        live.api,
        live.function,
        [copy(item) for item in live.arguments],
        {name: copy(item) for name, item in live.keywords.items()},
        None if live.inputs is None else [copy(item) for item in live.inputs],
    )


def called(
    live: Live, library: Library, spelling: Optional[Callable[[Any], Recipe]] = None
) -> Call:
    """A call as text; raises :class:`BadRecipe` where it cannot be told.

    ``spelling`` says values otherwise than the library does.
    """
    say = spelling or library.spelled
    call = Call(
        live.api,
        tuple(say(item) for item in live.arguments),
        tuple((name, say(item)) for name, item in live.keywords.items()),
        None if live.inputs is None else tuple(say(item) for item in live.inputs),
    )
    if len(call.source()) > MOST_CHARACTERS:
        raise BadRecipe("the call is too long")
    return call


def read(source: str, library: Library) -> Call:
    """The call that a text is; raises :class:`BadRecipe`, also where nothing has that name.

    ``torch.nn.Softshrink(0.5)(torch.tensor([1.0]))`` is a layer and its inputs.
    """
    outer, inputs = _split(source)
    recipe = parse(outer)
    if not isinstance(recipe, Called):
        raise BadRecipe("it is no call")
    try:
        library.function(recipe.function)
    except LookupError as error:
        raise BadRecipe(f"there is no {recipe.function} to call") from error
    return Call(recipe.function, recipe.arguments, recipe.keywords, inputs)


def _split(source: str) -> Tuple[str, Any]:
    """The text of the call that makes a layer, and the inputs that follow it, if any."""
    if len(source) > MOST_CHARACTERS:
        raise BadRecipe(f"a call has at most {MOST_CHARACTERS} characters")
    try:
        node = ast.parse(source, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise BadRecipe(f"it cannot be parsed: {error}") from error
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Call):
        return source, None
    if node.keywords:
        raise BadRecipe("the inputs of a layer have no names")
    return ast.unparse(node.func), tuple(parse(ast.unparse(item)) for item in node.args)
