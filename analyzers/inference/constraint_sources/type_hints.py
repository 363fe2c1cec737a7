"""Reads a type hint as a constraint."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from analyzers.guest.annotations.constraints import Constraint, Expression
from analyzers.guest.annotations.syntax import parse
from analyzers.inference.constraint_sources.module_scope import ModuleScope, dotted_name, scope_of
from analyzers.inference.constraints.constraint_builders import (
    NONE,
    build,
    one_of,
    optional,
    sequence,
    union_of,
)
from analyzers.inference.facts import (
    Confidence,
    ConstraintSource,
    Fact,
    FunctionContext,
    InferredConstraint,
    InferredRequirement,
    all_known,
)

from . import refined_hints
from .refined_hints import narrowed, only_arrays

Read = Callable[[ast.expr], Constraint | None]
_ENUMS = ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag")
_MODELS = ("BaseModel", "BaseSettings")
_DATACLASSES = ("dataclass", "dataclasses.dataclass", "attr.s", "attrs.define", "attr.dataclass")
_VALUES = {
    "torch.device": '{0}("cpu")',
    "torch.dtype": "{1}.float32",
    "numpy.random.Generator": "{1}.default_rng(0)",
    "numpy.random.RandomState": "{0}(0)",
}
"""Expressions for values of library classes: {0} is the class, {1} what it is in, as written."""


def known(dotted: str, written: str) -> Constraint | None:
    """The values of a library's class that can be written down; ``None`` for another class."""
    form = _VALUES.get(dotted)
    module = written.rpartition(".")[0]
    if form is None or ("{1}" in form and not module):
        return None
    return choice_of([form.format(written, module)])


def choice_of(sources: list[str]) -> Constraint:
    """One of the values of expressions, evaluated where the function is defined."""
    return build("froms", values=Expression(f"[{', '.join(sources)}]"))


def constraint_of(
    node: ast.ClassDef, scope: ModuleScope, name: str, read: Read, subject: FunctionContext
) -> tuple[Constraint, Confidence] | None:
    """The instances of a class of the project, by the name it has in the subject's file.

    ``None`` where they cannot be made: the name means something else there,
    or the constructor needs arguments of which nothing is known.
    """
    bases = [scope.dotted(base) for base in node.bases]
    words = {base.rpartition(".")[2] for base in bases}
    if "TypedDict" in words:
        fields = {
            each.target.id: read(each.annotation)
            for each in node.body
            if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
        }
        if not fields or any(found is None for found in fields.values()):
            return None
        given: dict[str, object] = dict(fields)
        return build("configs", **given), Confidence.LIKELY
    found = scope_of(subject).definition(name)
    if not (found is not None and found[0] is node):
        return None
    if words & set(_ENUMS):
        members = [f"{name}.{each}" for each in _members(node)]
        return (choice_of(members), Confidence.STRONG) if members else None
    if words & set(_MODELS) or _is_dataclass(node, scope):
        return build("configs", of=Expression(name)), Confidence.LIKELY
    return (choice_of([f"{name}()"]), Confidence.LIKELY) if _is_plain(node, bases) else None


def _members(node: ast.ClassDef) -> list[str]:
    return [
        target.id
        for each in node.body
        if isinstance(each, ast.Assign)
        for target in each.targets
        if isinstance(target, ast.Name) and not target.id.startswith("_")
    ]


def _is_dataclass(node: ast.ClassDef, scope: ModuleScope) -> bool:
    called = [each.func if isinstance(each, ast.Call) else each for each in node.decorator_list]
    return any(
        scope.dotted(each) in _DATACLASSES or dotted_name(each).rpartition(".")[2] == "dataclass"
        for each in called
    )


