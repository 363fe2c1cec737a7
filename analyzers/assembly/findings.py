"""What is said of layers that take illegal values, and of code that breaks with legal ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analyzers.assembly import telling
from analyzers.assembly.configuration import Built, Flow
from analyzers.assembly.settings import Setting
from analyzers.inference.saying import arguments
from analyzers.vocabulary import (
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
UNCHECKED, STATE = "assembly/unchecked-boundary", "assembly/state"


@dataclass(frozen=True, slots=True)
class Taken:
    """An illegal value that a function takes and hands to a layer.

    ``value`` is its source, ``seen`` what the built model gave with it, where that was tried.
    """

    flow: Flow
    value: str
    condition: str
    probe: Probe
    settings: tuple[Setting, ...]
    seen: str = ""
    consequence: str = ""

    @property
    def comes_of_it(self) -> str:
        """What comes of it, as far as it is known."""
        return self.seen or self.consequence


@dataclass(frozen=True, slots=True)
class Brittle:
    """A parameter that may be set, and a layer that is built for one value of it only."""

    flow: Flow
    default: int
    values: tuple[int, ...]
    layer: Built
    probe: Probe
    condition: str
    detail: str


@dataclass(frozen=True, slots=True)
class Untrained:
    """A model that does not stay as it should when it is trained, or made again."""

    probe: Probe
    condition: str
    detail: str


def unchecked(taken: Taken, target: Target, suggestion: Suggestion | None) -> Finding:
    """The finding of an illegal value that nothing refuses."""
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
        (UNCHECKED, telling.unchecked_title(taken), telling.unchecked(taken)),
        target,
        flow.line,
        (taken.probe, taken.condition),
        evidence,
        f"{flow.built.api.name}.{flow.parameter.name}",
        suggestion,
    )


def brittle(found: Brittle, target: Target) -> Finding:
    """The finding of a legal value that the code around a layer does not follow."""
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
        (STATE, telling.brittle_title(found), telling.brittle(found)),
        target,
        found.layer.call.lineno,
        (found.probe, found.condition),
        evidence,
        f"{flow.source} and {found.layer.api.name}",
    )


def unsteady(found: Untrained, target: Target) -> Finding:
    """The finding of training that goes astray, or of what grows."""
    evidence: dict[str, Json] = {
        "api": "torch.nn.Module",
        "parameter": found.condition.partition("(")[0],
        "value": found.condition.partition("(")[2].rstrip(")").partition(",")[0],
        "derivation": [found.condition],
        "consequence": found.detail,
    }
    kind = found.condition.partition("(")[0]
    return _finding(
        (STATE, telling.unsteady_title(found, target), telling.unsteady(found)),
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
    made: Mapping[str, Json] = dict(arguments(probe))
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


def _call(built: Built) -> str:
    return f"line {built.call.lineno}: {telling.call(built)}"


def gravest(found: Sequence[Taken], most: int) -> list[Taken]:
    """Those whose consequence was seen first; one for each value that is given."""
    kept: dict[str, Taken] = {}
    for each in sorted(found, key=lambda each: (not each.seen, each.flow.line)):
        kept.setdefault(each.flow.source, each)
    return list(kept.values())[:most]
