"""Variants of a valid call: something otherwise in it, for base to judge.

A call is known by the recipes of its arguments, those of the constructor apart
(``self.dim``).  Options take other values of their kind, sizes change wherever
they occur, and arrays get other elements, dtypes and strides.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from analyzers.inference.constraint_sources.default_values import defaults
from analyzers.inference.facts import FunctionContext
from analyzers.inference.function_contracts import CONSTRUCTOR

SELF = "self"
LARGEST = 12
"""Sizes above it are made smaller first: what is tried takes less time and reads better."""
_FACTORS = (64, 32, 16, 8, 4, 2)
_ARRAYS = frozenset({"tensor", "array", "jax_array"})
_MODULE = "module"
_FLOATS = ("float32", "float64", "float16", "bfloat16")
_MOST_WORDS, _MOST, _FEW = 6, 64, 2


@dataclass(frozen=True, slots=True)
class KnownCall:
    """A call: recipes by parameter, those of the constructor of ``owner`` as ``self.name``.

    ``changed`` are the parameters that differ from the call that it was made of;
    ``guessed``: nothing says that one of them takes such values.
    """

    given: Mapping[str, str]
    owner: str = ""
    changed: frozenset[str] = frozenset()
    guessed: bool = False

    @staticmethod
    def of(recipes: Mapping[str, str], constructor: FunctionContext | None) -> KnownCall:
        """Return a call of recipes by parameter and ``self``."""
        given = {name: text for name, text in recipes.items() if name != SELF}
        call = ast.parse(recipes.get(SELF, "None"), mode="eval").body
        if not isinstance(call, ast.Call):
            return KnownCall(dict(recipes))
        names = [each.arg for each in constructor.parameters] if constructor else []
        placed = dict(zip(names, call.args, strict=False))
        if len(placed) < len(call.args) or any(each.arg is None for each in call.keywords):
            return KnownCall(dict(recipes))
        named = {each.arg: each.value for each in call.keywords if each.arg is not None}
        inside = {CONSTRUCTOR + name: ast.unparse(each) for name, each in (placed | named).items()}
        return KnownCall({**inside, **given}, ast.unparse(call.func))

    def recipes(self) -> dict[str, str]:
        """Return the recipes by parameter and ``self``."""
        inside = [
            f"{name.removeprefix(CONSTRUCTOR)}={text}"
            for name, text in self.given.items()
            if name.startswith(CONSTRUCTOR)
        ]
        rest = {name: each for name, each in self.given.items() if not name.startswith(CONSTRUCTOR)}
        return {SELF: f"{self.owner}({', '.join(inside)})", **rest} if self.owner else rest

    def with_one(self, name: str, text: str, *, guessed: bool = False) -> KnownCall:
        """Return the call with another argument."""
        return replace(
            self,
            given={**self.given, name: text},
            changed=self.changed | {name},
            guessed=self.guessed or guessed,
        )


def smaller(call: KnownCall) -> Iterator[KnownCall]:
    """Yield the call with smaller sizes, smallest first, and itself at the end."""
    sizes = {size for text in call.given.values() for size in _sizes(_tree(text))}
    large = sorted(size for size in sizes if size > LARGEST)
    for factor in _FACTORS if large else ():
        parts = {size: max(1, size // factor) for size in large if size % factor == 0}
        least = {size: 5 for size in large if size not in parts and size > 2 * factor}
        if parts:
            yield _resized(call, parts | least)
            yield _resized(call, parts)
    yield call


def simpler(call: KnownCall, optional: Collection[str]) -> Iterator[KnownCall]:
    """Yield simpler forms of a call: without an optional argument, smaller, plainer."""
    for name in call.given.keys() & optional:
        kept = {each: text for each, text in call.given.items() if each != name}
        yield replace(call, given=kept)
    sizes = {size for text in call.given.values() for size in _sizes(_tree(text)) if size > 1}
    together = [dict.fromkeys(sizes, least) for least in (1, 2, 3)]
    together.append({size: size // 2 for size in sizes})
    together += [{size: other} for size in sizes for other in {1, 2, size // 2, size - 1, *sizes}]
    changed = [
        _resized(call, each, everywhere=everywhere)
        for each in together
        for everywhere in (True, False)
    ]
    for name, text in call.given.items():
        for each in _arrays(text)[:1]:
            plain: tuple[dict[str, int], ...] = ({}, {"fill": 0}, {"fill": 1}, {"seed": 1})
            texts = [_array_text(each, _dtype(each), **elements) for elements in plain]
            texts.append(ast.unparse(ast.Call(each.func, each.args[:1], [])))
            inside = [_Replaced(ast.unparse(each), other).visit(_tree(text)) for other in texts]
            changed += [call.with_one(name, ast.unparse(other)) for other in inside]
        changed += [call.with_one(name, other) for other in _plainer(_literal(_tree(text)))]
    yield from (each for each in changed if complexity(each) < complexity(call))


def _plainer(value: object) -> Iterator[str]:
    if isinstance(value, bool):
        return
    if isinstance(value, int | float):
        near = (0, 1, 2, value - 1, value // 2 if value == value // 1 else round(value, 1))
        yield from (repr(type(value)(each)) for each in near)
    elif isinstance(value, str | list | tuple):
        yield from (repr(value[:1]), repr(value[: len(value) // 2]))


def complexity(call: KnownCall) -> tuple[int, float]:
    """Return the length of a call as it is written, and the sum of the numbers in it."""
    nodes = [each for text in call.given.values() for each in ast.walk(_tree(text))]
    numbers = [each.value for each in nodes if isinstance(each, ast.Constant)]
    known = [abs(each) for each in numbers if isinstance(each, int | float)]
    return sum(map(len, call.recipes().values())), sum(known)


def with_random_elements(call: KnownCall) -> KnownCall:
    """Return the call with elements around zero in arrays that say nothing of theirs."""
    given = {name: ast.unparse(_Elements().visit(_tree(each))) for name, each in call.given.items()}
    return replace(call, given=given)


class Variants:
    """The variants of calls of one function, whose constructor is ``constructor``."""

    def __init__(
        self, subject: FunctionContext, constructor: FunctionContext | None, known: frozenset[str]
    ) -> None:
        options = {CONSTRUCTOR + arg.arg: value for arg, value in _defaults(constructor)}
        options |= {arg.arg: value for arg, value in _defaults(subject)}
        self._options = {name: value for name, value in options.items() if name in known}
        self._words = _words_of(subject.owner or subject.node)
        self._hints = {CONSTRUCTOR + name: hint for name, hint in _hints(constructor).items()}
        self._hints |= _hints(subject)

    def of(self, call: KnownCall) -> Iterator[KnownCall]:
        """Yield the calls with one thing otherwise: options, then sizes, then elements."""
        yield from self._with_options(call)
        yield from self._with_sizes(call)
        yield from self._with_elements(call)

    def _with_options(self, call: KnownCall) -> Iterator[KnownCall]:
        for name in sorted(self._options.keys() & call.given.keys()):
            kept = {each: text for each, text in call.given.items() if each != name}
            yield replace(call, given=kept, changed=call.changed | {name})
        plain = {name: ast.unparse(value) for name, value in self._options.items()}
        for name, text in {**plain, **call.given}.items():
            if name.startswith(CONSTRUCTOR) and not call.owner:
                continue
            for other, guessed in self._others(name, _tree(text), call):
                if other != text:
                    yield call.with_one(name, other, guessed=guessed)

    def _others(self, name: str, node: ast.expr, call: KnownCall) -> Iterator[tuple[str, bool]]:
        """Yield other values of an option, and whether nothing says that it takes them."""
        value = _literal(node)
        if value is None and isinstance(node, ast.Constant):
            yield from self._for_none(self._hints.get(name, ""), call)
        elif isinstance(value, bool):
            yield repr(not value), False
        elif isinstance(value, int):
            near = dict.fromkeys((value + 1, 2, 1, 3, 2 * value, value // 2, 0, -1))
            yield from ((repr(each), each < min(1, value)) for each in near if each <= _MOST)
        elif isinstance(value, float):
            near_it = dict.fromkeys((1.0, 0.5, 2 * value, value / 4, 0.0, -value))
            yield from ((repr(each), each < 0 <= value) for each in near_it)
        elif isinstance(value, str):
            words = [each for each in self._words if each != value][:_MOST_WORDS]
            yield from ((repr(each), False) for each in words)
        elif isinstance(value, tuple | list) and value:
            others = (type(value)(reversed(value)), value[:1], value[:-1])
            yield from ((repr(each), True) for each in others)

    def _for_none(self, hint: str, call: KnownCall) -> Iterator[tuple[str, bool]]:
        plain = {"bool": ("True",), "int": ("1", "2", "3"), "float": ("0.5", "1.0", "2.0")}
        for kind, texts in plain.items():
            if not hint or re.search(rf"\b{kind}\b", hint):
                yield from ((text, not hint) for text in texts)
        if not hint or re.search(r"Tensor|Array|ndarray", hint):
            yield from ((text, not hint) for text in _arrays_like(call))
        if re.search(r"\bstr\b|Literal", hint):
            yield from ((repr(each), False) for each in self._words[:_MOST_WORDS])

    def _with_sizes(self, call: KnownCall) -> Iterator[KnownCall]:
        sizes = dict.fromkeys(
            size for text in call.given.values() for each in _arrays(text) for size in _shape(each)
        )
        for size in sizes:
            for other in dict.fromkeys((1, size + 1, 0, 2 * size, 3)):
                if other != size:
                    yield _resized(call, {size: other})
                    yield _resized(call, {size: other}, everywhere=False)
        for equal in sizes:
            yield _resized(call, dict.fromkeys(sizes, equal))
        yield replace(_leading(call, lambda shape: shape[1:]), guessed=True)
        yield replace(_leading(call, lambda shape: (2, *shape)), guessed=True)
        yield one_row(call)
        yield _leading(call, lambda shape: (0, *shape[1:]))
        for name, text in call.given.items():
            for each in _arrays(text)[:1]:
                for place, size in enumerate(_shape(each)):
                    for other in (1, size + 1):
                        shape = list(_shape(each))
                        shape[place] = other
                        yield call.with_one(name, _with_shape(text, tuple(shape)))

    def _with_elements(self, call: KnownCall) -> Iterator[KnownCall]:
        for name, text in call.given.items():
            for each in _arrays(text)[:1]:
                for other in _elements(each):
                    inside = _Replaced(ast.unparse(each), other).visit(_tree(text))
                    guessed = _is_other_kind(each, other)
                    yield call.with_one(name, ast.unparse(inside), guessed=guessed)
        for elements in (call, _reseeded(call)):
            for dtype in _FLOATS:
                yield with_dtype(elements, dtype)
        yield from _with_modules(call)


def _defaults(subject: FunctionContext | None) -> list[tuple[ast.arg, ast.expr]]:
    return [] if subject is None else list(defaults(subject))


def _hints(subject: FunctionContext | None) -> dict[str, str]:
    parameters = () if subject is None else subject.parameters
    return {each.arg: ast.unparse(each.annotation) for each in parameters if each.annotation}


def _words_of(node: ast.AST) -> list[str]:
    """Return the strings with which code compares something, or which a hint lists."""
    found: dict[str, None] = {}
    for each in ast.walk(node):
        sides: Sequence[ast.expr] = ()
        if isinstance(each, ast.Compare):
            sides = (each.left, *each.comparators)
        elif isinstance(each, ast.Subscript) and ast.unparse(each.value).endswith("Literal"):
            sides = (each.slice,)
        elif isinstance(each, ast.MatchValue):
            sides = (each.value,)
        for side in sides:
            for inner in ast.walk(side):
                if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
                    found[inner.value] = None
    return list(found)


# --------------------------------------------------------------------- recipes


def _tree(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _literal(node: ast.expr) -> object:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError):
        return None


def _is_array(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in _ARRAYS
        and bool(node.args)
    )


def _arrays(text: str) -> list[ast.Call]:
    nodes = ast.walk(_tree(text))
    return [each for each in nodes if isinstance(each, ast.Call) and _is_array(each)]


def array_shape(text: str) -> tuple[int, ...] | None:
    """Return the shape of the array that a recipe makes; ``None`` for other recipes."""
    node = _tree(text) if text else None
    return _shape(node) if isinstance(node, ast.Call) and _is_array(node) else None


def _shape(array: ast.Call) -> tuple[int, ...]:
    found = _literal(array.args[0])
    return found if isinstance(found, tuple) else ()


def _sizes(node: ast.AST) -> Iterator[int]:
    """Yield the whole numbers in a recipe that may be sizes."""
    if isinstance(node, ast.Call) and _is_array(node):
        yield from _shape(node)
    elif isinstance(node, ast.Constant):
        if type(node.value) is int:
            yield node.value
    else:
        for each in ast.iter_child_nodes(node):
            yield from _sizes(each)


class _Sizes(ast.NodeTransformer):
    def __init__(self, sizes: Mapping[int, int]) -> None:
        self._sizes = sizes

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if _is_array(node):
            node.args[0] = self.visit(node.args[0])
            node.keywords = [each for each in node.keywords if each.arg != "at"]
            return node
        return self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if type(node.value) is int and node.value in self._sizes:
            return ast.Constant(self._sizes[node.value])
        return node


def _resized(call: KnownCall, sizes: Mapping[int, int], *, everywhere: bool = True) -> KnownCall:
    """Return the call with other sizes, ``everywhere`` or in arrays alone."""
    given: dict[str, str] = {}
    for name, text in call.given.items():
        node = _tree(text)
        among = everywhere or any(True for _ in _arrays(text))
        given[name] = ast.unparse(_Sizes(sizes).visit(node)) if among else text
    changed = {name for name, text in given.items() if text != call.given[name]}
    return replace(call, given=given, changed=call.changed | changed)


def _with_shape(text: str, shape: tuple[int, ...]) -> str:
    """Return a recipe whose first array has another shape."""
    node = _tree(text)
    array = next(each for each in ast.walk(node) if _is_array(each))
    assert isinstance(array, ast.Call)
    array.args[0] = _tree(repr(shape))
    array.keywords = [each for each in array.keywords if each.arg != "at"]
    return ast.unparse(node)


def _leading(call: KnownCall, shaped: Callable[[tuple[int, ...]], tuple[int, ...]]) -> KnownCall:
    """Return the call whose arrays with the first array's leading size have another there."""
    arrays = [each for text in call.given.values() for each in _arrays(text)]
    first = next((_shape(each)[0] for each in arrays if _shape(each)), None)
    given = dict(call.given)
    for name, text in call.given.items():
        shapes = [_shape(each) for each in _arrays(text)[:1]]
        if shapes and shapes[0] and shapes[0][0] == first:
            given[name] = _with_shape(text, shaped(shapes[0]))
    changed = {name for name, text in given.items() if text != call.given[name]}
    return replace(call, given=given, changed=call.changed | changed)


