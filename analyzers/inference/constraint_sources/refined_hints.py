"""Constraints from refined hints: metadata in ``Annotated``, and arrays with shapes and dtypes.

Arrays are written as plain classes and with numpy.typing, jaxtyping, torchtyping and nptyping.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from analyzers.guest.annotations.constraints import Argument, Constraint, Expression
from analyzers.guest.annotations.syntax import AnnotationError, parse
from analyzers.inference.constraint_sources.module_scope import ModuleScope, renamed
from analyzers.inference.constraints.constraint_builders import build, build_if_possible, literal
from analyzers.inference.constraints.dimensions import dims_of, rewritten
from analyzers.inference.constraints.lattice import ARRAYS, dtypes, dtypes_of, meet
from analyzers.inference.facts import all_known

_KEYWORDS: dict[str, dict[str, object]] = {
    "gt": {"min": None, "exclude_min": True},
    "ge": {"min": None},
    "lt": {"max": None, "exclude_max": True},
    "le": {"max": None},
    "multiple_of": {"multiple_of": None},
    "min_length": {"min_len": None},
    "max_length": {"max_len": None},
    "min_items": {"min_len": None},
    "max_items": {"max_len": None},
    "pattern": {"pattern": None},
}
"""What the words of pydantic and annotated_types are in aN; ``None`` is their value."""
_CLASSES = {
    "Gt": "gt", "Ge": "ge", "Lt": "lt", "Le": "le", "MultipleOf": "multiple_of",
    "MinLen": "min_length", "MaxLen": "max_length",
}  # fmt: skip
_CALLED = {"conint": "ints", "confloat": "floats", "constr": "strings", "conlist": "lists"}


@dataclass(frozen=True, slots=True)
class Refined:
    """A constraint with its metadata; ``precise`` where they bound the values."""

    constraint: Constraint
    precise: bool
    conditions: tuple[str, ...]


def refined(
    base: Constraint, items: Sequence[ast.expr], scope: ModuleScope, value_name: str
) -> Refined:
    """The constraint that metadata make of a base; what cannot be read changes nothing."""
    constraint, precise, conditions = base, False, []
    for item in items:
        condition = _condition(item, scope, value_name)
        if condition is not None:
            conditions.append(condition)
            continue
        bound = _bound(constraint, item, scope)
        met = meet(constraint, bound) if bound is not None else None
        if met is not None:
            constraint, precise = met, True
    return Refined(constraint, precise, tuple(conditions))


def called(dotted: str, node: ast.Call, scope: ModuleScope) -> Constraint | None:
    """Pydantic's ``conint(ge=1)`` and kin, where a hint is a call."""
    kind = _CALLED.get(dotted.rpartition(".")[2])
    if kind is None:
        return None
    base = build(kind)
    bound = _keywords(kind, node.keywords, scope)
    return base if bound is None else meet(base, bound)


def _bound(base: Constraint, item: ast.expr, scope: ModuleScope) -> Constraint | None:
    if isinstance(item, ast.Constant) and isinstance(item.value, str):
        return _text(base, item.value)
    if not isinstance(item, ast.Call):
        return None
    word = scope.dotted(item.func).rpartition(".")[2]
    if word in _CLASSES and item.args:
        return _keywords(base.kind, [ast.keyword(_CLASSES[word], item.args[0])], scope)
    if word == "Len" and item.args:
        names = ("min_length", "max_length")
        pairs = [ast.keyword(name, arg) for name, arg in zip(names, item.args, strict=False)]
        return _keywords(base.kind, pairs, scope)
    return _keywords(base.kind, item.keywords, scope)


def _keywords(kind: str, keywords: Sequence[ast.keyword], scope: ModuleScope) -> Constraint | None:
    said: dict[str, object] = {}
    for keyword in keywords:
        for name, value in _KEYWORDS.get(keyword.arg or "", {}).items():
            try:
                said[name] = scope.literal(keyword.value) if value is None else value
            except ValueError:
                return None
    if not said:
        return None
    if kind == "ints":
        lows, highs = said.pop("exclude_min", False), said.pop("exclude_max", False)
        said = {
            name: _stepped(name, value, bool(lows), bool(highs)) for name, value in said.items()
        }
    try:
        return build_if_possible(kind, **said)
    except (TypeError, ValueError):
        return None


def _stepped(name: str, value: object, above: bool, below: bool) -> object:  # noqa: FBT001
    if not isinstance(value, int):
        return value
    return value + (above and name == "min") - (below and name == "max")


def _text(base: Constraint, text: str) -> Constraint | None:
    if base.kind in ARRAYS:
        words = tuple(literal(int(word) if word.isdigit() else word) for word in text.split())
        return build_if_possible(base.kind, shape=words) if words else None
    try:
        return parse(text)
    except AnnotationError:
        return None


