"""The condition that a legal range is, and the guard that asks for it."""

from __future__ import annotations

import ast

from analyzers.assembly.configuration import Flow, Function
from analyzers.assembly.constraints import Parameter
from analyzers.vocabulary import Suggestion


def condition_of(parameter: Parameter, value: str) -> str | None:
    """The legal range of a parameter as a condition on ``value``; ``None`` without one."""
    low, high = parameter.low, parameter.high
    if low is None and high is None:
        return None
    if low is not None and high is not None:
        first = "<" if parameter.open_low else "<="
        last = "<" if parameter.open_high else "<="
        said = f"{_number(low)} {first} {value} {last} {_number(high)}"
    elif low is not None:
        said = f"{value} {'>' if parameter.open_low else '>='} {_number(low)}"
    else:
        said = f"{value} {'<' if parameter.open_high else '<='} {_number(high)}"
    return f"{value} is None or {said}" if "none" in parameter.kinds else said


def guard(flow: Flow, condition: str, function: Function, path: str, text: str) -> Suggestion:
    """A guard at the beginning of the function, in front of its first statement.

    ``not (eps > 0)`` refuses NaN as well.
    """
    first = _first(function)
    line = text.splitlines()[first.lineno - 1]
    indent = line[: len(line) - len(line.lstrip())]
    source = flow.source
    wanted = condition.removeprefix(f"{source} is None or ").replace(source, flow.name)
    guards = [
        f"{indent}if not ({condition}):" if " " in condition else f"{indent}if not {condition}:",
        f'{indent}    raise ValueError(f"{wanted} is wanted, not {{{source}}}")',
    ]
    return Suggestion(path, first.lineno, first.lineno, "\n".join([*guards, line]))


def _first(function: Function) -> ast.stmt:
    """The first statement behind the docstring."""
    body = function.body
    is_text = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
    return body[1] if is_text and len(body) > 1 else body[0]


def _number(value: float | None) -> str:
    return repr(int(value)) if value is not None and value == int(value) else repr(value)
