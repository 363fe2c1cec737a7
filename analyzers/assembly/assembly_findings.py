"""Findings of layers that take illegal values, and of code that breaks with legal ones."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analyzers.assembly import messages
from analyzers.assembly.input_shapes import expected_size
from analyzers.assembly.layer_tables import LayerParameter
from analyzers.assembly.parameter_flow import BuiltLayer, Function, ParameterFlow
from analyzers.assembly.value_settings import Setting
from analyzers.inference.inference_messages import argument_recipes
from analyzers.rules import assembly_rules
from analyzers.vocabulary import (
    Crashes,
    Finding,
    Json,
    JsonObject,
    Level,
    Probe,
    Suggestion,
    Target,
    Violates,
)

NAME = "assembly"
UNCHECKED, STATE = assembly_rules.UNCHECKED_BOUNDARY.id, assembly_rules.STATE.id


@dataclass(frozen=True, slots=True)
class UncheckedValue:
    """An illegal ``value`` (a source) that a function hands to a layer, and what was ``seen``."""

    flow: ParameterFlow
    value: str
    condition: str
    probe: Probe
    settings: tuple[Setting, ...]
    seen: str = ""
    consequence: str = ""

    @property
    def comes_of_it(self) -> str:
        """Return what comes of it, as far as it is known."""
        return self.seen or self.consequence


@dataclass(frozen=True, slots=True)
class FixedSizeLayer:
    """A parameter that may be set, and a layer that is built for one value of it only."""

    flow: ParameterFlow
    default: int
    values: tuple[int, ...]
    layer: BuiltLayer
    probe: Probe
    condition: str
    detail: str


@dataclass(frozen=True, slots=True)
class UnstableModel:
    """A model that does not stay as it should when it is trained, or made again."""

    probe: Probe
    condition: str
    detail: str


def unchecked_finding(
    taken: UncheckedValue, target: Target, suggestion: Suggestion | None
) -> Finding:
    """Return the finding of an illegal value that nothing refuses."""
    flow = taken.flow
    evidence: dict[str, Json] = {
        "api": flow.built.api.name,
        "parameter": flow.parameter.name,
        "value": taken.value,
        "derivation": [f"{flow.source} = {taken.value}", _call(flow.built)],
        "consequence": taken.comes_of_it,
        "legal": taken.condition,
        "said_by": flow.parameter.said_by,
        "quote": flow.parameter.quote,
        "set_at": [f"{each.path}:{each.line}: {each.says}" for each in taken.settings[:5]],
    }
    return _finding(
        (UNCHECKED, messages.unchecked_title(taken), messages.unchecked_message(taken)),
        target,
        flow.line,
        (taken.probe, taken.condition),
        evidence,
        f"{flow.built.api.name}.{flow.parameter.name}",
        suggestion,
    )


def fixed_size_finding(found: FixedSizeLayer, target: Target) -> Finding:
    """Return the finding of a legal value that the code around a layer does not follow."""
    flow = found.flow
    evidence: dict[str, Json] = {
        "api": found.layer.api.name,
        "parameter": flow.source,
        "value": str(found.values[0]),
        "values": list(found.values),
        "default": found.default,
        "derivation": [f"{flow.source} = {found.values[0]}", _call(flow.built), _call(found.layer)],
        "consequence": found.detail,
    }
    return _finding(
        (STATE, messages.fixed_size_title(found), messages.fixed_size_message(found)),
        target,
        found.layer.call.lineno,
        (found.probe, found.condition),
        evidence,
        f"{flow.source} and {found.layer.api.name}",
    )


def unstable_finding(found: UnstableModel, target: Target) -> Finding:
    """Return the finding of training that goes astray, or of what grows."""
    evidence: dict[str, Json] = {
        "api": "torch.nn.Module",
        "parameter": found.condition.partition("(")[0],
        "value": found.condition.partition("(")[2].rstrip(")").partition(",")[0],
        "derivation": [found.condition],
        "consequence": found.detail,
    }
    kind = found.condition.partition("(")[0]
    return _finding(
        (STATE, messages.unstable_title(found, target), messages.unstable_message(found)),
        target,
        target.line,
        (found.probe, found.condition),
        evidence,
        kind,
    )


def _finding(
    said: tuple[str, str, str],
    target: Target,
    line: int,
    shown: tuple[Probe, str],
    evidence: JsonObject,
    kind: str,
    suggestion: Suggestion | None = None,
) -> Finding:
    rule, title, message = said
    probe, condition = shown
    made: Mapping[str, Json] = dict(argument_recipes(probe))
    return Finding(
        analyzer=NAME,
        rule=rule,
        level=Level.WARNING,
        path=target.path,
        line=line,
        end_line=line,
        symbol=target.id,
        target=target.id,
        title=title,
        message=message,
        evidence={**evidence, "arguments": dict(made)},
        probes=(probe,),
        criterion=Violates(condition),
        input_kind=kind,
        suggestion=suggestion,
    )


def _call(built: BuiltLayer) -> str:
    return f"line {built.call.lineno}: {messages.call(built)}"


def gravest(found: Sequence[UncheckedValue], most: int) -> list[UncheckedValue]:
    """Return those whose consequence was seen first; one for each value that is given."""
    kept: dict[str, UncheckedValue] = {}
    for each in sorted(found, key=lambda each: (not each.seen, each.flow.line)):
        kept.setdefault(each.flow.source, each)
    return list(kept.values())[:most]


_CONSTRUCTOR = "__init__"
_CALLS = frozenset({"forward", "__call__"})
_CRASH = "property/crash"


def same_cause(of_call: Finding, of_constructor: Finding) -> bool:
    """Return whether a finding of a model's call tells what one of its constructor does.

    Either a crash in a layer that another layer's parameter does not fit, with the same
    exception and for the same size; or the same course of training, or of repetition.
    """
    one, _, called = of_call.target.rpartition(".")
    other, _, made = of_constructor.target.rpartition(".")
    if (one, made) != (other, _CONSTRUCTOR) or called not in _CALLS:
        return False
    if of_constructor.rule != STATE:
        return False
    if of_call.rule == _CRASH:
        return _is_crash_of(of_call, of_constructor)
    return of_call.rule == STATE and _word(of_call) == _word(of_constructor) != ""


def _is_crash_of(crash: Finding, state: Finding) -> bool:
    exception, _, words = str(state.evidence.get("consequence", "")).partition(": ")
    size = expected_size(words)
    same = isinstance(crash.criterion, Crashes) and crash.criterion.exception == exception
    return (
        same and size is not None and size == expected_size(str(crash.evidence.get("message", "")))
    )


def _word(finding: Finding) -> str:
    criterion = finding.criterion
    word = criterion.condition.partition("(")[0] if isinstance(criterion, Violates) else ""
    return word if word in {"trains", "settles"} else ""


def condition_of(parameter: LayerParameter, value: str) -> str | None:
    """Return the legal range of a parameter as a condition on ``value``; ``None`` without one."""
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


def guard(
    flow: ParameterFlow, condition: str, function: Function, path: str, text: str
) -> Suggestion:
    """Return a guard before the function's first statement; ``not (eps > 0)`` refuses NaN too."""
    body = function.body
    is_text = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
    first = body[1] if is_text and len(body) > 1 else body[0]
    line = text.splitlines()[first.lineno - 1]
    indent = line[: len(line) - len(line.lstrip())]
    source = flow.source
    wanted = condition.removeprefix(f"{source} is None or ").replace(source, flow.name)
    guards = [
        f"{indent}if not ({condition}):" if " " in condition else f"{indent}if not {condition}:",
        f'{indent}    raise ValueError(f"{wanted} is wanted, not {{{source}}}")',
    ]
    return Suggestion(path, first.lineno, first.lineno, "\n".join([*guards, line]))


def _number(value: float | None) -> str:
    return repr(int(value)) if value is not None and value == int(value) else repr(value)
