"""What docstrings say of parameters, in Google's, NumPy's and Sphinx's styles."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from analyzers.guest.annotations.nouns import Argument
from analyzers.inference import uses
from analyzers.inference.building import make
from analyzers.inference.nouns import Confidence, Fact, Inferred, Source, Subject
from analyzers.inference.subject import sibling

from .doctests import recorded
from .phrases import Described, Phrase, described
from .sections import entries

_SAME = re.compile(r"same (?:shape|size|dimensions?) as (?:the )?[`'\"]*(?P<name>\w+)", re.I)


def facts(subject: Subject) -> Iterator[Fact]:
    """A constraint for each parameter that the docstring describes; its examples as calls.

    A shape with the word that it is one, a range, or a list of values is
    ``LIKELY``, a type alone a ``GUESS``.  A constructor is described by its
    class too.
    """
    text = docstring(subject)
    names = {arg.arg for arg in subject.parameters}
    where = f"{subject.path}:{subject.node.lineno}"
    shapes: dict[str, Argument] = {}
    for entry in entries(text):
        for name in names.intersection(entry.names):
            kind = uses.array_kind(subject, name) or "np_arrays"
            found = list(described(Described(name, entry.type, entry.text, kind)))
            found += _like_another(entry.text, kind, shapes)
            for each in found:
                shape = each.constraint["shape"]
                if shape is not None:
                    shapes[name] = shape
                yield Inferred(name, each.constraint, Source.DOCSTRING, each.confidence, where)
    for name, constraint in recorded(subject, text):
        yield Inferred(name, constraint, Source.DOCUMENT, Confidence.LIKELY, where)


def _like_another(text: str, kind: str, shapes: Mapping[str, Argument]) -> list[Phrase]:
    """``the same shape as x``."""
    match = _SAME.search(text)
    shape = shapes.get(match["name"]) if match is not None else None
    return [] if shape is None else [Phrase(make(kind, shape=shape), Confidence.LIKELY)]


def docstring(subject: Subject) -> str:
    """A function's docstring; for a constructor with that of its class."""
    own = ast.get_docstring(subject.node) or ""
    if subject.owner is not None and subject.node.name == "__init__":
        return f"{ast.get_docstring(subject.owner) or ''}\n\n{own}"
    if subject.owner is not None and subject.node.name == "__call__" and not own:
        forward = sibling(subject, "forward")
        return ast.get_docstring(forward.node) or "" if forward is not None else ""
    return own
