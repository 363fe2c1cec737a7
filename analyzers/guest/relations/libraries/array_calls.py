"""Inputs made for functions that no example calls: by the names of their parameters."""

from __future__ import annotations

import ast
import builtins
import contextlib
import doctest
import io
import itertools
import warnings
from contextlib import suppress
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Callable, Generator, Iterator, Mapping, Optional, Sequence

from ...inputs.recipes import BadRecipe, DisplayRecipe, LiteralRecipe, Recipe, evaluate, literal
from ..relation_types import METHOD, ApiParameter, CallSource, LibraryApi, Namespace

_FORBIDDEN = ("open", "input", "exec", "eval", "compile", "breakpoint", "exit", "quit")
MOST_STATEMENTS = 80


class ExampleTracer:
    """Maker of modules and functions that look like the library's and record their calls."""

    def __init__(
        self, named: Callable[[Any], Optional[str]], recipe_of: Callable[[Any], Recipe]
    ) -> None:
        self._named = named
        self._spelled = recipe_of
        self.calls: list[CallSource] = []

    def seen(self, value: Any) -> Any:
        """Return a value as an example sees it: modules and APIs record, all else is as it is."""
        if isinstance(value, ModuleType):
            return _Module(value, self)
        name = self._named(value) if callable(value) else None
        return value if name is None else _Function(value, name, self)

    def call(
        self, function: _Function, arguments: tuple[Any, ...], keywords: dict[str, Any]
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
        self, name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]
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
    """Yield the calls that the examples of a documentation make of the library, as they succeed.

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
            nodes = ast.walk(ast.parse(example.source))
            if any(isinstance(node, (ast.For, ast.While)) for node in nodes):
                continue  # loops measure time
            exec(compile(example.source, "<example>", "single"), scope)
        yield from tracer.calls


def _scope(names: Mapping[str, ModuleType], tracer: ExampleTracer) -> dict[str, Any]:
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


Array = Callable[[Any, str], Recipe]
"""Makes the recipe of an array from nested lists and the name of a dtype."""

_INTS: dict[str, tuple[int, ...]] = {
    "axis1": (0,),
    "axis2": (1,),
    "dim0": (0,),
    "source": (0,),
    "destination": (1,),
    "start": (0, 1),
    "stop": (5,),
    "num": (3,),
}
_COUNTS = frozenset(
    (
        *("n", "k", "N", "M", "m", "num_classes", "depth", "decimals", "deg", "repeats", "shift"),
        *("axis", "axes", "dimension", "rank", "size", "sections", "ndim", "offset", "length"),
        *("width", "num_segments", "block_size", "begin", "window"),
    )
)
_SHAPES = ("shape", "newshape", "new_shape", "new_sizes", "output_shape", "dimensions", "sizes")
_SEQUENCES = ("arrays", "tup", "xs", "arys", "inputs", "operands", "seq", "array_list", "tensors")
_WORDS: dict[str, tuple[Any, ...]] = {
    "subscripts": ("ij,ij->j", "ij->ji"),
    "pattern": ("a b -> b a",),
    "q": (0.25, [0.2, 0.5]),
    "reps": (2, (2, 1)),
    "pad_width": (1, ((1, 0), (0, 2))),
    "indices_or_sections": (1, 2, [1]),
    "permutation": ((1, 0),),
    "keepdims": (True,),
    "axis": (0, 1, -1, None),
    "axes": ((0, 1),),
    "ddof": (1,),
    "k": (1, -1),
    "mode": ("same", "wrap"),
    "side": ("right",),
    "exponent": (2,),
    "dtype": ("float32",),
}
_OPTIONAL = ("axis", "keepdims", "ddof", "k", "axes", "side", "offset", "decimals", "descending")


@dataclass(frozen=True)
class CallLimits:
    """Numbers of calls of one function that are tried, and that are kept of those that succeed."""

    tried: int = 60
    kept: int = 8


@dataclass(frozen=True)
class ArrayProfile:
    """Arrays for a call."""

    first: Recipe
    second: Recipe
    indices: Recipe
    mask: Recipe


def profiles(array: Array) -> tuple[ArrayProfile, ...]:
    """Return matrices, vectors, integers, bools, scalars, stacks and empty arrays."""
    indices, mask = array([1, 0], "int32"), array([True, False], "bool")
    pairs: tuple[tuple[Any, Any, str], ...] = (
        ([[4.0, 1.5], [1.5, 3.0]], [[0.5, -1.0], [2.0, 1.0]], "float32"),
        ([0.5, -1.25, 2.0, 2.0], [1.0, 3.0, -2.0, 0.25], "float32"),
        ([3, 1, 2, 0], [1, 2, 2, 3], "int32"),
        ([[True, False], [True, True]], [[False, False], [True, False]], "bool"),
        (0.75, 0.5, "float32"),
        ([[[1.0, 2.0], [3.0, 5.0]]], [[[1.0, 0.0], [0.5, 2.0]]], "float32"),
        ([[[[1.0, 2.0], [3.0, -4.0]]]], [[[[0.5]]]], "float32"),
        ([float("nan"), float("inf"), -0.0, 1.0], [1.0, 2.0, 3.0, 4.0], "float32"),
        ([[2, 1], [1, 3]], [[1, 0], [1, 1]], "int32"),
        ([1.0, 2.0, 3.0], [0.0, 1.0, 0.5], "float32"),
        ([], [], "float32"),
    )
    return tuple(
        ArrayProfile(array(first, dtype), array(second, dtype), indices, mask)
        for first, second, dtype in pairs
    )


def calls_for(
    api: LibraryApi, made: Sequence[ArrayProfile], limits: CallLimits
) -> Iterator[CallSource]:
    """Calls of a function that may succeed, those with as few arguments as it needs first."""
    return itertools.islice(_calls(api, made), limits.tried)


def succeeds(call: CallSource, function: Any, namespace: Namespace) -> bool:
    """Return whether a call returns something."""
    with suppress(Exception), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        arguments = [evaluate(item, namespace) for item in call.arguments]
        keywords = {name: evaluate(item, namespace) for name, item in call.keywords}
        function(*arguments, **keywords)
        return True
    return False


def _calls(api: LibraryApi, made: Sequence[ArrayProfile]) -> Iterator[CallSource]:
    for profile in made:
        yield from itertools.islice(_bare(api, profile), 6)
    for profile in made[:3]:
        base = next(_bare(api, profile), None)
        if base is not None:
            yield from _with_options(api, base)


def _bare(api: LibraryApi, profile: ArrayProfile) -> Iterator[CallSource]:
    required = [item for item in api.parameters if item.required or item.name.startswith("*")]
    values = [_values(item, at, api, profile) for at, item in enumerate(required)]
    for chosen in itertools.product(*values):
        places = list(zip(required, chosen))
        yield CallSource(
            api.name,
            tuple(value for item, value in places if not item.keyword_only),
            tuple((item.name, value) for item, value in places if item.keyword_only),
        )


def _with_options(api: LibraryApi, base: CallSource) -> Iterator[CallSource]:
    for item in api.parameters:
        if not item.required and item.name in _OPTIONAL:
            for value in _WORDS.get(item.name, (1, True)):
                yield CallSource(
                    api.name, base.arguments, (*base.keywords, (item.name, literal(value)))
                )


def _values(item: ApiParameter, at: int, api: LibraryApi, profile: ArrayProfile) -> list[Recipe]:
    name = item.name.lstrip("*")
    if at == 0 and (api.kind == METHOD or name in ("a", "x", "arr", "m")):
        return [profile.first]
    for known in (_plain, _of_arrays):
        found = known(name, profile)
        if found is not None:
            return found
    return [profile.first if at == 0 else profile.second, profile.first, LiteralRecipe(2)]


def _plain(name: str, _profile: ArrayProfile) -> Optional[list[Recipe]]:
    if name in _SHAPES:
        return [literal((2, 2)), literal((4,)), literal((1, 2, 2))]
    values: Sequence[Any] = _WORDS.get(name) or _INTS.get(name) or ()
    if not values and name in _COUNTS:
        values = (1, 2, 0)
    return [literal(value) for value in values] or None


def _of_arrays(name: str, profile: ArrayProfile) -> Optional[list[Recipe]]:
    first, second = profile.first, profile.second
    if name in _SEQUENCES:
        return [DisplayRecipe("list", (first, second)), first]
    if name in ("indices", "index", "idx", "segment_ids", "ids"):
        return [profile.indices, first, LiteralRecipe(1)]
    if name in ("condition", "mask", "pred"):
        return [profile.mask, first, LiteralRecipe(1)]
    return None
