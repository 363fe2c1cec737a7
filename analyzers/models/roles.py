"""What a target has to do with a model: it is its forward, a method of it, or makes it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from analyzers.inference.nouns import Subject
from analyzers.inference.subject import subject_of
from analyzers.inference.texts import Texts
from analyzers.models.classes import Classes
from analyzers.ports import Bench
from analyzers.vocabulary import Target

FORWARDS = ("forward", "call", "__call__")
_CONSTRUCTORS = ("__init__", "setup", "build")
_APART = frozenset({"staticmethod", "classmethod", "property"})
_NO_PART = frozenset(
    {"training_step", "validation_step", "test_step", "predict_step", "configure_optimizers"}
)


class Role(StrEnum):
    """How a target's call leads to a model."""

    FORWARD = "forward"
    CONSTRUCTOR = "constructor"
    METHOD = "method"
    BUILDER = "builder"


@dataclass(frozen=True, slots=True)
class Found:
    """A model of a target: ``symbol`` is what is one model, ``name`` what reports call it.

    ``forward`` is the qualified name of the method that takes its inputs, in ``path``;
    empty where no file of the project has it.
    """

    role: Role
    framework: str
    symbol: str
    name: str
    path: str
    forward: str = ""


def found(target: Target, bench: Bench) -> Found | None:
    """The model that a target is a method of, or makes; ``None`` where it has none."""
    return found_in(target.path, target.function, Texts(bench))


def found_in(path: str, function: str, texts: Mapping[str, str]) -> Found | None:
    """The model that a function of a file is a method of, or makes."""
    subject = subject_of(path, function, texts)
    if subject is None or "<locals>" in function:
        return None
    classes = Classes(texts)
    return _method(subject, classes, texts) if subject.owner else _builder(subject, classes)


def _method(subject: Subject, classes: Classes, texts: Mapping[str, str]) -> Found | None:
    owner, _, name = subject.function.rpartition(".")
    framework = classes.framework(subject.path, owner)
    decorators = {ast.unparse(each) for each in subject.node.decorator_list}
    if framework is None or decorators & _APART or name in _NO_PART:
        return None
    forward = next(
        (each for each in FORWARDS if subject_of(subject.path, f"{owner}.{each}", texts)), None
    )
    role = _role(name)
    if forward is None and role is not Role.CONSTRUCTOR:
        return None
    return Found(
        role,
        framework,
        f"{subject.path}::{owner}",
        owner,
        subject.path,
        "" if forward is None else f"{owner}.{forward}",
    )


def _role(name: str) -> Role:
    if name in FORWARDS:
        return Role.FORWARD
    return Role.CONSTRUCTOR if name in _CONSTRUCTORS else Role.METHOD


def _builder(subject: Subject, classes: Classes) -> Found | None:
    """A function that returns what it makes of a class of models."""
    for made in returned(subject.node):
        framework = classes.framework(subject.path, made)
        if framework is not None:
            symbol = f"{subject.path}::{subject.function}"
            return Found(Role.BUILDER, framework, symbol, subject.function, subject.path)
    return None


def returned(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    """The dotted names of what is called for the values that a function returns."""
    if node.returns is not None:
        yield ast.unparse(node.returns).strip("'\"")
    made = {
        target.id: each.value
        for each in ast.walk(node)
        if isinstance(each, ast.Assign)
        for target in each.targets
        if isinstance(target, ast.Name)
    }
    for each in ast.walk(node):
        if not isinstance(each, ast.Return) or each.value is None:
            continue
        value = (
            made.get(each.value.id, each.value) if isinstance(each.value, ast.Name) else each.value
        )
        if isinstance(value, ast.Call):
            yield ast.unparse(value.func)
