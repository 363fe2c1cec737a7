"""Facts inferred of a function's arguments, with their source and how sure they are."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import TypeVar

from analyzers.guest.annotations.constraints import Constraint
from analyzers.ports import Executor

T = TypeVar("T")


def all_known(values: Iterable[T | None]) -> list[T] | None:
    """Return the values; ``None`` where one of them is not known."""
    found = list(values)
    known = [each for each in found if each is not None]
    return known if len(known) == len(found) else None


class ConstraintSource(StrEnum):
    """The source of a constraint (aNNoTest, Table 1, and what is beyond it)."""

    GIVEN = "annotation"
    HINT = "type hint"
    TEST = "recorded call in the project's tests"
    CALL = "call in the project"
    DOCUMENT = "call in the documentation"
    GUARD = "guard in the function"
    FRAMEWORK = "framework call in the function"
    SHAPE = "shapes through the layers"
    CALLEE = "function that it is passed to"
    DEFAULT = "default value"
    DOCSTRING = "docstring"
    NAME = "name"


class Confidence(IntEnum):
    """The confidence that every value of a constraint is valid.

    ``GUESS``: a name or the like suggests it.  ``LIKELY``: one indirect
    source.  ``STRONG``: the code says so itself (a precise hint, a recorded
    call's exact values, a guard and a type together).  ``CERTAIN``: a person
    wrote it as an annotation.
    """

    GUESS = 1
    LIKELY = 2
    STRONG = 3
    CERTAIN = 4


@dataclass(frozen=True, slots=True)
class InferredConstraint:
    """A constraint on one parameter, with its source; ``where`` is ``path:line``."""

    parameter: str
    constraint: Constraint
    source: ConstraintSource
    confidence: Confidence
    where: str = ""


@dataclass(frozen=True, slots=True)
class InferredRequirement:
    """A condition over several parameters that valid arguments meet."""

    condition: str
    source: ConstraintSource
    confidence: Confidence
    where: str = ""


Fact = InferredConstraint | InferredRequirement


@dataclass(frozen=True, slots=True)
class FunctionContext:
    """A function to infer something of, with the project around it.

    ``function`` is the qualified name, ``node`` its definition in ``tree``;
    ``owner`` is the class whose method it is, in the file ``home`` where it inherits the
    method from another one (else ``""``).  ``parameters`` are those that
    a caller gives, without ``self`` and ``cls``.  ``sources`` are the texts of
    the project by path, tests, documents (``.md``, ``.rst``) and notebooks
    (``.ipynb``) among them.
    """

    path: str
    function: str
    node: ast.FunctionDef | ast.AsyncFunctionDef
    tree: ast.Module
    owner: ast.ClassDef | None
    sources: Mapping[str, str] = field(repr=False)
    home: str = ""

    @property
    def parameters(self) -> tuple[ast.arg, ...]:
        """The parameters, stars left out."""
        args = self.node.args
        named = (*args.posonlyargs, *args.args, *args.kwonlyargs)
        static = any(
            isinstance(each, ast.Name) and each.id == "staticmethod"
            for each in self.node.decorator_list
        )
        return named[1:] if self.owner is not None and not static else named


@dataclass(frozen=True, slots=True)
class InferredContract:
    """The constraints of all sources together: one a parameter, and conditions.

    A parameter of which nothing is known is absent.  Each ``InferredConstraint`` is what
    was merged; ``facts`` are all that went in, to be shown.
    """

    arguments: Mapping[str, InferredConstraint] = field(
        default_factory=dict[str, InferredConstraint]
    )
    requires: tuple[InferredRequirement, ...] = ()
    facts: tuple[Fact, ...] = ()


@functools.lru_cache(maxsize=512)
def body_nodes(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef,
) -> tuple[ast.AST, ...]:
    """All nodes of a body, which is looked through once a parameter."""
    return tuple(each for statement in node.body for each in ast.walk(statement))


@functools.lru_cache(maxsize=512)
def parse_module(source: str) -> ast.Module | None:
    """The tree of a Python source; ``None`` where it is none.  Not to be changed: it is shared."""
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


class ProjectTexts(Mapping[str, str]):
    """The texts of head by path, or with ``on_base`` those of base where it has the file."""

    def __init__(self, bench: Executor, *, on_base: bool = False) -> None:
        self._bench = bench
        self._on_base = on_base
        self._paths = tuple(bench.paths())

    def once(self, name: str, make: Callable[[], T]) -> T:
        """Return what is made of these texts once for all targets of the change."""
        return self._bench.once(f"{name} on {'base' if self._on_base else 'head'}", make)

    def __getitem__(self, path: str) -> str:
        before = self._bench.base(path) if self._on_base else None
        return self._bench.source(path) if before is None else before[1]

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)
