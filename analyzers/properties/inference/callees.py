"""What the project's functions take to which an argument is passed on unchanged."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from analyzers.guest.annotations.nouns import Annotated, Argument, Constraint
from analyzers.guest.annotations.reading import read

from .interpreting.interpreter import Interpreter
from .interpreting.machine import Event
from .interpreting.values import Class, Function, Instance, Parameter
from .nouns import Confidence, Fact, Inferred, Source, Subject
from .shapes import interpreted

Infer = Callable[[Subject], Iterator[Fact]]


def facts(subject: Subject, infer: Infer | None = None) -> Iterator[Fact]:
    """The annotations of the functions that an argument is passed to.

    ``infer`` says what is inferred of those that have none: it is asked one
    level deep only, and counts less.
    """
    heard: list[Event] = []
    interpreter = Interpreter(enters=False, watch=heard.append)
    parameters = {id(each): each for each in interpreted(interpreter, subject, every=True)}
    for event in heard:
        function = _meant(interpreter, event.function)
        if function is None or function.node is subject.node:
            continue
        passed = _passed(function, event, parameters)
        if passed:
            yield from _said(function, passed, event, subject, infer)


def _meant(interpreter: Interpreter, called: Any) -> Function | None:
    """The function that runs: a constructor, or a network's ``forward``."""
    if isinstance(called, Class):
        called = interpreter.attribute(Instance(called), "__init__")
    elif isinstance(called, Instance):
        found = [interpreter.attribute(called, name) for name in ("forward", "call", "__call__")]
        called = next((each for each in found if isinstance(each, Function)), None)
    return called if isinstance(called, Function) else None


def _passed(
    function: Function, event: Event, parameters: dict[int, Parameter]
) -> dict[str, Parameter]:
    """The parameters of the callee that are given ours, unchanged."""
    spec = function.node.args
    names = [each.arg for each in (*spec.posonlyargs, *spec.args)]
    names = names[1:] if function.bound is not None else names
    given = {**dict(zip(names, event.args, strict=False)), **event.kwargs}
    return {name: parameters[id(value)] for name, value in given.items() if id(value) in parameters}


def _said(
    function: Function,
    passed: dict[str, Parameter],
    event: Event,
    subject: Subject,
    infer: Infer | None,
) -> Iterator[Fact]:
    annotated = _read(function.module.sources.get(function.module.path, ""))
    said = annotated.functions.get(function.name)
    given = said.constraints if said is not None else {}
    where = f"{event.path}:{event.node.lineno}"
    for name, parameter in passed.items():
        if name in given:
            yield Inferred(parameter.name, given[name], Source.CALLEE, Confidence.STRONG, where)
    if infer is None:
        return
    inner = _subject(function, subject)
    for fact in infer(inner) if inner is not None else ():
        if (
            isinstance(fact, Inferred)
            and fact.parameter in passed
            and fact.parameter not in given
            and (function.module.path == subject.path or _is_plain(fact.constraint))
        ):
            name = passed[fact.parameter].name
            sure = min(fact.confidence, Confidence.LIKELY)
            yield Inferred(name, fact.constraint, Source.CALLEE, sure, where)


def _is_plain(said: Argument) -> bool:
    """Whether it means the same in another file: it names nothing of its own."""
    if isinstance(said, Constraint):
        return all(_is_plain(each) for _, each in said.arguments)
    if isinstance(said, tuple):
        return all(map(_is_plain, said))
    return said.literal


def _read(text: str) -> Annotated:
    try:
        return read(text)
    except (SyntaxError, ValueError, RecursionError):
        return Annotated()


def _subject(function: Function, caller: Subject) -> Subject | None:
    if isinstance(function.node, ast.Lambda):
        return None
    owner = function.name.rpartition(".")[0]
    found = function.module.names.get(owner)
    return Subject(
        path=function.module.path,
        function=function.name,
        node=function.node,
        tree=function.module.tree,
        owner=found if isinstance(found, ast.ClassDef) else None,
        sources=caller.sources,
    )
