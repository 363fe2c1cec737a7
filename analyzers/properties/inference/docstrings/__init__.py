"""What docstrings say of parameters, in Google's, NumPy's and Sphinx's styles."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from analyzers.properties.inference import uses
from analyzers.properties.inference.nouns import Confidence, Fact, Inferred, Source, Subject
from analyzers.properties.inference.subject import sibling

from .doctests import recorded
from .phrases import Described, described
from .sections import entries


def facts(subject: Subject) -> Iterator[Fact]:
    """A constraint for each parameter that the docstring describes; its examples as calls.

    A shape with the word that it is one, a range, or a list of values is
    ``LIKELY``, a type alone a ``GUESS``.  A constructor is described by its
    class too.
    """
    text = docstring(subject)
    names = {arg.arg for arg in subject.parameters}
    where = f"{subject.path}:{subject.node.lineno}"
    for entry in entries(text):
        for name in entry.names:
            if name in names:
                kind = uses.array_kind(subject, name) or "np_arrays"
                found = described(Described(name, entry.type, entry.text, kind))
                yield from (
                    Inferred(name, each.constraint, Source.DOCSTRING, each.confidence, where)
                    for each in found
                )
    for name, constraint in recorded(subject, text):
        yield Inferred(name, constraint, Source.DOCUMENT, Confidence.LIKELY, where)


def docstring(subject: Subject) -> str:
    """A function's docstring; for a constructor with that of its class."""
    own = ast.get_docstring(subject.node) or ""
    if subject.owner is not None and subject.node.name == "__init__":
        return f"{ast.get_docstring(subject.owner) or ''}\n\n{own}"
    if subject.owner is not None and subject.node.name == "__call__" and not own:
        forward = sibling(subject, "forward")
        return ast.get_docstring(forward.node) or "" if forward is not None else ""
    return own
