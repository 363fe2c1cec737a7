"""What type hints say: typing, arrays with their shapes, bounds in ``Annotated``, classes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from analyzers.guest.annotations.nouns import Constraint
from analyzers.inference.nouns import (
    Confidence,
    Fact,
    Inferred,
    Required,
    Source,
    Subject,
)
from analyzers.inference.scope import scope_of

from .arrays import narrowed, only_arrays
from .reading import Reader


def facts(subject: Subject) -> Iterator[Fact]:
    """A constraint for each hint that can be read.

    ``STRONG`` where the hint says which values are valid (a shape and dtype,
    a ``Literal``, bounds), ``LIKELY`` where it names a type whose values need
    not all be valid, ``GUESS`` for a string or a bare collection.
    """
    for arg in subject.parameters:
        if arg.annotation is None:
            continue
        reader = Reader(scope_of(subject), subject)
        found = reader.read(arg.annotation)
        where = f"{subject.path}:{arg.lineno}"
        if found is not None:
            yield Inferred(
                arg.arg, narrowed(found.constraint), Source.HINT, found.confidence, where
            )
            for condition in found.conditions:
                source = condition.replace(Reader.VALUE, arg.arg)
                yield Required(source, Source.HINT, Confidence.STRONG, where)


def returned(subject: Subject) -> Constraint | None:
    """What ``@returns`` would say where the return hint has shapes or dtypes of arrays.

    Plain types are left out: code returns a NumPy integer for an ``int``, and
    that is no failure.
    """
    node = subject.node.returns
    if node is None:
        return None
    found = Reader(scope_of(subject), subject).read(node)
    if found is None or found.confidence < Confidence.STRONG:
        return None
    return only_arrays(found.constraint)


def read(subject: Subject, node: ast.expr) -> Constraint | None:
    """The constraint of any hint in a subject's file; ``None`` where it says nothing."""
    found = Reader(scope_of(subject), subject).read(node)
    return None if found is None else narrowed(found.constraint)
