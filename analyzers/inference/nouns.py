"""What is inferred of a function's arguments, from what, and how sure that is."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum

from analyzers.guest.annotations.nouns import Constraint


class Source(StrEnum):
    """Where a constraint comes from (aNNoTest, Table 1, and what is beyond it)."""

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
    """How sure it is that every value of a constraint is valid.

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
class Inferred:
    """A constraint on one parameter, with its source; ``where`` is ``path:line``."""

    parameter: str
    constraint: Constraint
    source: Source
    confidence: Confidence
    where: str = ""


@dataclass(frozen=True, slots=True)
class Required:
    """A condition over several parameters that valid arguments meet."""

    condition: str
    source: Source
    confidence: Confidence
    where: str = ""


Fact = Inferred | Required


@dataclass(frozen=True, slots=True)
class Subject:
    """A function to infer something of, with the project around it.

    ``function`` is the qualified name, ``node`` its definition in ``tree``;
    ``owner`` is the class whose method it is.  ``parameters`` are those that
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
class Inference:
    """What all sources together say: one constraint a parameter, and conditions.

    A parameter of which nothing is known is absent.  Each ``Inferred`` is what
    was merged; ``facts`` are all that went in, to be shown.
    """

    arguments: Mapping[str, Inferred] = field(default_factory=dict[str, Inferred])
    requires: tuple[Required, ...] = ()
    facts: tuple[Fact, ...] = ()
