"""The calls of a function in the project's code, tests, documents and notebooks.

Each text is interpreted twice: every function by itself, with open parameters,
and then what runs without any (the module's own code, tests), where the calls
of the project's functions are followed to the one that is looked for.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from posixpath import basename
from typing import Any

from analyzers.guest.inputs.documented_examples import code_blocks, dedented
from analyzers.guest.runtime.notebook_source import code_of

from ..facts import ConstraintSource, FunctionContext, ProjectTexts, parse_module
from ..shape_interpreter.abstract_values import (
    UNKNOWN,
    CallEvent,
    CallFrame,
    Partial,
    ProjectClass,
    ProjectFunction,
    ProjectInstance,
)
from ..shape_interpreter.interpreter import Interpreter
from ..shape_interpreter.project_modules import ProjectModule, module_of
from .argument_values import constraint_text, recipe_text
from .default_values import defaults
from .module_scope import dotted_name

_LONGEST = 400_000
_RAISING = re.compile(r"^\s*Traceback \(most recent call last\)|doctest:\s*\+SKIP", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class PythonText:
    """One text as Python, on the lines on which it stands."""

    path: str
    tree: ast.Module
    source: ConstraintSource


def python_texts(
    subject: FunctionContext, word: str, among: Collection[str] = ()
) -> Iterator[PythonText]:
    """The texts that mention a word, and one of ``among`` if there are any."""
    for path, text in subject.sources.items():
        if among and not any(each in text for each in among):
            continue
        if word in text and len(text) < _LONGEST:
            tree = _tree(path, text)
            if tree is not None:
                yield PythonText(path, tree, source_kind(path))
            owner = "" if subject.owner is None else subject.owner.name
            shows = path in (subject.path, subject.home) and ">>> " in text and owner in text
            typed = _typed(text) if shows else None
            if typed is not None and all(each in _examples(text) for each in (word, owner)):
                yield PythonText(path, typed, ConstraintSource.DOCUMENT)


def source_kind(path: str) -> ConstraintSource:
    """Return what kind of text a path is."""
    if path.endswith((".md", ".rst", ".ipynb")):
        return ConstraintSource.DOCUMENT
    name = basename(path)
    is_test = name.startswith("test_") or name.endswith("_test.py") or "tests/" in f"/{path}"
    return ConstraintSource.TEST if is_test else ConstraintSource.CALL


@lru_cache(maxsize=256)
def _tree(path: str, text: str) -> ast.Module | None:
    if path.endswith(".py"):
        return parse_module(text)
    if path.endswith(".ipynb"):
        try:
            return parse_module(code_of(text))
        except (ValueError, AttributeError, TypeError, IndexError, KeyError):
            return None
    if path.endswith((".md", ".rst")):
        return parse_module(_blocks(text, ""))
    return None


@lru_cache(maxsize=256)
def _typed(text: str) -> ast.Module | None:
    """Return the examples in the docstrings of a file, behind the file's own imports."""
    whole, examples = parse_module(text), parse_module(_examples(text))
    if whole is None or examples is None or not examples.body:
        return None
    imports = [each for each in whole.body if isinstance(each, ast.Import | ast.ImportFrom)]
    return ast.Module([*imports, *examples.body], [])


@lru_cache(maxsize=256)
def _examples(text: str) -> str:
    return _blocks(text, ">>> ")


def _blocks(text: str, mark: str) -> str:
    """Return the Python blocks of a text with a mark in them, on the lines where they stand."""
    lines = text.split("\n")
    found = [""] * len(lines)
    for start, end in code_blocks(lines):
        block = dedented(lines[start:end])
        inside = "\n".join(lines[start:end])
        runs = mark in inside and not _RAISING.search(inside)
        if runs and parse_module("\n".join(block)) is not None:
            found[start:end] = block
    return "\n".join(found)


_MOST_SITES = 200
_MOST_LINES = 40
Definition = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class ProjectCallSite:
    """One call: what is known of its arguments, by parameter.

    ``recipes``: where all that is passed is known, and the call is certainly
    reached, the expressions that make it, by parameter and ``self``.  ``likely``: the
    same where the call may not be reached, or something optional in it is not known.
    """

    arguments: dict[str, Any]
    source: ConstraintSource
    where: str
    recipes: Mapping[str, str] | None = field(default=None, compare=False)
    likely: Mapping[str, str] | None = field(default=None, compare=False)


def project_call_sites(subject: FunctionContext) -> Sequence[ProjectCallSite]:
    """The calls of a subject, in the order of the files; of those alike one."""
    sources = subject.sources
    if not isinstance(sources, ProjectTexts):
        return _call_sites(subject)
    return sources.once(
        f"calls of {subject.path}::{subject.function}", lambda: _call_sites(subject)
    )


