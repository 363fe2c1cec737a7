"""Calls of the function in the project's code, its tests, its documents and notebooks.

Whatever stands around a call is interpreted as far as it can be: constants,
variables, loops, arrays that library functions make.  The values of one call
are valid as they are; what several have in common is likely to be.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from analyzers.guest.annotations.rendering import render

from .generalising import exact, widened
from .interpreting.interpreter import Interpreter
from .interpreting.machine import Event, Frame
from .interpreting.modules import Module, dotted, module_of
from .interpreting.values import (
    UNKNOWN,
    Among,
    Class,
    Function,
    Instance,
    Partial,
    Tensor,
)
from .nouns import Confidence, Fact, Inferred, Source, Subject
from .units import Unit, units
from .wording import array, constraint

_MOST_SITES = 200
Definition = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Site:
    """One call: what is known of its arguments, by parameter."""

    arguments: dict[str, Any]
    source: Source
    where: str


def facts(subject: Subject) -> Iterator[Fact]:
    """The values that calls give, and what they have in common."""
    found = list(sites(subject))
    for source in (Source.TEST, Source.CALL, Source.DOCUMENT):
        yield from _facts([each for each in found if each.source is source], source)


def _facts(found: Sequence[Site], source: Source) -> Iterator[Fact]:
    calls = [each.arguments for each in found]
    names = dict.fromkeys(name for call in calls for name in call)
    for name in names:
        seen = [each for each in found if name in each.arguments]
        values = exact([each.arguments[name] for each in seen])
        if values is not None:
            yield Inferred(name, values, source, Confidence.STRONG, seen[0].where)
    for name, found_, more in widened(calls):
        if exact([found_]) is None:
            where = next(each.where for each in found if name in each.arguments)
            sure = Confidence.LIKELY if more else Confidence.STRONG
            yield Inferred(name, found_, source, sure, where)


# -------------------------------------------------------------------- sites


def sites(subject: Subject) -> Iterator[Site]:
    """The calls of a subject, in the order of the files."""
    named = subject.node.name
    word = subject.owner.name if named == "__init__" and subject.owner is not None else named
    if subject.owner is not None and named in ("forward", "call", "__call__"):
        word = subject.owner.name
    count = 0
    for unit in units(subject, word):
        for site in _Reader(subject, unit).read():
            count += 1
            if count > _MOST_SITES:
                return
            yield site


class _Reader:
    """Interprets one text, and notes the calls of the subject."""

    def __init__(self, subject: Subject, unit: Unit) -> None:
        self._subject = subject
        self._unit = unit
        self._module = module_of(unit.path, unit.tree, subject.sources)
        self._found: dict[tuple[int, int, int], Site] = {}
        self._refused = frozenset(_refused(unit.tree))
        self._interpreter = Interpreter(enters=False, watch=self._hear)

    def read(self) -> list[Site]:
        """All calls of the subject."""
        env: dict[str, Any] = {}
        if self._unit.source is Source.DOCUMENT:
            env = self._bare()
        top = Frame(env, self._module)
        self._interpreter.block(self._unit.tree.body, top)
        known = {name: value for name, value in env.items() if not isinstance(value, Function)}
        for node, owner in _functions(self._unit.tree.body, None):
            for given in _parametrized(node):
                self._function(node, owner, {**known, **given})
        return list(self._found.values())

    def _bare(self) -> dict[str, Any]:
        """A document may use a name that it does not import."""
        home = module_of(self._subject.path, self._subject.tree, self._subject.sources)
        name = self._subject.function.partition(".")[0]
        taken = {*self._module.names, *self._module.imports}
        return {} if name in taken else {name: self._interpreter.lookup(name, home)}

    def _function(self, node: Definition, owner: ast.ClassDef | None, env: dict[str, Any]) -> None:
        arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        of = Class(owner, self._module, owner.name) if owner is not None else None
        if of is not None and arguments:
            env[arguments[0].arg] = self._own(of, node)
        for each in arguments[1 if of is not None else 0 :]:
            if each.arg not in _names_of(node):
                env[each.arg] = UNKNOWN
        self._interpreter.block(node.body, Frame(env, self._module, of))

    def _own(self, of: Class, node: Definition) -> Instance:
        """``self``, with what ``setUp`` or the constructor gives it."""
        made = Instance(of)
        for name in ("__init__", "setUp", "setup_method"):
            function = self._interpreter.attribute(made, name)
            if (
                isinstance(function, Function)
                and name != node.name
                and isinstance(function.node, Definition)
            ):
                first = function.node.args.args[:1]
                env: dict[str, Any] = {each.arg: UNKNOWN for each in function.node.args.args}
                env |= {each.arg: made for each in first}
                self._interpreter.block(function.node.body, Frame(env, function.module, of))
        return made

    # ---------------------------------------------------------------- events

    def _hear(self, event: Event) -> None:
        function, args, kwargs = event.function, event.args, dict(event.kwargs)
        while isinstance(function, Partial):
            args, kwargs = (*function.args, *args), {**function.kwargs, **kwargs}
            function = function.function
        if "**" in kwargs or event.path != self._unit.path or not self._means(function):
            return
        if event.node.lineno in self._refused:
            return
        if (
            isinstance(function, Function)
            and function.bound is None
            and self._subject.owner is not None
        ):
            args = args[1:] if not _is_static(self._subject.node) else args
        arguments = self._bound(args, kwargs)
        if arguments:
            key = (event.node.lineno, event.node.col_offset, len(self._found))
            where = f"{self._unit.path}:{event.node.lineno}"
            self._found[key] = Site(arguments, self._unit.source, where)

    def _means(self, function: Any) -> bool:
        """Whether what is called is the subject."""
        subject = self._subject
        owner, name = subject.owner, subject.node.name
        if isinstance(function, Function):
            return function.node is subject.node or self._same(function.module, function.name)
        if owner is None:
            return False
        if isinstance(function, Class):
            return name == "__init__" and self._is_owner(function)
        if isinstance(function, Instance):
            return name in ("forward", "call", "__call__") and self._is_owner(function.of)
        return False

    def _same(self, module: Module, name: str) -> bool:
        return module.path == self._subject.path and name == self._subject.function

    def _is_owner(self, of: Class) -> bool:
        """Whether a class is the subject's, or inherits the method from it."""
        owner, name = self._subject.owner, self._subject.node.name
        for each in self._interpreter.lineage(of):
            if (
                owner is not None
                and each.name == owner.name
                and each.module.path == self._subject.path
            ):
                return True
            if any(isinstance(s, ast.FunctionDef) and s.name == name for s in each.node.body):
                return False
        return False

    def _bound(self, args: Sequence[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
        names = [each.arg for each in self._subject.parameters]
        given = {**dict(zip(names, args, strict=False)), **kwargs}
        found = {name: described(value) for name, value in given.items() if name in names}
        return {name: value for name, value in found.items() if value is not None}


def _names_of(node: Definition) -> set[str]:
    """The parameters that ``parametrize`` gives."""
    return {name for given in _parametrized(node) for name in given}


def _refused(tree: ast.Module) -> Iterator[int]:
    """The lines of which a test says that they raise: their arguments are not valid."""
    for node in ast.walk(tree):
        if isinstance(node, ast.With | ast.AsyncWith):
            said = [ast.unparse(item.context_expr).lower() for item in node.items]
            if any("raises" in each or "assertwarns" in each for each in said):
                yield from range(node.lineno, (node.end_lineno or node.lineno) + 1)
        elif isinstance(node, ast.Call) and "raises" in ast.unparse(node.func).lower():
            yield from range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _is_static(node: Definition) -> bool:
    return any(dotted(each) in ("staticmethod", "classmethod") for each in node.decorator_list)


def _functions(
    body: Sequence[ast.stmt], owner: ast.ClassDef | None
) -> Iterator[tuple[Definition, ast.ClassDef | None]]:
    for statement in body:
        if isinstance(statement, Definition):
            yield statement, owner
            yield from _functions(statement.body, None)
        elif isinstance(statement, ast.ClassDef):
            yield from _functions(statement.body, statement)
        elif isinstance(statement, ast.If | ast.With | ast.Try | ast.For):
            yield from _functions(statement.body, owner)


def _parametrized(node: Definition) -> list[dict[str, Any]]:
    """The arguments that ``pytest.mark.parametrize`` gives, one set of them after the other."""
    found: list[dict[str, Any]] = [{}]
    for each in node.decorator_list:
        if not isinstance(each, ast.Call) or len(each.args) < 2:
            continue
        if (dotted(each.func) or "").rpartition(".")[2] != "parametrize":
            continue
        try:
            names, values = ast.literal_eval(each.args[0]), ast.literal_eval(each.args[1])
        except (ValueError, TypeError, SyntaxError, RecursionError):
            continue
        words = names.replace(",", " ").split() if isinstance(names, str) else list(names)
        rows = [value if len(words) > 1 else (value,) for value in values]
        sets = [dict(zip(words, row, strict=False)) for row in rows[:24]]
        found = [{**one, **other} for one in found for other in sets][:48]
    return found


# ------------------------------------------------------------------- values


def described(value: Any) -> Any:
    """A constraint that says what a value is; ``None`` where that is not known."""
    if isinstance(value, Tensor):
        return _array(value)
    if isinstance(value, Among):
        return constraint(f"froms({list(value.values)!r})")
    if _is_plain(value):
        text = repr(value)
        return constraint(f"froms([{text}])") if len(text) <= 500 else None
    if isinstance(value, list | tuple) and value and len(value) <= 8:
        return _several(value)
    return None


def _is_plain(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, list | tuple):
        return type(value) in (list, tuple) and all(_is_plain(each) for each in value)
    if isinstance(value, dict):
        return all(isinstance(k, str | int) and _is_plain(each) for k, each in value.items())
    return value is None or isinstance(value, bool | int | str)


def _several(value: Any) -> Any:
    inner = [described(each) for each in value]
    if any(each is None for each in inner):
        return None
    texts = [render(each) for each in inner]
    if isinstance(value, tuple):
        return constraint(f"tuples({', '.join(texts)})")
    if len(set(texts)) == 1:
        return constraint(f"lists({texts[0]}, min_len={len(texts)}, max_len={len(texts)})")
    return None


def _array(value: Tensor) -> Any:
    dims = value.shape.dims
    if dims is None or not all(isinstance(each, int) for each in dims):
        return None
    elements = value.elements
    more: dict[str, object] = {"dtype": elements.dtype}
    if isinstance(elements.low, int | float) and isinstance(elements.high, int | float):
        floating = elements.dtype is not None and elements.dtype.startswith(("float", "bfloat"))
        if not (floating and elements.low == elements.high):
            more |= {"min": elements.low, "max": elements.high}
    return constraint(array(value.kind, [str(each) for each in dims], more))
