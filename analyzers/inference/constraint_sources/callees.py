"""What the project's functions take to which an argument is passed on unchanged."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from analyzers.guest.annotations.annotation_reader import read
from analyzers.guest.annotations.constraints import Argument, Constraint, FileAnnotations

from ..facts import (
    Confidence,
    ConstraintSource,
    Fact,
    FunctionContext,
    InferredConstraint,
    InferredRequirement,
)
from ..shape_interpreter.abstract_values import (
    CallEvent,
    ProjectClass,
    ProjectFunction,
    ProjectInstance,
    UntypedParameter,
)
from ..shape_interpreter.interpreter import Interpreter
from .parameter_names import usual_meaning
from .shape_facts import interpreted

_BUILTIN = frozenset(dir(builtins))
Infer = Callable[[FunctionContext], Iterator[Fact]]


def facts(subject: FunctionContext, infer: Infer | None = None) -> Iterator[Fact]:
    """The annotations of the functions that an argument is passed to.

    ``infer`` says what is inferred of those that have none: it is asked one
    level deep only, and counts less.  What a condition ties to other arguments
    of the callee is but a guess: those may be anything here.
    """
    heard: list[CallEvent] = []
    interpreter = Interpreter(enters=False, watch=heard.append)
    parameters = {id(each): each for each in interpreted(interpreter, subject, every=True)}
    for event in heard:
        function = _meant(interpreter, event.function)
        if function is None or function.node is subject.node:
            continue
        spec = function.node.args
        names = [each.arg for each in (*spec.posonlyargs, *spec.args)]
        names = names[1:] if function.bound is not None else names
        given = {**dict(zip(names, event.args, strict=False)), **event.kwargs}
        passed = {
            name: parameters[id(value)] for name, value in given.items() if id(value) in parameters
        }
        if passed:
            yield from _said(function, passed, event, subject, infer)


def _meant(interpreter: Interpreter, called: Any) -> ProjectFunction | None:
    if isinstance(called, ProjectClass):
        called = interpreter.attribute(ProjectInstance(called), "__init__")
    elif isinstance(called, ProjectInstance):
        found = [interpreter.attribute(called, name) for name in ("forward", "call", "__call__")]
        called = next((each for each in found if isinstance(each, ProjectFunction)), None)
    return called if isinstance(called, ProjectFunction) else None


def _said(
    function: ProjectFunction,
    passed: dict[str, UntypedParameter],
    event: CallEvent,
    subject: FunctionContext,
    infer: Infer | None,
) -> Iterator[Fact]:
    try:
        annotated = read(function.module.sources.get(function.module.path, ""))
    except (SyntaxError, ValueError, RecursionError):
        annotated = FileAnnotations()
    said = annotated.functions.get(function.name)
    given = said.constraints if said is not None else {}
    where = f"{event.path}:{event.node.lineno}"
    conditions = [clause.source for clause in said.requires] if said is not None else []
    whole = [each for each in conditions if _names(each) <= passed.keys()]
    tied = {name for each in conditions if each not in whole for name in _names(each)}
    for condition in whole:
        yield InferredRequirement(
            _renamed(condition, passed), ConstraintSource.CALLEE, Confidence.STRONG, where
        )
    for name, parameter in passed.items():
        if name in given:
            sure = Confidence.GUESS if name in tied else Confidence.STRONG
            yield InferredConstraint(
                parameter.name, given[name], ConstraintSource.CALLEE, sure, where
            )
    if infer is None:
        return
    inner = _subject(function, subject)
    for fact in infer(inner) if inner is not None else ():
        if (
            isinstance(fact, InferredConstraint)
            and fact.parameter in passed
            and fact.parameter not in given
            and (function.module.path == subject.path or _is_plain(fact.constraint))
        ):
            name = passed[fact.parameter].name
            guessed = fact.source is ConstraintSource.NAME and fact.confidence is Confidence.GUESS
            if guessed and usual_meaning(name) is not None:
                continue
            sure = min(fact.confidence, Confidence.LIKELY)
            yield InferredConstraint(name, fact.constraint, ConstraintSource.CALLEE, sure, where)


def _names(condition: str) -> set[str]:
    tree = ast.parse(condition.strip(), mode="eval")
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - _BUILTIN


def _renamed(condition: str, passed: Mapping[str, UntypedParameter]) -> str:
    tree = ast.parse(condition.strip(), mode="eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in passed:
            node.id = passed[node.id].name
    return ast.unparse(tree)


def _is_plain(said: Argument) -> bool:
    """Whether it means the same in another file: it names nothing of its own."""
    if isinstance(said, Constraint):
        return all(_is_plain(each) for _, each in said.arguments)
    if isinstance(said, tuple):
        return all(map(_is_plain, said))
    return said.literal


def _subject(function: ProjectFunction, caller: FunctionContext) -> FunctionContext | None:
    if isinstance(function.node, ast.Lambda):
        return None
    owner = function.name.rpartition(".")[0]
    found = function.module.names.get(owner)
    return FunctionContext(
        path=function.module.path,
        function=function.name,
        node=function.node,
        tree=function.module.tree,
        owner=found if isinstance(found, ast.ClassDef) else None,
        sources=caller.sources,
    )