class _Elements(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        said = {each.arg for each in node.keywords}
        dtype = next((ast.unparse(e.value) for e in node.keywords if e.arg == "dtype"), "'float'")
        plain = len(node.args) == 1 and not said & {"seed", "fill", "at", "values"}
        if _is_array(node) and plain and "float" in dtype:
            node.keywords += _keywords(seed=1, low=-1, high=1)
            return node
        return self.generic_visit(node)


def _keywords(**given: object) -> list[ast.keyword]:
    return [ast.keyword(name, _tree(repr(value))) for name, value in given.items()]


def _array_text(array: ast.Call, dtype: str, **elements: object) -> str:
    kept = [each for each in array.keywords if each.arg in ("device",)]
    keywords = [*_keywords(dtype=dtype), *kept, *_keywords(**elements)]
    return ast.unparse(ast.Call(array.func, [array.args[0]], keywords))


def _dtype(array: ast.Call) -> str:
    said = [each.value for each in array.keywords if each.arg == "dtype"] + array.args[1:2]
    found = _literal(said[0]) if said else "float32"
    return found if isinstance(found, str) else "float32"


def _bounds(array: ast.Call) -> tuple[float, float]:
    given = {each.arg: _literal(each.value) for each in array.keywords}
    low, high = given.get("low", 0), given.get("high", 1)
    known = isinstance(low, int | float) and isinstance(high, int | float)
    return (low, high) if known else (0, 1)  # type: ignore[return-value]


def _elements(array: ast.Call) -> Iterator[str]:
    """Yield an array with other elements, dtype or strides."""
    dtype, shape, (low, high) = _dtype(array), _shape(array), _bounds(array)
    if dtype.startswith(("float", "bfloat")):
        for least, most in ((-1.0, 1.0), (0.0, 1.0), (-8.0, 8.0), (0.0, 100.0), (-1.0, -0.1)):
            yield _array_text(array, dtype, seed=2, low=least, high=most)
        yield _array_text(array, dtype, fill=0)
        yield _array_text(array, dtype, fill=1)
        if shape and all(shape):
            last = tuple(size - 1 for size in shape)
            yield _array_text(array, dtype, at={(0,) * len(shape): 30.0})
            yield _array_text(array, dtype, seed=3, low=-1, high=1, at={last: 50.0})
        for other in (*_FLOATS, "uint8", "int64"):
            ends = (0, 255) if other == "uint8" else (0, 9) if other == "int64" else (low, high)
            yield _array_text(array, other, seed=4, low=ends[0], high=ends[1])
        yield _array_text(array, dtype, seed=5, low=-1, high=1, contiguous=False)
        yield _array_text(array, dtype, seed=6, low=-1, high=1, requires_grad=True)
    elif dtype == "bool":
        yield _array_text(array, dtype, fill=True)
        yield _array_text(array, dtype, fill=False)
        for seed in (1, 2):
            yield _array_text(array, dtype, seed=seed)
    else:
        yield _array_text(array, dtype, fill=int(low))
        yield _array_text(array, dtype, fill=int(high))
        for seed in (1, 2):
            yield _array_text(array, dtype, seed=seed, low=int(low), high=int(max(high, low)))
        if high - low > _FEW:
            yield _array_text(array, dtype, seed=4, low=int(low), high=int(low) + _FEW)
        yield _array_text(array, "int32" if dtype == "int64" else "int64", seed=3, low=0, high=1)


class _Replaced(ast.NodeTransformer):
    """Puts an expression in the place of another."""

    def __init__(self, old: str, new: str) -> None:
        self._old, self._new = old, new

    def visit_Call(self, node: ast.Call) -> ast.AST:
        return _tree(self._new) if ast.unparse(node) == self._old else self.generic_visit(node)


def _is_other_kind(array: ast.Call, other: str) -> bool:
    """Return whether an array of whole numbers takes the place of one of floats."""
    there = _dtype(_arrays(other)[0])
    return "float" in _dtype(array) and "float" not in there


def one_row(call: KnownCall) -> KnownCall:
    """Return the call with the first row of its arrays alone."""
    return _leading(call, lambda shape: (1, *shape[1:]))


def with_dtype(call: KnownCall, dtype: str) -> KnownCall:
    """Return the call with all floating arrays of one dtype, and the same elements."""
    given = {name: ast.unparse(_Dtypes(dtype).visit(_tree(t))) for name, t in call.given.items()}
    changed = {name for name, text in given.items() if text != call.given[name]}
    return replace(call, given=given, changed=call.changed | changed)


def _with_modules(call: KnownCall) -> Iterator[KnownCall]:
    """Yield the call with other modules of ours: of another dtype, and with buffers."""
    made = [name for name, text in call.given.items() if f"{_MODULE}(" in text]
    for options in ({"dtype": "float64"}, {"dtype": "bfloat16"}, {"norm": True}):
        for names in dict.fromkeys((*((name,) for name in made), tuple(made))):
            given = {name: _with_module(call.given[name], options) for name in names}
            yield replace(call, given={**call.given, **given}, changed=call.changed | set(names))


def _with_module(text: str, options: Mapping[str, object]) -> str:
    tree = _tree(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == _MODULE:
            kept = [each for each in node.keywords if each.arg not in options]
            node.keywords = [*kept, *_keywords(**options)]
    return ast.unparse(tree)


def _reseeded(call: KnownCall) -> KnownCall:
    """Return the call with other elements in its floating arrays."""
    given = dict(call.given)
    for name, text in call.given.items():
        found = _arrays(text)
        if len(found) == 1 and _is_array(_tree(text)) and "float" in _dtype(found[0]):
            given[name] = _array_text(found[0], _dtype(found[0]), seed=7, low=-1, high=1)
    changed = {name for name, text in given.items() if text != call.given[name]}
    return replace(call, given=given, changed=call.changed | changed)


class _Dtypes(ast.NodeTransformer):
    """Gives floating arrays another dtype."""

    def __init__(self, dtype: str) -> None:
        self._dtype = dtype

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if not _is_array(node) or "float" not in _dtype(node):
            return self.generic_visit(node)
        kept = [each for each in node.keywords if each.arg != "dtype"]
        return ast.Call(node.func, node.args[:1], [*_keywords(dtype=self._dtype), *kept])


def _arrays_like(call: KnownCall) -> Iterator[str]:
    """Yield arrays that may go with those of a call: masks, weights and others of its shapes."""
    shapes: dict[tuple[int, ...], str] = {}
    for text in call.given.values():
        for each in _arrays(text):
            shapes.setdefault(_shape(each), ast.unparse(each.func))
    for shape, maker in list(shapes.items())[:2]:
        if not shape:
            continue
        for part in dict.fromkeys((shape[:-1], shape[:2], shape[:1], shape)):
            yield f"{maker}({part!r}, dtype='bool', seed=1)"
        for part in dict.fromkeys((shape, shape[-1:], shape[:-1])):
            yield f"{maker}({part!r}, dtype='float32', seed=1, low=0, high=1)"
        yield f"{maker}({shape[:1]!r}, dtype='int64', fill=1)"
