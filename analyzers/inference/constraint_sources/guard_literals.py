"""Constraints from one condition on one parameter."""

from __future__ import annotations

import ast
from collections.abc import Callable

from analyzers.guest.annotations.constraints import Constraint
from analyzers.inference.constraint_sources import parameter_uses, type_hints
from analyzers.inference.constraint_sources.module_scope import ModuleScope, dotted_name, scope_of
from analyzers.inference.constraints.constraint_builders import (
    build,
    build_if_possible,
    one_of,
    union_of,
)
from analyzers.inference.constraints.intervals import Interval
from analyzers.inference.facts import FunctionContext, all_known

Said = tuple[str, Constraint]
_MIRRORED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE, ast.Eq: ast.Eq,
    ast.NotEq: ast.NotEq, ast.Is: ast.Is, ast.IsNot: ast.IsNot,
}  # fmt: skip
_FILES = {
    "os.path.exists": {}, "os.path.isfile": {}, "os.path.isdir": {"kind": "folder"},
    "exists": {}, "is_file": {}, "is_dir": {"kind": "folder"},
}  # fmt: skip
_NAN = ("isnan", "isinf")


class GuardLiterals:
    """Translates conditions over the parameters of one subject."""

    def __init__(self, subject: FunctionContext) -> None:
        self._subject = subject
        self._scope: ModuleScope = scope_of(subject)
        self._names = frozenset(arg.arg for arg in subject.parameters)

    def said(self, node: ast.expr) -> Said | None:
        """The parameter and what the condition says of it; ``None`` where aN has no word for it."""
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            left, op, right = node.left, node.ops[0], node.comparators[0]
            said = self._sided(left, op, right)
            mirrored = _MIRRORED.get(type(op))
            return said or (self._sided(right, mirrored(), left) if mirrored else None)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = node.operand
            return (
                self._everywhere(inner, "any", deny=True) if isinstance(inner, ast.Call) else None
            )
        return self._called(node) if isinstance(node, ast.Call) else None

    def _sided(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> Said | None:
        if isinstance(left, ast.Call) and dotted_name(left.func) == "type" and len(left.args) == 1:
            name = self._parameter(left.args[0])
            typed = name is not None and isinstance(op, (ast.Is, ast.Eq, ast.In))
            return self._instance(name or "", right) if typed else None
        if isinstance(left, ast.Attribute) and left.attr == "dtype":
            name = self._parameter(left.value)
            single = isinstance(op, (ast.Eq, ast.Is))
            items = right.elts if isinstance(right, (ast.Tuple, ast.List, ast.Set)) else [right]
            if name is None or not (single or isinstance(op, ast.In)):
                return None
            words = [self._dtype_word(item) for item in items]
            found = [self._array(name, dtype=word) for word in words if word is not None]
            if not single and found:
                words = [str(each.value("dtype")) for each in found]
                return name, build(found[0].kind, dtype=one_of(words))
            return (name, found[0]) if found else None
        try:
            value = self._scope.literal(right)
        except ValueError:
            return None
        forms: tuple[Callable[[ast.expr, ast.cmpop, object], Said | None], ...] = (
            self._plain, self._length, self._shape, self._divided, self._extreme,
        )  # fmt: skip
        return next((said for form in forms if (said := form(left, op, value))), None)

    def _parameter(self, node: ast.expr) -> str | None:
        return node.id if isinstance(node, ast.Name) and node.id in self._names else None

    def _plain(self, left: ast.expr, op: ast.cmpop, value: object) -> Said | None:
        owner = _of_method(left, ("lower", "strip"))
        name = self._parameter(owner[0] if owner else left)
        if name is None:
            return None
        if isinstance(op, ast.In):
            values = list(value) if isinstance(value, (list, tuple, set, dict, frozenset)) else []
            if isinstance(value, (set, frozenset)):
                values.sort(key=repr)
            return (name, one_of(values)) if values else None
        if isinstance(op, (ast.Eq, ast.Is)):
            return name, one_of([value])
        within = interval(op, value)
        return None if within is None else (name, union_of(within.numbers()))

    def _length(self, left: ast.expr, op: ast.cmpop, value: object) -> Said | None:
        if not (isinstance(left, ast.Call) and dotted_name(left.func) == "len" and left.args):
            return None
        if isinstance(left.args[0], ast.Attribute) and left.args[0].attr == "shape":
            return self._rank(left.args[0].value, op, value)
        name, within = self._parameter(left.args[0]), interval(op, value)
        if name is None or within is None:
            return None
        low, high = _whole(within)
        sized = [
            build_if_possible(kind, min_len=low, max_len=high)
            for kind in ("lists", "strings", "dicts")
        ]
        known = [each for each in sized if each is not None]
        return (name, union_of(known)) if known else None

    def _rank(self, owner: ast.expr, op: ast.cmpop, value: object) -> Said | None:
        name = self._parameter(owner)
        values: list[object] = [value] if isinstance(op, ast.Eq) else []
        if isinstance(op, ast.In) and isinstance(value, (list, tuple, set)):
            values = [*sorted(each for each in value if isinstance(each, int))]
        shapes = [("_",) * each for each in values if isinstance(each, int)]
        if name is None or not shapes:
            return None
        return name, union_of(self._array(name, shape=shape) for shape in shapes)

    def _array(self, name: str, **given: object) -> Constraint:
        return build(parameter_uses.array_kind(self._subject, name) or "np_arrays", **given)

    def _shape(self, left: ast.expr, op: ast.cmpop, value: object) -> Said | None:
        """``x.ndim``, ``x.shape``, ``x.shape[i]`` and ``x.shape[i:]``."""
        if isinstance(left, ast.Attribute) and left.attr == "ndim":
            return self._rank(left.value, op, value)
        if isinstance(left, ast.Attribute) and left.attr == "shape":
            name = self._parameter(left.value)
            sizes = isinstance(op, ast.Eq) and isinstance(value, (tuple, list))
            return (name, self._array(name, shape=tuple(value))) if name and sizes else None  # type: ignore[arg-type]
        inside = left.value if isinstance(left, ast.Subscript) else None
        if not (isinstance(inside, ast.Attribute) and inside.attr == "shape"):
            return None
        name = self._parameter(inside.value)
        dims = _part(left, op, value) if isinstance(left, ast.Subscript) else None
        return (name, self._array(name, shape=dims)) if name and dims else None

    def _divided(self, left: ast.expr, op: ast.cmpop, value: object) -> Said | None:
        """``n % 8 == 0``."""
        if not (isinstance(left, ast.BinOp) and isinstance(left.op, ast.Mod)):
            return None
        name = self._parameter(left.left)
        by = self._scope.literal_or_none(left.right)
        whole = isinstance(op, ast.Eq) and value == 0 and isinstance(by, int) and by > 0
        return (name, build("ints", multiple_of=by)) if name and whole else None

    def _extreme(self, left: ast.expr, op: ast.cmpop, value: object) -> Said | None:
        """``x.min() >= 0`` and ``x.max() <= 1``."""
        owner = _of_method(left, ("min", "max", "amin", "amax"))
        name = self._parameter(owner[0]) if owner else None
        within = interval(op, value)
        if owner is None or name is None or within is None:
            return None
        right_way = within.low is not None if "min" in owner[1] else within.high is not None
        return (name, self._array(name, **within.arguments())) if right_way else None

    def _instance(self, name: str, types: ast.expr) -> Said | None:
        each = types.elts if isinstance(types, (ast.Tuple, ast.List, ast.Set)) else [types]
        known = all_known(type_hints.read_hint(self._subject, node) for node in each)
        return (name, union_of(known)) if known else None

    def _dtype_word(self, node: ast.expr) -> str | None:
        text = node.value if isinstance(node, ast.Constant) else self._scope.dotted(node)
        word = str(text).rpartition(".")[2]
        word = {"float": "float32", "long": "int64", "double": "float64", "half": "float16"}.get(
            word, word
        )
        return word if build_if_possible("tensors", dtype=word) else None

    def _called(self, node: ast.Call) -> Said | None:
        dotted = self._scope.dotted(node.func)
        name = self._parameter(node.args[0]) if node.args else None
        if dotted == "isinstance" and len(node.args) == 2 and name:
            return self._instance(name, node.args[1])
        if dotted == "callable" and name:
            return name, build("callables")
        if dotted in _FILES and name:
            return name, build("paths", **_FILES[dotted])
        if dotted.endswith("is_floating_point"):
            owner = _of_method(node, ("is_floating_point",))
            found = name or (self._parameter(owner[0]) if owner else None)
            return (found, build("tensors", dtype="float32")) if found else None
        owner = _of_method(node, ("exists", "is_file", "is_dir"))
        if owner is not None and (name := self._parameter(owner[0])):
            return name, build("paths", form="path", **_FILES[owner[1]])
        return self._everywhere(node, "all", deny=False)

    def _everywhere(self, node: ast.Call, word: str, *, deny: bool) -> Said | None:
        """A condition on all elements: ``(x >= 0).all()``, ``np.all(x >= 0)``."""
        owner = _of_method(node, (word,))
        inside = owner[0] if owner else None
        if isinstance(inside, ast.Call):
            called = dotted_name(inside.func).rpartition(".")[2]
            name = self._parameter(inside.args[0]) if inside.args else None
            fine = called in _NAN if deny else called == "isfinite"
            return (name, self._array(name, finite=True)) if name and fine else None
        if not (isinstance(inside, ast.Compare) and len(inside.ops) == 1):
            return None
        name = self._parameter(inside.left)
        within = interval(inside.ops[0], self._scope.literal_or_none(inside.comparators[0]))
        if deny and within is not None:
            within = _outside(within)
        return (name, self._array(name, **within.arguments())) if name and within else None


def interval(op: ast.cmpop, value: object) -> Interval | None:
    """The numbers that compare so with a value; ``None`` for no interval or no number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    made: dict[type[ast.cmpop], Interval] = {
        ast.Lt: Interval(high=value, open_high=True),
        ast.LtE: Interval(high=value),
        ast.Gt: Interval(low=value, open_low=True),
        ast.GtE: Interval(low=value),
        ast.Eq: Interval(low=value, high=value),
    }
    return made.get(type(op))


def _outside(within: Interval) -> Interval | None:
    if within.low is not None and within.high is None:
        return Interval(high=within.low, open_high=not within.open_low)
    if within.high is not None and within.low is None:
        return Interval(low=within.high, open_low=not within.open_high)
    return None


def _whole(within: Interval) -> tuple[int | None, int | None]:
    """The least and most of the integers in an interval, from 0."""
    found = within.ints()
    if found is None:
        return 1, 0
    low, high = found.value("min"), found.value("max")
    return (None if low is None else max(0, low)), high


def _of_method(node: ast.expr, words: tuple[str, ...]) -> tuple[ast.expr, str] | None:
    if not isinstance(node, ast.Call):
        return None
    if isinstance(node.func, ast.Attribute) and node.func.attr in words:
        if not node.args:
            return node.func.value, node.func.attr
        module = isinstance(node.func.value, ast.Name) and node.func.value.id in _MODULES
        return (node.args[0], node.func.attr) if module else None
    if isinstance(node.func, ast.Name) and node.func.id in ("any", "all") and node.args:
        return (node.args[0], node.func.id) if node.func.id in words else None
    return None


_MODULES = ("torch", "np", "numpy", "jnp", "tf")


def _part(left: ast.Subscript, op: ast.cmpop, value: object) -> tuple[object, ...] | None:
    """The shape of which one side, or its end, is said: ``x.shape[1]``, ``x.shape[-2:]``."""
    if isinstance(left.slice, ast.Slice):
        ends = isinstance(op, ast.Eq) and isinstance(value, (tuple, list)) and not left.slice.upper
        start = _index(left.slice.lower)
        if not ends or start is None or not isinstance(value, (tuple, list)):
            return None
        if start < 0:
            return ("...", *value) if -start == len(value) else None
        return (*("_",) * start, *value)
    place = _index(left.slice)
    side = _side(op, value)
    if place is None or side is None:
        return None
    if place >= 0:
        return (*("_",) * place, side, "...")
    return ("...", side, *("_",) * (-place - 1))


def _side(op: ast.cmpop, value: object) -> object | None:
    if isinstance(op, ast.In) and isinstance(value, (tuple, list, set)):
        sizes = sorted(each for each in value if isinstance(each, int))
        return one_of(sizes) if sizes else None
    within = interval(op, value)
    if within is None:
        return None
    return value if isinstance(op, ast.Eq) else within.ints()


def _index(node: ast.expr | None) -> int | None:
    try:
        value = ast.literal_eval(node) if node is not None else None
    except ValueError:
        return None
    return value if isinstance(value, int) else None