def _is_plain(node: ast.ClassDef, bases: list[str]) -> bool:
    """Return whether ``Class()`` makes one, as far as the class itself says.

    Abstract ones and those with a base that is not known to need nothing are not.
    """
    if any(base not in ("object", "torch.nn.Module") for base in bases):
        return False
    init = next(
        (
            each
            for each in node.body
            if isinstance(each, ast.FunctionDef) and each.name == "__init__"
        ),
        None,
    )
    if init is None:
        return bool(bases) or any(isinstance(each, ast.FunctionDef) for each in node.body)
    args = init.args
    needed = len(args.posonlyargs) + len(args.args) - 1 - len(args.defaults)
    return needed <= 0 and all(default is not None for default in args.kw_defaults)


_DEEP = 12
_GUESS, _LIKELY, _STRONG = Confidence.GUESS, Confidence.LIKELY, Confidence.STRONG


@dataclass(frozen=True, slots=True)
class HintedConstraint:
    """The constraint of a hint, its confidence, and conditions on the value (``Reader.VALUE``)."""

    constraint: Constraint
    confidence: Confidence
    conditions: tuple[str, ...] = ()


_PLAIN: dict[str, tuple[str, Confidence]] = {
    "int": ("ints()", _LIKELY),
    "float": ("floats()", _LIKELY),
    "bool": ("bools()", _STRONG),
    "str": ("strings()", _GUESS),
    "list": ("lists()", _GUESS),
    "dict": ("dicts()", _GUESS),
    "typing.List": ("lists()", _GUESS),
    "typing.Dict": ("dicts()", _GUESS),
    "None": ("froms([None])", _STRONG),
    "numbers.Number": ("anys(ints(), floats())", _LIKELY),
    "numbers.Real": ("anys(ints(), floats())", _LIKELY),
    "numbers.Integral": ("ints()", _LIKELY),
    "typing.Callable": ("callables()", _GUESS),
    "collections.abc.Callable": ("callables()", _GUESS),
    "os.PathLike": ("paths()", _GUESS),
    "pathlib.Path": ('paths(form="path")', _LIKELY),
    "torch.nn.Module": ("modules()", _LIKELY),
    "torch.optim.Optimizer": ("optimizers()", _LIKELY),
    "torch.optim.optimizer.Optimizer": ("optimizers()", _LIKELY),
    "PIL.Image.Image": ('images(form="pil")', _STRONG),
    "pydantic.PositiveInt": ("ints(min=1)", _STRONG),
    "pydantic.NonNegativeInt": ("ints(min=0)", _STRONG),
    "pydantic.NegativeInt": ("ints(max=-1)", _STRONG),
    "pydantic.NonPositiveInt": ("ints(max=0)", _STRONG),
    "pydantic.PositiveFloat": ("floats(min=0, exclude_min=True)", _STRONG),
    "pydantic.NonNegativeFloat": ("floats(min=0)", _STRONG),
    "pydantic.FilePath": ('paths(form="path")', _LIKELY),
    "pydantic.DirectoryPath": ('paths(kind="folder", form="path")', _LIKELY),
}
_SEQUENCES = {"list", "List", "Sequence", "MutableSequence", "Iterable", "Collection"}
_DICTS = {"dict", "Dict", "Mapping", "MutableMapping", "DefaultDict", "OrderedDict"}
_TYPING = ("typing", "typing_extensions", "collections.abc", "collections")
_TRANSPARENT = {"Final", "ClassVar", "Required", "NotRequired", "ReadOnly"}


