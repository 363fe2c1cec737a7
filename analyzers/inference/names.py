"""What the name of a parameter suggests."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from analyzers.guest.annotations.nouns import Constraint
from analyzers.guest.annotations.parsing import parse

from . import naming, uses
from .building import make, without_none
from .defaults import defaults, near
from .lattice import ARRAYS, admits
from .nouns import Confidence, Fact, Inferred, Source, Subject
from .scope import scope_of

_ARRAYS = frozenset({"arrays", *ARRAYS})
_TYPES = {"int": "ints", "float": "floats", "str": "strings", "bool": "bools"}
_NOT_FIELDS = ("__dict__", "items", "keys", "values", "get", "update", "copy")


def facts(subject: Subject) -> Iterator[Fact]:
    """A ``GUESS`` for each usual name; ``LIKELY`` where the body uses it as such a value.

    Arrays stay guesses: a name says nothing of what shapes go together.
    """
    for arg in subject.parameters:
        found = suggested(subject, arg)
        if found is None:
            continue
        agreed = uses.agree(subject, arg.arg, found.kind) and found.kind not in (*ARRAYS, "modules")
        sure = Confidence.LIKELY if agreed else Confidence.GUESS
        yield Inferred(arg.arg, found, Source.NAME, sure, f"{subject.path}:{arg.lineno}")


def suggested(subject: Subject, arg: ast.arg) -> Constraint | None:
    """What the name of a parameter suggests; ``None`` for an unusual one."""
    if naming.CONFIGURATIONS.fullmatch(arg.arg):
        configured = _configuration(subject, arg.arg)
        if configured is not None:
            return configured
    text = naming.meant(arg.arg)
    if text is None:
        return _used(subject, arg.arg)
    if naming.ARRAY not in text:
        return _fitting(subject, arg, parse(text))
    kind = uses.array_kind(subject, arg.arg)
    if text == naming.IMAGES and kind == "np_arrays":
        return parse(naming.PICTURES)
    return None if kind is None else parse(text.replace(naming.ARRAY, kind))


def _fitting(subject: Subject, arg: ast.arg, found: Constraint) -> Constraint | None:
    """The suggestion, unless the default or the body shows another type."""
    default = next((value for each, value in defaults(subject) if each is arg), None)
    close = near(default, scope_of(subject)) if default is not None else None
    plain = without_none(close)[0] if close is not None else None
    if plain is not None and _type(plain) != _type(found):
        return None
    if default is not None and found.kind == "floats" and not _holds(found, default):
        return None
    used = uses.kinds(subject, arg.arg)
    if used & _ARRAYS and found.kind in ("ints", "floats", "froms"):
        return None
    return found


def _holds(found: Constraint, default: ast.expr) -> bool:
    """Whether the default is one of the suggested values, as far as it can be read."""
    try:
        return admits(found, ast.literal_eval(default))
    except (ValueError, TypeError):
        return True


def _type(constraint: Constraint) -> str:
    """A kind, choices by the type of what they offer."""
    if constraint.kind != "froms":
        return {"paths": "strings"}.get(constraint.kind, constraint.kind)
    values: list[object] = list(constraint.value("values") or [None])
    return _TYPES.get(type(values[0]).__name__, "")


def _used(subject: Subject, parameter: str) -> Constraint | None:
    """What the body alone shows, where it shows one kind of array, or an integer."""
    used = uses.kinds(subject, parameter)
    if used & _ARRAYS and not used & {"dicts", "lists", "modules", "images"}:
        kind = uses.array_kind(subject, parameter)
        return make(kind, dtype="float32") if kind is not None else None
    if used == frozenset(["paths"]):
        return make("paths")
    return make("ints", min=1, max=4) if used == frozenset(["ints"]) else None


def _configuration(subject: Subject, parameter: str) -> Constraint | None:
    """A namespace of the attributes that are read, where each of them has a usual name."""
    read = uses.attributes(subject, parameter)
    if not read or uses.passed_whole(subject, parameter) or set(read) & set(_NOT_FIELDS):
        return None
    texts = {name: naming.meant(name) for name in read}
    if any(text is None or naming.ARRAY in text for text in texts.values()):
        return None
    return make("configs", **{name: parse(text or "") for name, text in texts.items()})