def _condition(item: ast.expr, scope: ModuleScope, value_name: str) -> str | None:
    """Beartype's ``Is[lambda x: x > 0]`` as a condition on the value."""
    if not (isinstance(item, ast.Subscript) and isinstance(item.slice, ast.Lambda)):
        return None
    if scope.dotted(item.value).rpartition(".")[2] != "Is" or len(item.slice.args.args) != 1:
        return None
    name = item.slice.args.args[0].arg
    return renamed(ast.unparse(item.slice.body), {name: value_name})


_PLAIN = {
    "torch.Tensor": "tensors",
    "torch.FloatTensor": "tensors float32",
    "torch.DoubleTensor": "tensors float64",
    "torch.HalfTensor": "tensors float16",
    "torch.LongTensor": "tensors int64",
    "torch.IntTensor": "tensors int32",
    "torch.ByteTensor": "tensors uint8",
    "torch.BoolTensor": "tensors bool",
    "torch.nn.Parameter": "tensors",
    "torch.nn.parameter.Parameter": "tensors",
    "numpy.ndarray": "np_arrays",
    "numpy.typing.NDArray": "np_arrays",
    "numpy.typing.ArrayLike": "np_arrays",
    "jax.Array": "jax_arrays",
    "jax.numpy.ndarray": "jax_arrays",
    "jax.numpy.Array": "jax_arrays",
    "jaxtyping.Array": "jax_arrays",
    "chex.Array": "jax_arrays",
    "jax.typing.ArrayLike": "jax_arrays",
    "jaxtyping.ArrayLike": "jax_arrays",
    "torchtyping.TensorType": "tensors",
}
FAMILIES = {
    "Float": ("float32", "float64", "float16", "bfloat16"),
    "Inexact": ("float32", "float64", "float16", "bfloat16", "complex64", "complex128"),
    "Int": ("int64", "int32", "int16", "int8"),
    "Integer": ("int64", "int32", "int16", "int8", "uint8"),
    "UInt": ("uint8", "uint16", "uint32", "uint64"),
    "Complex": ("complex64", "complex128"),
    "Bool": ("bool",),
    "Real": ("float32", "float64", "float16", "bfloat16", "int64", "int32", "uint8"),
    "Num": ("float32", "float64", "float16", "bfloat16", "int64", "int32", "uint8"),
    "Shaped": (),
}
"""The dtypes that jaxtyping's words allow; the first is what an argument gets."""
_DTYPE_WORDS = {
    "BFloat16": "bfloat16", "Float16": "float16", "Float32": "float32", "Float64": "float64",
    "Int8": "int8", "Int16": "int16", "Int32": "int32", "Int64": "int64", "UInt8": "uint8",
    "UInt16": "uint16", "UInt32": "uint32", "UInt64": "uint64", "Complex64": "complex64",
    "Complex128": "complex128",
}  # fmt: skip
_NUMPY_TYPES = {
    "floating": "float32", "float_": "float64", "float": "float64", "double": "float64",
    "single": "float32", "half": "float16", "integer": "int64", "int_": "int64", "int": "int64",
    "long": "int64", "signedinteger": "int64", "unsignedinteger": "uint8", "bool_": "bool",
    "number": "float32", "complexfloating": "complex64", "inexact": "float32",
}  # fmt: skip
_DTYPES = {*_DTYPE_WORDS.values(), "bool"}
_SIZE = re.compile(r"(?:[A-Za-z_]\w*=)?(\d+)")
_DIM = re.compile(r"\*?[A-Za-z_]\w*|\.\.\.|[\w+\-*/()]+")


def named(dotted: str) -> Constraint | None:
    """The arrays of a class by its full name; ``None`` for another class."""
    said = _PLAIN.get(dotted)
    if said is None:
        return None
    kind, _, dtype = said.partition(" ")
    return build(kind, dtype=dtype or None)


def dtype_named(dotted: str) -> str | None:
    """The dtype of a name such as ``numpy.float32`` or ``torch.long``; ``None`` for another."""
    word = dotted.rpartition(".")[2]
    if word in _DTYPES:
        return word
    return _NUMPY_TYPES.get(word)