class HintReader:
    """Reads the hints of a subject, in its file's scope or an imported one."""

    VALUE: ClassVar[str] = "__value__"

    def __init__(self, scope: ModuleScope, subject: FunctionContext, depth: int = _DEEP) -> None:
        self.scope = scope
        self.subject = subject
        self._depth = depth

    def read(self, node: ast.expr) -> HintedConstraint | None:
        """Return what a hint says; ``None`` where it says nothing that can be told in aN."""
        if self._depth == 0:
            return None
        if isinstance(node, ast.Constant):
            return self._constant(node)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return self.union([node.left, node.right])
        if isinstance(node, ast.Subscript):
            return self._subscript(node)
        if isinstance(node, ast.Call):
            bounds = refined_hints.called(self.scope.dotted(node.func), node, self.scope)
            return None if bounds is None else HintedConstraint(bounds, _STRONG)
        return self._named(node)

    def inside(self, scope: ModuleScope) -> HintReader:
        """A reader for what a name stands for."""
        return HintReader(scope, self.subject, self._depth - 1)

    def _constant(self, node: ast.Constant) -> HintedConstraint | None:
        if node.value is None:
            return HintedConstraint(one_of([None]), _STRONG)
        if not isinstance(node.value, str):
            return None
        try:
            inner = ast.parse(node.value.strip(), mode="eval").body
        except (SyntaxError, ValueError):
            return None
        return self.inside(self.scope).read(inner)

    def _named(self, node: ast.expr) -> HintedConstraint | None:
        dotted = self.scope.dotted(node)
        if dotted in _PLAIN:
            text, confidence = _PLAIN[dotted]
            return HintedConstraint(parse(text), confidence)
        array = refined_hints.named(dotted)
        if array is not None:
            return HintedConstraint(array, _LIKELY)
        special = known(dotted, dotted_name(node))
        if special is not None:
            return HintedConstraint(special, _LIKELY)
        return self._defined(node)

    def _defined(self, node: ast.expr) -> HintedConstraint | None:
        name = dotted_name(node)
        found = self.scope.definition(name) if name else None
        if found is None:
            return None
        defined, scope = found
        inner = self.inside(scope)
        if isinstance(defined, ast.ClassDef):
            made = constraint_of(defined, scope, name, inner.plainly, self.subject)
            return None if made is None else HintedConstraint(made[0], made[1])
        if isinstance(defined, ast.Call):
            return inner.declared(defined)
        return inner.read(defined) if isinstance(defined, ast.expr) else None

    def plainly(self, node: ast.expr) -> Constraint | None:
        """The constraint alone, for the fields of classes."""
        found = self.read(node)
        return None if found is None else found.constraint

    def declared(self, node: ast.Call) -> HintedConstraint | None:
        """``NewType("Name", base)`` and ``TypeVar("T", A, B, bound=C)``, or bounds by a call."""
        dotted = self.scope.dotted(node.func)
        if dotted.endswith("NewType") and len(node.args) == 2:
            return self.read(node.args[1])
        if dotted.endswith("TypeVar"):
            bound = [each.value for each in node.keywords if each.arg == "bound"]
            options = [*node.args[1:], *bound]
            return self.union(options) if options else None
        return self.read(node)

    def _subscript(self, node: ast.Subscript) -> HintedConstraint | None:
        dotted = self.scope.dotted(node.value)
        items = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
        module, _, word = dotted.rpartition(".")
        if module in _TYPING or (not module and word in ("list", "dict", "tuple", "set")):
            return self._generic(word, items)
        array = refined_hints.subscripted(dotted, items, self.scope)
        if array is not None:
            return HintedConstraint(array, _STRONG if refined_hints.is_precise(array) else _LIKELY)
        if word in ("DataLoader", "Dataset"):
            return self._named(node.value)
        return self._generic(word, items) if module == "beartype.typing" else None

    def _generic(self, word: str, items: list[ast.expr]) -> HintedConstraint | None:
        special: dict[str, Callable[[list[ast.expr]], HintedConstraint | None]] = {
            "Optional": self._optional,
            "Union": self.union,
            "Literal": self._choice,
            "Annotated": self._annotated,
            "Tuple": self._tuple,
            "tuple": self._tuple,
            "Callable": self._callable,
        }
        if word in special:
            return special[word](items)
        if word in _SEQUENCES:
            found = self.read(items[0])
            return HintedConstraint(sequence(None if found is None else found.constraint), _GUESS)
        if word in _DICTS and len(items) == 2:
            keys, values = (self.read(item) for item in items)
            made = build(
                "dicts",
                keys=None if keys is None else keys.constraint,
                values=None if values is None else values.constraint,
            )
            return HintedConstraint(made, _GUESS)
        return self.read(items[0]) if word in _TRANSPARENT else None

    def _optional(self, items: list[ast.expr]) -> HintedConstraint | None:
        return self.union([*items, ast.Constant(None)])

    def union(self, options: Sequence[ast.expr]) -> HintedConstraint | None:
        """The options that can be told; of several, the surer part is no surer than the rest."""
        read = [self.read(option) for option in options]
        found = [each for each in read if each is not None]
        told = [each for each in found if each.constraint != one_of([None])]
        if not told:
            return None
        confidence = min(each.confidence for each in told)
        made = union_of(each.constraint for each in told)
        if len(told) < len(found):
            made = optional(made)
        return HintedConstraint(made, confidence, told[0].conditions if len(told) == 1 else ())

    def _choice(self, items: list[ast.expr]) -> HintedConstraint | None:
        values: list[object] = []
        for item in items:
            try:
                values.append(self.scope.literal(item))
            except ValueError:
                return None
        return HintedConstraint(one_of(values), _STRONG) if values else None

    def _annotated(self, items: list[ast.expr]) -> HintedConstraint | None:
        base = self.read(items[0])
        if base is None:
            return None
        said = refined_hints.refined(base.constraint, items[1:], self.scope, self.VALUE)
        surer = _STRONG if said.precise else base.confidence
        return replace(
            base,
            constraint=said.constraint,
            confidence=surer,
            conditions=(*base.conditions, *said.conditions),
        )

    def _tuple(self, items: list[ast.expr]) -> HintedConstraint | None:
        if len(items) == 2 and isinstance(items[1], ast.Constant) and items[1].value is ...:
            item = self.read(items[0])
            if item is None:
                return None
            lengths = [build("tuples", elements=(item.constraint,) * size) for size in (1, 2, 3)]
            return HintedConstraint(union_of(lengths), _GUESS)
        known = all_known(map(self.read, items))
        if not known:
            return None
        elements = tuple(each.constraint for each in known)
        return HintedConstraint(
            build("tuples", elements=elements), min(each.confidence for each in known)
        )

    def _callable(self, items: list[ast.expr]) -> HintedConstraint | None:
        result = items[-1]
        if isinstance(result, ast.Constant) and result.value is None:
            return HintedConstraint(build("callables", returns=NONE), _LIKELY)
        found = self.read(result)
        returns = None if found is None else found.constraint
        return HintedConstraint(build("callables", returns=returns), _GUESS)


