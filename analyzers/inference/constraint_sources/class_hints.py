"""Classes as hints: dataclasses, models, typed dictionaries, enumerations, plain ones."""

from __future__ import annotations

import ast
from collections.abc import Callable

from analyzers.guest.annotations.constraints import Constraint, Expression
from analyzers.inference.constraint_sources.module_scope import ModuleScope, dotted_name, scope_of
from analyzers.inference.constraints.constraint_builders import build
from analyzers.inference.facts import Confidence, FunctionContext

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
    """Whether ``Class()`` makes one, as far as the class itself says.

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