def subscripted(dotted: str, items: list[ast.expr], scope: ModuleScope) -> Constraint | None:
    """The arrays of a hint with brackets, by the full name before them."""
    module, _, word = dotted.rpartition(".")
    if word in FAMILIES or word in _DTYPE_WORDS:
        return _jaxtyping(word, items, scope) if len(items) == 2 else None
    if word == "TensorType":
        return _tensor_type(items, scope)
    if module.startswith("nptyping") and word == "NDArray":
        dims: tuple[Expression, ...] | None = None
        first = items[0]
        if isinstance(first, ast.Subscript):
            text = first.slice.value if isinstance(first.slice, ast.Constant) else ""
            words = str(text).replace(",", " ").replace("*", "_")
            dims = _words(ast.Constant(words))
        word = scope.dotted(items[1]).rpartition(".")[2] if len(items) > 1 else ""
        family = FAMILIES.get(word, (_DTYPE_WORDS.get(word, ""),))
        return build_if_possible("np_arrays", dtype=_family(family), shape=dims)
    if dotted == "numpy.typing.NDArray" and items:
        return build("np_arrays", dtype=dtype_named(scope.dotted(items[0])))
    if dotted == "numpy.ndarray" and len(items) == 2:
        shape, dtype = items
        rank = None
        if isinstance(shape, ast.Subscript) and isinstance(shape.slice, ast.Tuple):
            elements = shape.slice.elts
            if not any(isinstance(each, ast.Constant) and each.value is ... for each in elements):
                rank = ("_",) * len(elements)
        name = None
        if isinstance(dtype, ast.Subscript):
            name = dtype_named(scope.dotted(dtype.slice))
        return build("np_arrays", dtype=name, shape=rank)
    return None


def is_precise(constraint: Constraint) -> bool:
    """Return whether a hint says the shape, without which arrays are of many kinds."""
    return constraint.kind in ARRAYS and constraint["shape"] is not None


def _jaxtyping(word: str, items: list[ast.expr], scope: ModuleScope) -> Constraint | None:
    base = _array_class(items[0], scope)
    shape = _words(items[1])
    if base is None or shape is None:
        return None
    family = FAMILIES.get(word, (_DTYPE_WORDS.get(word, ""),))
    inner = dims_of(base["shape"]) or ()
    return build_if_possible(
        base.kind,
        dtype=base["dtype"] or _family(family),
        shape=(*shape, *inner),
    )


def _array_class(node: ast.expr, scope: ModuleScope) -> Constraint | None:
    """The array class of ``Float[Tensor, ...]``, itself perhaps an alias with a shape."""
    plain = named(scope.dotted(node))
    if plain is not None:
        return plain
    if isinstance(node, ast.Subscript):
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return subscripted(scope.dotted(node.value), list(inner), scope)
    found = scope.definition(scope.dotted(node)) if scope.dotted(node) else None
    if found is None or not isinstance(found[0], ast.expr):
        return None
    return _array_class(found[0], found[1])


def _words(node: ast.expr) -> tuple[Expression, ...] | None:
    if isinstance(node, ast.JoinedStr):
        parts = [part.value if isinstance(part, ast.Constant) else "_" for part in node.values]
        node = ast.Constant("".join(str(part) for part in parts))
    if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
        return None
    words = re.sub(r"\{[^}]*\}", "_", node.value).split()
    known = all_known(map(_word, words))
    return None if known is None else tuple(known)


def _word(word: str) -> Expression | None:
    plain = word.replace("#", "").replace("?", "")
    size = _SIZE.fullmatch(plain)
    if size is not None:
        return literal(int(size[1]))
    if plain.startswith("*_") or plain == "*":
        return literal("...")
    if plain.startswith("_"):
        return literal("_")
    return literal(plain) if _DIM.fullmatch(plain) else None


def _tensor_type(items: list[ast.expr], scope: ModuleScope) -> Constraint | None:
    """torchtyping: ``TensorType["batch", "c": 3, float]``, ``TensorType[4, ...]``."""
    dims: list[object] = []
    dtype = None
    for item in map(_after_name, items):
        if isinstance(item, ast.Constant) and isinstance(item.value, (str, int)):
            dims += _words(ast.Constant(str(item.value))) or []
        elif isinstance(item, ast.Constant) and item.value is ...:
            dims.append("...")
        else:
            found = {"float": "float32"}.get(scope.dotted(item)) or dtype_named(scope.dotted(item))
            dtype = found or dtype
            if found is None:
                return None
    return build_if_possible("tensors", dtype=dtype, shape=tuple(dims))


def _after_name(item: ast.expr) -> ast.expr:
    """The size in ``"channels": 3``."""
    if not isinstance(item, ast.Slice):
        return item
    return item.upper if isinstance(item.upper, ast.Constant) else ast.Constant("_")


def _family(names: tuple[str, ...]) -> Argument | None:
    known = [name for name in names if name]
    return dtypes(known) if known else None


def narrowed(constraint: Constraint) -> Constraint:
    """The arrays of one dtype, where a hint allows a family: what an argument is made of."""
    return rewritten(constraint, lambda given: dtypes(dtypes_of(given)[:1] or ["float32"]), "dtype")


def only_arrays(constraint: Constraint) -> Constraint | None:
    """A constraint on results; ``None`` where a part of it says nothing of an array."""
    if constraint.kind in ARRAYS:
        return constraint
    if constraint.kind == "tuples":
        elements = constraint["elements"]
        parts = elements if isinstance(elements, tuple) else ()
        known = (isinstance(each, Constraint) and only_arrays(each) for each in parts)
        return constraint if parts and all(known) else None
    return None