def _call_sites(subject: FunctionContext) -> list[ProjectCallSite]:
    named = subject.node.name
    word = subject.owner.name if named == "__init__" and subject.owner is not None else named
    if subject.owner is not None and named in ("forward", "call", "__call__"):
        word = subject.owner.name
    found: list[ProjectCallSite] = []
    for unit in python_texts(subject, word, _kinds(subject)):
        for site in [*_Reader(subject, unit).read(), *_Following(subject, unit).read()]:
            alike = [index for index, each in enumerate(found) if each == site]
            if not alike:
                found.append(site)
            elif site.recipes is not None or found[alike[0]].likely is None:
                found[alike[0]] = site
    return found[:_MOST_SITES]


def _kinds(subject: FunctionContext) -> set[str]:
    """Return the names of a method's class and of those that inherit from it."""
    if subject.owner is None:
        return set()
    found, waiting = set[str](), [subject.owner.name]
    while waiting:
        name = waiting.pop()
        found.add(name)
        derived = re.compile(rf"^\s*class (\w+)\([^)]*\b{name}\b", re.MULTILINE)
        texts = (text for text in subject.sources.values() if name in text)
        waiting += {each for text in texts for each in derived.findall(text)} - found
    return found


class _Reader:
    """Interprets one text, and notes the calls of the subject."""

    enters = False

    def __init__(self, subject: FunctionContext, unit: PythonText) -> None:
        self._subject = subject
        self._unit = unit
        self._module = module_of(unit.path, unit.tree, subject.sources)
        self._found: list[ProjectCallSite] = []
        self._refused = _refused(unit.tree)
        closed = subject.node if self.enters else None
        self._interpreter = Interpreter(enters=self.enters, watch=self._hear, closed=closed)

    def read(self) -> list[ProjectCallSite]:
        env: dict[str, Any] = {"__name__": "__main__"}
        if self._unit.source is ConstraintSource.DOCUMENT:
            home = module_of(self._subject.path, self._subject.tree, self._subject.sources)
            name = self._subject.function.partition(".")[0]
            if name not in self._module.names and name not in self._module.imports:
                env[name] = self._interpreter.lookup(name, home)
        self._interpreter.block(self._unit.tree.body, CallFrame(env, self._module))
        known = {
            name: value for name, value in env.items() if not isinstance(value, ProjectFunction)
        }
        for node, owner in _functions(self._unit.tree.body, None):
            for given in _parametrized(node):
                if self._wants(node, owner, given):
                    self._function(node, owner, {**known, **given})
        return self._found

    def _wants(
        self, node: Definition, owner: ast.ClassDef | None, given: Mapping[str, Any]
    ) -> bool:
        del node, owner, given
        return True

    def _function(self, node: Definition, owner: ast.ClassDef | None, env: dict[str, Any]) -> None:
        arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        of = ProjectClass(owner, self._module, owner.name) if owner is not None else None
        if of is not None and arguments:
            env[arguments[0].arg] = self._own(of, node)
        for each in arguments[1 if of is not None else 0 :]:
            if each.arg not in {name for given in _parametrized(node) for name in given}:
                fixture = _fixture(each.arg, self._module)
                env[each.arg] = (
                    self._interpreter.run(ProjectFunction(fixture, self._module, each.arg), (), {})
                    if fixture is not None
                    else UNKNOWN
                )
        self._interpreter.block(node.body, CallFrame(env, self._module, of))

    def _own(self, of: ProjectClass, node: Definition) -> ProjectInstance:
        made = ProjectInstance(of)
        for name in ("__init__", "setUp", "setup_method"):
            function = self._interpreter.attribute(made, name)
            if (
                isinstance(function, ProjectFunction)
                and name != node.name
                and isinstance(function.node, Definition)
            ):
                first = function.node.args.args[:1]
                env: dict[str, Any] = {each.arg: UNKNOWN for each in function.node.args.args}
                env |= {each.arg: made for each in first}
                self._interpreter.block(function.node.body, CallFrame(env, function.module, of))
        return made

    def _hear(self, event: CallEvent) -> None:
        function, args, kwargs = event.function, event.args, dict(event.kwargs)
        while isinstance(function, Partial):
            args, kwargs = (*function.args, *args), {**function.kwargs, **kwargs}
            function = function.function
        if "**" in kwargs or not self._looks_at(event) or not self._means(function):
            return
        holder = function.bound if isinstance(function, ProjectFunction) else function
        if (
            isinstance(function, ProjectFunction)
            and function.bound is None
            and self._subject.owner is not None
        ):
            args = args[1:] if not _is_static(self._subject.node) else args
        names = [each.arg for each in self._subject.parameters]
        given = {**dict(zip(names, args, strict=False)), **kwargs}
        given = {name: value for name, value in given.items() if name in names}
        arguments = {name: constraint_text(value) for name, value in given.items()}
        known = {name: value for name, value in arguments.items() if value is not None}
        recipes = self._recipes(given, holder) if len(given) == len(args) + len(kwargs) else None
        likely = self._made(given, holder) if recipes is None else None
        if known or recipes or likely:
            where = f"{event.path}:{event.node.lineno}"
            self._found.append(ProjectCallSite(known, self._unit.source, where, recipes, likely))

    def _looks_at(self, event: CallEvent) -> bool:
        return event.path == self._unit.path and event.node.lineno not in self._refused

    def _made(self, given: Mapping[str, Any], holder: Any) -> Mapping[str, str] | None:
        """Return the expressions that make what a call is given, but for what is optional."""
        found = {
            name: recipe_text(value, self._subject.path)
            for name, value in self._values(given, holder).items()
        }
        optional = {each.arg for each, _ in defaults(self._subject)}
        if any(text is None and name not in optional for name, text in found.items()):
            return None
        return {name: text for name, text in found.items() if text is not None}

    def _values(self, given: Mapping[str, Any], holder: Any) -> dict[str, Any]:
        """Return what a call is given, by parameter and ``self``."""
        subject = self._subject
        bound = subject.owner is not None and subject.node.name not in ("__init__", "__new__")
        return {**given, "self": holder} if bound and not _is_static(subject.node) else {**given}

    def _recipes(self, given: Mapping[str, Any], holder: Any) -> Mapping[str, str] | None:
        """Nothing that stands in a function with open parameters is known wholly."""
        del given, holder
        return None

    def _means(self, function: Any) -> bool:
        subject = self._subject
        owner, name = subject.owner, subject.node.name
        if isinstance(function, ProjectFunction):
            if subject.home and isinstance(function.bound, ProjectInstance):
                return function.node is subject.node and self._is_owner(function.bound.of)
            here = function.module.path == subject.path and function.name == subject.function
            return here or function.node is subject.node
        if owner is None:
            return False
        if isinstance(function, ProjectClass):
            return name == "__init__" and self._is_owner(function)
        if isinstance(function, ProjectInstance):
            return name in ("forward", "call", "__call__") and self._is_owner(function.of)
        return False

    def _is_owner(self, of: ProjectClass) -> bool:
        owner, name = self._subject.owner, self._subject.node.name
        for each in self._interpreter.lineage(of):
            if (
                owner is not None
                and each.name == owner.name
                and each.module.path == (self._subject.home or self._subject.path)
            ):
                return True
            if any(isinstance(s, ast.FunctionDef) and s.name == name for s in each.node.body):
                return False
        return False