def facts(subject: FunctionContext) -> Iterator[Fact]:
    """A constraint for each hint that can be read.

    ``STRONG`` where the hint says which values are valid (a shape and dtype,
    a ``Literal``, bounds), ``LIKELY`` where it names a type whose values need
    not all be valid, ``GUESS`` for a string or a bare collection.
    """
    for arg in subject.parameters:
        if arg.annotation is None:
            continue
        reader = HintReader(scope_of(subject), subject)
        found = reader.read(arg.annotation)
        where = f"{subject.path}:{arg.lineno}"
        if found is not None:
            yield InferredConstraint(
                arg.arg, narrowed(found.constraint), ConstraintSource.HINT, found.confidence, where
            )
            for condition in found.conditions:
                source = condition.replace(HintReader.VALUE, arg.arg)
                yield InferredRequirement(source, ConstraintSource.HINT, Confidence.STRONG, where)


def returned_shape(subject: FunctionContext) -> Constraint | None:
    """Return what ``@returns`` would say where the return hint has shapes or dtypes of arrays.

    Plain types are left out: code returns a NumPy integer for an ``int``, and
    that is no failure.
    """
    node = subject.node.returns
    if node is None:
        return None
    found = HintReader(scope_of(subject), subject).read(node)
    if found is None or found.confidence < Confidence.STRONG:
        return None
    return only_arrays(found.constraint)


def read_hint(subject: FunctionContext, node: ast.expr) -> Constraint | None:
    """The constraint of any hint in a subject's file; ``None`` where it says nothing."""
    found = HintReader(scope_of(subject), subject).read(node)
    return None if found is None else narrowed(found.constraint)
