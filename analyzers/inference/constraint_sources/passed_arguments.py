"""Constraints from calls in a function's body on the arguments that it passes on.

A function of the project says it with annotations, or what is inferred of it.  An
argument that goes on to ``nn.Dropout(p)`` is a probability; one that goes into
``nn.Linear(2 * n, k)`` is at least 1.  Which values are legal is in ``frameworks.toml``.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterator
from typing import Any

from analyzers.guest.annotations.annotation_reader import read
from analyzers.guest.annotations.constraints import Argument, Constraint, FileAnnotations

from ..constraints.constraint_builders import ints_text, parse_constraint
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
    LibraryName,
    MixedArithmetic,
    ProjectClass,
    ProjectFunction,
    ProjectInstance,
    UntypedParameter,
    sized,
)
from ..shape_interpreter.framework_signatures import Signature, signatures
from ..shape_interpreter.interpreter import Interpreter
from ..shape_interpreter.sizes import Size, SizeTerm, SizeVariable, source, variables
from .module_scope import renamed
from .parameter_names import usual_meaning
from .shape_facts import interpreted

_BUILTIN = frozenset(dir(builtins))
Infer = Callable[[FunctionContext], Iterator[Fact]]


def callee_facts(subject: FunctionContext, infer: Infer | None = None) -> Iterator[Fact]:
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
    words = {name: each.name for name, each in passed.items()}
    for condition in whole:
        yield InferredRequirement(
            renamed(condition, words), ConstraintSource.CALLEE, Confidence.STRONG, where
        )
    for name, parameter in passed.items():
        if name in given:
            sure = Confidence.GUESS if name in tied else Confidence.STRONG
            yield InferredConstraint(
                parameter.name, given[name], ConstraintSource.CALLEE, sure, where
            )
    if infer is None or isinstance(function.node, ast.Lambda):
        return
    module, owner = function.module, function.module.names.get(function.name.rpartition(".")[0])
    inner = FunctionContext(
        path=module.path,
        function=function.name,
        node=function.node,
        tree=module.tree,
        owner=owner if isinstance(owner, ast.ClassDef) else None,
        sources=subject.sources,
    )
    for fact in infer(inner):
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


def _is_plain(said: Argument) -> bool:
    if isinstance(said, Constraint):
        return all(_is_plain(each) for _, each in said.arguments)
    if isinstance(said, tuple):
        return all(map(_is_plain, said))
    return said.literal


_LARGEST_COUNT = 64


def facts(subject: FunctionContext) -> Iterator[Fact]:
    """Yield what known calls take, for the parameters that go into them."""
    heard: list[CallEvent] = []
    interpreter = Interpreter(watch=heard.append)
    parameters = interpreted(interpreter, subject, every=True)
    known = {each.var: each for each in parameters}
    found: dict[str, Fact] = {}
    for event in heard:
        for fact in _of(event, known):
            found.setdefault(repr(fact), fact)
    yield from found.values()
    names = {each.arg for each in subject.parameters}
    needed: dict[str, int] = {}
    for statement in subject.node.body:
        if isinstance(statement, ast.If | ast.For | ast.While | ast.Try | ast.With):
            break
        for node in ast.walk(statement):
            if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
                key = node.slice.value if isinstance(node.slice, ast.Constant) else None
                if node.value.id in names and isinstance(key, int) and not isinstance(key, bool):
                    needed[node.value.id] = max(needed.get(node.value.id, 0), key + 1)
    for name, count in needed.items():
        where = f"{subject.path}:{subject.node.lineno}"
        yield InferredRequirement(
            f"len({name}) >= {count}", ConstraintSource.FRAMEWORK, Confidence.LIKELY, where
        )


def _of(event: CallEvent, known: dict[SizeVariable, UntypedParameter]) -> Iterator[Fact]:
    if not isinstance(event.function, LibraryName):
        return
    name, where = event.function.name, f"{event.path}:{event.node.lineno}"
    if name == "builtins.range":
        for each in event.args[:2]:
            parameter = each if isinstance(each, UntypedParameter) else None
            if parameter is not None and parameter.var in known:
                found = parse_constraint(ints_text(0, _LARGEST_COUNT))
                if found is not None:
                    yield InferredConstraint(
                        parameter.name, found, ConstraintSource.FRAMEWORK, Confidence.LIKELY, where
                    )
    signature = signatures().get(name)
    if signature is None:
        return
    bound = signature.bind(event.args, event.kwargs)
    for key, value in bound.items():
        text = signature.valid.get(key)
        if text is not None:
            yield from _argument(value, text, known, where)
    for condition in signature.requires:
        yield from _required(signature, condition, bound, known, where)


def _argument(
    value: Any, text: str, known: dict[SizeVariable, UntypedParameter], where: str
) -> Iterator[Fact]:
    if isinstance(value, tuple | list):
        for each in value:
            if text.startswith(("ints", "anys")):
                yield from _argument(
                    each, "ints(min=1, max=7)" if "anys" in text else text, known, where
                )
        return
    if isinstance(value, UntypedParameter) and value.var in known:
        found = parse_constraint(text)
        if found is not None:
            sure = Confidence.LIKELY if value.escaped else Confidence.STRONG
            yield InferredConstraint(value.name, found, ConstraintSource.FRAMEWORK, sure, where)
        return
    if isinstance(value, MixedArithmetic | SizeTerm) and text.startswith("ints"):
        size, found = sized(value), parse_constraint(text)
        if size is not None and found is not None:
            yield from _backwards(size, found, known, where)


def _backwards(
    size: Size, found: Constraint, known: dict[SizeVariable, UntypedParameter], where: str
) -> Iterator[Fact]:
    """Bounds of ``n * 2``, ``n // 2`` and ``n + 1`` as bounds of ``n``."""
    if not isinstance(size, SizeTerm) or len(size.operands) != 2:
        return
    numbers = [each for each in size.operands if isinstance(each, int)]
    names = [each for each in size.operands if isinstance(each, SizeVariable) and each in known]
    low, high = found.value("min"), found.value("max")
    if len(numbers) != 1 or len(names) != 1 or low is None or high is None or numbers[0] < 1:
        return
    number, multiple = numbers[0], 1
    if size.operator == "*":
        low, high = -(-low // number), high // number
    elif size.operator == "//" and size.operands[0] is names[0]:
        low, high, multiple = low * number, high * number, number
    elif size.operator == "+":
        low, high = max(1, low - number), high - number
    else:
        return
    text = parse_constraint(ints_text(low, high, multiple)) if low <= high else None
    if text is not None:
        name = known[names[0]].name
        sure = Confidence.LIKELY if multiple > 1 or size.operator == "+" else Confidence.STRONG
        yield InferredConstraint(name, text, ConstraintSource.FRAMEWORK, sure, where)


def _required(
    signature: Signature,
    condition: str,
    bound: dict[str, Any],
    known: dict[SizeVariable, UntypedParameter],
    where: str,
) -> Iterator[Fact]:
    tree = ast.parse(condition, mode="eval")
    names = {each: known[each].name for each in known}
    used: set[SizeVariable] = set()
    words: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            size = sized(bound.get(node.id, signature.defaults.get(node.id)))
            if size is None or any(var not in names for var in variables(size)):
                return
            used |= set(variables(size))
            words[node.id] = source(size, names)
    if not used or ("1" in words.values() and "%" in condition):
        return
    text = renamed(condition, words)
    yield InferredRequirement(text, ConstraintSource.FRAMEWORK, Confidence.STRONG, where)