class _Following(_Reader):
    """Interprets what runs by itself, and follows the project's functions from there."""

    enters = True

    def _wants(
        self, node: Definition, owner: ast.ClassDef | None, given: Mapping[str, Any]
    ) -> bool:
        spec = node.args
        named = [*spec.posonlyargs, *spec.args, *spec.kwonlyargs][1 if owner is not None else 0 :]
        open_ = [
            each.arg
            for each in named
            if each.arg not in given and _fixture(each.arg, self._module) is None
        ]
        doubtful = any("fail" in ast.unparse(each) for each in node.decorator_list)
        return not (open_ or spec.vararg or spec.kwarg or doubtful) and node.name != "__init__"

    def _looks_at(self, event: CallEvent) -> bool:
        """A function's calls of itself tell what it does, not what it is given."""
        node, line = self._subject.node, event.node.lineno
        body = (
            node.body[1 if ast.get_docstring(node, clean=False) is not None else 0 :] or node.body
        )
        inside = body[0].lineno <= line <= (node.end_lineno or node.lineno)
        if event.path == self._subject.path and inside:
            return False
        if event.path == self._unit.path and line in self._refused:
            return False
        return len(self._found) < _MOST_LINES

    def _recipes(self, given: Mapping[str, Any], holder: Any) -> Mapping[str, str] | None:
        ledger = self._interpreter.ledger
        if not ledger.is_certain or ledger.guessed or ledger.conflicts:
            return None
        values = self._values(given, holder)
        found = {name: recipe_text(value, self._subject.path) for name, value in values.items()}
        known = {name: text for name, text in found.items() if text is not None}
        return known if len(known) == len(found) else None


def _fixture(name: str, module: ProjectModule) -> Definition | None:
    node = module.names.get(name)
    if not isinstance(node, Definition) or node.args.args:
        return None
    said = any("fixture" in ast.unparse(each) for each in node.decorator_list)
    return node if said else None


@lru_cache(maxsize=256)
def _refused(tree: ast.Module) -> frozenset[int]:
    """Return the lines on which a failure is expected."""
    return frozenset(
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.With | ast.AsyncWith | ast.Call) and _expects_failure(node)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    )


def _expects_failure(node: ast.With | ast.AsyncWith | ast.Call) -> bool:
    if isinstance(node, ast.Call):
        return "raises" in ast.unparse(node.func).lower()
    said = [ast.unparse(item.context_expr).lower() for item in node.items]
    return any("raises" in each or "assertwarns" in each for each in said)


def _is_static(node: Definition) -> bool:
    return any(dotted_name(each) in ("staticmethod", "classmethod") for each in node.decorator_list)


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
    found: list[dict[str, Any]] = [{}]
    for each in node.decorator_list:
        if not isinstance(each, ast.Call) or len(each.args) < 2:
            continue
        if dotted_name(each.func).rpartition(".")[2] != "parametrize":
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
