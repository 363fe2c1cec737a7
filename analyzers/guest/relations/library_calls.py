"""Calls of a library as text and as values, and from one to the other."""

from __future__ import annotations

import ast
import re
import warnings
from contextlib import suppress
from functools import lru_cache
from typing import Any, Callable, Iterable, Mapping, Optional, cast

from ..inputs.recipes import MOST_CHARACTERS, BadRecipe, Recipe, evaluate, parse
from ..inputs.recipes import CallRecipe as Called
from .relation_types import (
    CRASHED,
    EXCEPTION,
    SUCCESS,
    CallOutcome,
    CallSource,
    Library,
    LibraryApi,
    LiveCall,
)

MOST_TEXT = 200
_STACK = re.compile(r"Exception raised from|\nC\+\+ CapturedTraceback")
_INTERNAL = re.compile(r"INTERNAL ASSERT FAILED|please report a bug", re.IGNORECASE)


def outcome_of(function: Callable[[], Any], *, is_told: bool = True) -> tuple[CallOutcome, Any]:
    """Call it: how it ended, and its value (``None`` where it raised).

    Printing an array costs more than computing it: where ``is_told`` is false
    the outcome of a success has no text.

    An internal assertion that fails is a crash, though it comes as an exception.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = function()
    except Exception as error:
        return exception_outcome(error), None
    return success_outcome(value) if is_told else CallOutcome(SUCCESS, ""), value


def exception_outcome(error: BaseException) -> CallOutcome:
    """Return the outcome that an exception is, without the library's own stack below it."""
    name, message = type(error).__name__, ""
    with suppress(Exception):
        message = _STACK.split(str(error), maxsplit=1)[0]
    status = CRASHED if _INTERNAL.search(message) else EXCEPTION
    return CallOutcome(status, shortened(f"{name}: {message}" if message else name), name)


def success_outcome(value: Any) -> CallOutcome:
    """Return the outcome that a value is: arrays as the library prints them, on one line."""
    return CallOutcome(SUCCESS, format_value(value))


def format_value(value: Any) -> str:
    """Return a value as it prints itself, shortened, on one line."""
    try:
        return shortened(repr(value))
    except Exception:
        return f"a {type(value).__name__}"


def shortened(text: str) -> str:
    """Return a text on one line, of at most :data:`MOST_TEXT` characters."""
    line = " ".join(text.split())
    return line if len(line) <= MOST_TEXT else line[: MOST_TEXT - 1] + "…"


def apis_by_name(library: Library) -> Mapping[str, LibraryApi]:
    """Return the APIs of a library by their canonical names."""
    return _apis_by_name(cast("Any", library))


@lru_cache(maxsize=8)
def _apis_by_name(library: Any) -> Mapping[str, LibraryApi]:
    return {api.name: api for api in library.apis()}


def live_call(call: CallSource, library: Library) -> LiveCall:
    """Return a call with values of its own; raises ``LookupError``, or what making them raises."""
    make = library.namespace
    return LiveCall(
        call.api,
        library.function(call.api),
        [evaluate(item, make) for item in call.arguments],
        {name: evaluate(item, make) for name, item in call.keywords},
        None if call.inputs is None else [evaluate(item, make) for item in call.inputs],
    )


def made_calls(calls: Iterable[CallSource], library: Library) -> list[LiveCall]:
    """Return calls with values of their own; those that cannot be made are left out."""
    made = []
    for call in calls:
        with suppress(Exception):
            made.append(live_call(call, library))
    return made


def copy_call(live: LiveCall, library: Library) -> LiveCall:
    """Return the same call with arrays of its own."""
    copy = library.copied
    return LiveCall(
        live.api,
        live.function,
        [copy(item) for item in live.arguments],
        {name: copy(item) for name, item in live.keywords.items()},
        None if live.inputs is None else [copy(item) for item in live.inputs],
    )


def call_text(
    live: LiveCall, library: Library, spelling: Optional[Callable[[Any], Recipe]] = None
) -> CallSource:
    """Return a call as text; raises :class:`BadRecipe`."""
    say = spelling or library.recipe_of
    call = CallSource(
        live.api,
        tuple(say(item) for item in live.arguments),
        tuple((name, say(item)) for name, item in live.keywords.items()),
        None if live.inputs is None else tuple(say(item) for item in live.inputs),
    )
    if len(call.source()) > MOST_CHARACTERS:
        raise BadRecipe("the call is too long")
    return call


def parse_call(source: str, library: Library) -> CallSource:
    """Return the call of a text (``torch.nn.Softshrink(0.5)(x)``); raises :class:`BadRecipe`."""
    outer, inputs = _split(source)
    recipe = parse(outer)
    if not isinstance(recipe, Called):
        raise BadRecipe("it is no call")
    try:
        library.function(recipe.function)
    except LookupError as error:
        raise BadRecipe(f"there is no {recipe.function} to call") from error
    return CallSource(recipe.function, recipe.arguments, recipe.keywords, inputs)


def parsed_calls(texts: Iterable[str], library: Library) -> list[CallSource]:
    """Return the calls that texts are; texts that are none are left out."""
    found = []
    for text in texts:
        with suppress(Exception):
            found.append(parse_call(text, library))
    return found


def _split(source: str) -> tuple[str, Any]:
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


LONGEST = 4_000


def call_source(live: Optional[LiveCall], library: Library) -> str:
    """Return the source of a call; empty where it cannot be said, or is too long."""
    if live is None:
        return ""
    try:
        source = call_text(live, library).source()
    except (BadRecipe, RecursionError):
        return ""
    return source if len(source) <= LONGEST else ""
