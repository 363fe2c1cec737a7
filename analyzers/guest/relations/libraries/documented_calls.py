"""Calls that documentation makes: its examples run, with the library's functions recorded."""

from __future__ import annotations

import ast
import builtins
import contextlib
import doctest
import io
import warnings
from types import ModuleType
from typing import Any, Callable, Dict, Generator, Iterator, List, Mapping, Optional, Tuple

from ...inputs.recipes import BadRecipe, Recipe
from ..relation_types import CallSource

_FORBIDDEN = ("open", "input", "exec", "eval", "compile", "breakpoint", "exit", "quit")
MOST_STATEMENTS = 80


class ExampleTracer:
    """Modules and functions that look like the library's and record what they are called with."""

    def __init__(
        self, named: Callable[[Any], Optional[str]], recipe_of: Callable[[Any], Recipe]
    ) -> None:
        self._named = named
        self._spelled = recipe_of
        self.calls: List[CallSource] = []

    def seen(self, value: Any) -> Any:
        """A value as an example sees it: modules and APIs record, all else is as it is."""
        if isinstance(value, ModuleType):
            return _Module(value, self)
        name = self._named(value) if callable(value) else None
        return value if name is None else _Function(value, name, self)

    def call(
        self, function: _Function, arguments: Tuple[Any, ...], keywords: Dict[str, Any]
    ) -> Any:
        """Call it; record it where it succeeds and text can say it."""
        call = self._call(function.name, arguments, keywords)
        result = function.inner(
            *map(_inner, arguments), **{key: _inner(value) for key, value in keywords.items()}
        )
        if call is not None:
            self.calls.append(call)
        return result

    def _call(
        self, name: str, arguments: Tuple[Any, ...], keywords: Dict[str, Any]
    ) -> Optional[CallSource]:
        try:
            return CallSource(
                name,
                tuple([self._spelled(item) for item in arguments]),
                tuple([(key, self._spelled(item)) for key, item in keywords.items()]),
            )
        except (BadRecipe, ValueError, TypeError):
            return None


class _Module:
    def __init__(self, inner: ModuleType, tracer: ExampleTracer) -> None:
        self._inner = inner
        self._tracer = tracer

    def __getattr__(self, name: str) -> Any:
        return self._tracer.seen(getattr(self._inner, name))


class _Function:
    """A function, with its attributes (``numpy.add.reduce``)."""

    def __init__(self, inner: Any, name: str, tracer: ExampleTracer) -> None:
        self.inner = inner
        self.name = name
        self._tracer = tracer

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self._tracer.call(self, arguments, keywords)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


def _inner(value: Any) -> Any:
    return value.inner if isinstance(value, _Function) else value


def calls_of(
    doc: str, names: Mapping[str, ModuleType], tracer: ExampleTracer
) -> Iterator[CallSource]:
    """The calls that the examples of a documentation make of the library, as they succeed.

    ``names`` are the modules that examples take for granted (``np``); imports
    give nothing but modules of the library, and files cannot be opened.
    """
    try:
        examples = doctest.DocTestParser().get_examples(doc)
    except ValueError:
        return
    scope = _scope(names, tracer)
    for example in examples[:MOST_STATEMENTS]:
        tracer.calls.clear()
        with _quietly(), contextlib.suppress(Exception):
            _check_short(example.source)
            exec(compile(example.source, "<example>", "single"), scope)
        yield from tracer.calls


def _check_short(source: str) -> None:
    """Loops in examples measure time."""
    if any(isinstance(node, (ast.For, ast.While)) for node in ast.walk(ast.parse(source))):
        raise BadRecipe("a loop")


def _scope(names: Mapping[str, ModuleType], tracer: ExampleTracer) -> Dict[str, Any]:
    roots = {module.__name__.split(".")[0] for module in names.values()}

    def imported(name: str, *rest: Any) -> Any:
        if name.split(".", maxsplit=1)[0] not in roots:
            raise ImportError(name)
        return tracer.seen(builtins.__import__(name, *rest))

    inside = {key: value for key, value in vars(builtins).items() if key not in _FORBIDDEN}
    scope = {name: tracer.seen(module) for name, module in names.items()}
    return {**scope, "__builtins__": {**inside, "__import__": imported}}


@contextlib.contextmanager
def _quietly() -> Generator[None]:
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
