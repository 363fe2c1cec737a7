"""What the frameworks' calls in a function's body say of its arguments.

An argument that goes on to ``nn.Dropout(p)`` is a probability; one that goes
into ``nn.Linear(2 * n, k)`` is at least 1.  Which values are legal is in
``frameworks.toml``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from analyzers.guest.annotations.constraints import Constraint

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
    UntypedParameter,
    sized,
)
from ..shape_interpreter.framework_signatures import Signature, signatures
from ..shape_interpreter.interpreter import Interpreter
from ..shape_interpreter.sizes import Size, SizeTerm, SizeVariable, source, variables
from .shape_facts import interpreted

_LARGEST_COUNT = 64


def facts(subject: FunctionContext) -> Iterator[Fact]:
    """What known calls take, for the parameters that go into them."""
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
    text = ast.unparse(_Renamed(words).visit(tree))
    yield InferredRequirement(text, ConstraintSource.FRAMEWORK, Confidence.STRONG, where)


class _Renamed(ast.NodeTransformer):
    def __init__(self, words: dict[str, str]) -> None:
        self._words = words

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.parse(self._words[node.id], mode="eval").body
