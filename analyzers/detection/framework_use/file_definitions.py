"""One parsed file: its functions and classes, and what binds its names.

A function inside another belongs to the outermost one around it.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from analyzers.detection.python_syntax import MAIN, MODULE
from analyzers.guest.annotations.annotation_reader import PACKAGE, read
from analyzers.guest.annotations.constraints import Annotations
from analyzers.guest.provenance.placeholders import is_placeholder, last_name

_SAID = re.compile(
    r"^[ \t]*#+[ \t]*@[ \t]*(?:arg|require|ensure|returns|generator|exclude|timeout|cc_example"
    r"|module_test)\b",
    re.MULTILINE,
)
_MEANT = re.compile(r"@\s*(?:arg|require|ensure|timeout|cc_example)\s*\(")
_GENERATOR = re.compile(r"objs\(\s*([A-Za-z_]\w*)")


@dataclass(frozen=True, slots=True)
class AnnotatedFunctions:
    """The annotations of one file, by qualified names of functions.

    ``generators`` are the functions that draw values for each function's
    arguments.  ``kept_out`` are not to be tested: generators and what is
    excluded.
    """

    functions: frozenset[str] = frozenset()
    kept_out: frozenset[str] = frozenset()
    generators: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    texts: dict[str, str] = field(default_factory=dict[str, str])
    module_test: bool = False

    def __bool__(self) -> bool:
        return bool(self.functions or self.kept_out or self.module_test)


def mentions_annotations(source: str) -> bool:
    """Return whether a text may carry annotations, told without parsing it."""
    return ("@" in source and _SAID.search(source) is not None) or PACKAGE in source


def file_annotations(source: str) -> AnnotatedFunctions:
    """Return what a file's annotations say; nothing where Python 3 cannot parse it."""
    if not mentions_annotations(source):
        return AnnotatedFunctions()
    try:
        known = read(source.removeprefix("\ufeff"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return AnnotatedFunctions()
    meant = {p.function for p in known.problems if _MEANT.match(p.annotation)}
    kept_out = {name for name, each in known.functions.items() if each.exclude or each.generator}
    functions = {name for name, each in known.functions.items() if each} | meant
    return AnnotatedFunctions(
        functions=frozenset(functions - kept_out),
        kept_out=frozenset(kept_out),
        generators={
            name: frozenset(found for arg in each.args for found in _GENERATOR.findall(arg.text))
            for name, each in known.functions.items()
        },
        texts={name: "\n".join(_texts(each)) for name, each in known.functions.items()},
        module_test=known.module_test,
    )


def changed_annotations(head: AnnotatedFunctions, base: AnnotatedFunctions) -> frozenset[str]:
    """The functions whose annotations differ."""
    return frozenset(
        name for name in head.functions if head.texts.get(name) != base.texts.get(name)
    )


def _texts(known: Annotations) -> Iterator[str]:
    yield from (arg.text for arg in known.args)
    yield from (clause.source for clause in (*known.requires, *known.ensures))
    yield repr((known.returns, known.timeout, known.cc_examples))


FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
Definition = ast.FunctionDef | ast.AsyncFunctionDef
LOCALS = ".<locals>."
_GUARDS = ("__name__ == '__main__'", "'__main__' == __name__")


@dataclass(eq=False, slots=True)
class CodeUnit:
    """An outermost function, a method, or the code of a file outside functions.

    ``owner`` is the qualified name of the class whose method it is.  Of a method that a
    class inherits, ``definition`` is the one in the base class.
    """

    path: str
    name: str
    body: Sequence[ast.stmt]
    node: Definition | None = None
    owner: str | None = None
    definition: CodeUnit | None = None

    @property
    def id(self) -> str:
        """``path::Qualified.name``."""
        return f"{self.path}::{self.name}"

    @property
    def decorators(self) -> frozenset[str]:
        """The last names of the decorators."""
        found = self.node.decorator_list if self.node else ()
        return frozenset(last_name(each) for each in found)

    @property
    def is_placeholder(self) -> bool:
        """Return whether it does nothing: abstract, an overload, or without statements."""
        return self.node is not None and is_placeholder(self.node)


@dataclass(eq=False, slots=True)
class ClassDefinition:
    """A class outside functions, with its methods by name."""

    id: str
    node: ast.ClassDef
    methods: dict[str, CodeUnit] = field(default_factory=dict[str, CodeUnit])


@dataclass(eq=False, slots=True)
class ParsedFile:
    """A file: ``units`` and ``classes`` by qualified name."""

    path: str
    tree: ast.Module
    units: dict[str, CodeUnit] = field(default_factory=dict[str, CodeUnit])
    classes: dict[str, ClassDefinition] = field(default_factory=dict[str, ClassDefinition])

    @classmethod
    def of(cls, path: str, source: str) -> ParsedFile | None:
        """The file; ``None`` where Python 3 cannot parse it."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = cls(path, ast.parse(source.removeprefix("\ufeff")))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        found._collect()
        return found

    def _collect(self) -> None:
        main: list[ast.stmt] = []
        outside: list[ast.stmt] = []
        for node in self.tree.body:
            if isinstance(node, ast.If) and ast.unparse(node.test) in _GUARDS:
                main += node.body
                outside += node.orelse
            else:
                outside.append(node)
        self._add(CodeUnit(self.path, MODULE, outside))
        if main:
            self._add(CodeUnit(self.path, MAIN, main))
        self._enter((*outside, *main), "", None)

    def _add(self, unit: CodeUnit) -> None:
        self.units[unit.name] = unit

    def _enter(self, body: Iterable[ast.stmt], prefix: str, owner: ClassDefinition | None) -> None:
        for node in definitions(body):
            name = prefix + node.name
            if isinstance(node, ast.ClassDef):
                known = self.classes[name] = ClassDefinition(f"{self.path}::{name}", node)
                self._enter(node.body, f"{name}.", known)
                continue
            unit = CodeUnit(self.path, name, node.body, node, prefix[:-1] or None)
            self._add(unit)
            if owner is not None:
                owner.methods[node.name] = unit


def definitions(body: Iterable[ast.stmt]) -> Iterator[Definition | ast.ClassDef]:
    """The functions and classes of a body, not inside one another."""
    for node in body:
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            yield node
        else:
            yield from definitions(inner(node))


def inner(node: ast.AST) -> Iterator[ast.stmt]:
    """The statements directly inside a compound statement."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield child
        elif isinstance(child, ast.ExceptHandler | ast.match_case):
            yield from inner(child)


def parameters(node: Definition | ast.Lambda) -> list[ast.arg]:
    """All parameters, starred ones too."""
    args = node.args
    starred = [each for each in (args.vararg, args.kwarg) if each is not None]
    return [*args.posonlyargs, *args.args, *args.kwonlyargs, *starred]


def outermost(name: str) -> str:
    """The function to test for a function inside others."""
    return name.partition(LOCALS)[0]


CONSTRUCTORS = ("__init__", "setup", "build", "__post_init__")


def altered_attributes(head: ParsedFile, base: ParsedFile | None) -> dict[str, frozenset[str]]:
    """The attributes that constructors set otherwise than on base, by id of the class."""
    before = base.classes if base is not None else {}
    found = {
        known.id: _altered(known, before[name])
        for name, known in head.classes.items()
        if name in before
    }
    return {name: attributes for name, attributes in found.items() if attributes}


def _altered(head: ClassDefinition, base: ClassDefinition) -> frozenset[str]:
    found: set[str] = set()
    for name in CONSTRUCTORS:
        new, old = head.methods.get(name), base.methods.get(name)
        if new and old and new.node and old.node:
            before = {ast.dump(node) for node in old.node.body}
            names: set[str] = set()
            attributes: set[str] = set()
            for node in new.node.body:
                if ast.dump(node) not in before or names & _loaded(node):
                    names |= {
                        n.id
                        for n in ast.walk(node)
                        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
                    }
                    attributes |= self_attributes(node, ast.Store)
            found |= attributes | (_all_set(old.node.body) - _all_set(new.node.body))
    return frozenset(found)


def _all_set(body: Iterable[ast.stmt]) -> set[str]:
    return {name for node in body for name in self_attributes(node, ast.Store)}


def _loaded(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def self_attributes(node: ast.AST, context: type[ast.expr_context]) -> set[str]:
    """The attributes of ``self`` that a node reads (``ast.Load``) or sets (``ast.Store``)."""
    return {
        each.attr
        for each in ast.walk(node)
        if isinstance(each, ast.Attribute)
        and isinstance(each.ctx, context)
        and isinstance(each.value, ast.Name)
        and each.value.id == "self"
    }
