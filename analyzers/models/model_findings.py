"""Findings of a model that behaves differently on another execution."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from analyzers.inference.inference_messages import argument_recipes
from analyzers.models.messages import advice_title, message, title
from analyzers.models.model_classes import KERAS, TORCH, TargetModel
from analyzers.models.relevant_executions import ExecutionUse, Relevance
from analyzers.rules import model_rules
from analyzers.vocabulary import (
    Departure,
    Divergence,
    ExecutionResult,
    Finding,
    Json,
    JsonObject,
    Level,
    LibraryBug,
    ModelLayer,
    Target,
    Violated,
    Violates,
)

_KERAS = re.compile(
    r"keras\.layers\.(?:Resizing|UpSampling[12]D)\([^\n]*interpolation='(?:bicubic|lanczos\d)'"
)
"""Each backend resizes with a kernel of its own (the cubic's constant, antialiasing)."""


def differs_by_design(layer: ModelLayer | None) -> bool:
    """Return whether a layer is known to be computed otherwise by each backend of Keras."""
    return layer is not None and _KERAS.search(layer.source) is not None


NAME = "models"
NOT_COMPILED, GRADIENT = "not-compiled", "gradient"
_LAYERS = {TORCH: "torch.nn", KERAS: "keras.layers"}
_RULES = {
    "crash": model_rules.CRASH,
    "non-finite": model_rules.NON_FINITE,
    "divergence": model_rules.DIVERGENCE,
    GRADIENT: model_rules.DIVERGENCE,
    NOT_COMPILED: model_rules.NOT_COMPILED,
}


@dataclass(frozen=True, slots=True)
class ModelContext:
    """Context of the departures of one model; ``line`` is that of its forward."""

    target: Target
    found: TargetModel
    relevance: Relevance
    executed: ExecutionResult
    line: int


@dataclass(frozen=True, slots=True)
class DepartureGroup:
    """Departures of one rule that begin at one layer: one cause. The first is the gravest."""

    departures: tuple[Departure, ...]

    @property
    def first(self) -> Departure:
        """Return the departure that is told and run again."""
        return self.departures[0]

    @property
    def executions(self) -> tuple[str, ...]:
        """Return the executions, each once."""
        return tuple(dict.fromkeys(each.execution for each in self.departures))

    @property
    def is_of_backends(self) -> bool:
        """Return whether backends of Keras differ at a layer of the project."""
        layer = self.first.layer
        return self.first.execution.startswith("keras-") and bool(layer and layer.path)

    def use(self, relevance: Relevance) -> ExecutionUse | None:
        """Return where the project uses the first of the executions that it uses."""
        return next(filter(None, map(relevance.use, self.executions)), None)


def groups(departures: Iterable[Departure], relevance: Relevance) -> list[DepartureGroup]:
    """Return departures by rule and layer; within one those that the project uses come first."""
    kept: dict[tuple[str, str, bool], list[Departure]] = {}
    for each in departures:
        name = each.layer.name if each.layer is not None else ""
        kept.setdefault((each.rule, name, bool(each.mutations)), []).append(each)
    found = [
        DepartureGroup(
            tuple(
                sorted(
                    each,
                    key=lambda one: (
                        relevance.use(one.execution) is None,
                        -(one.error_ratio or 0.0),
                    ),
                )
            )
        )
        for each in kept.values()
    ]
    return sorted(found, key=lambda group: list(_RULES).index(group.first.rule))


_NARROW = frozenset({"bfloat16", "float16"})
"""Casts of a whole model, of which projects often cast a part (``autocast``)."""


def level(group: DepartureGroup, relevance: Relevance, *, everything: bool = False) -> Level | None:
    """Return the level; ``None`` where only the library is at fault, but for ``everything``."""
    weight = _level(group, relevance)
    told = everything and group.first.rule != NOT_COMPILED
    return Level.WARNING if weight is None and told else weight


def _level(group: DepartureGroup, relevance: Relevance) -> Level | None:
    rule, use = group.first.rule, group.use(relevance)
    if rule == NOT_COMPILED:
        return Level.NOTICE if use is not None else None
    if group.first.mutations or group.executions == ("eager",):
        return Level.WARNING if use is not None else None
    by_design = differs_by_design(group.first.layer) or set(group.executions) <= _NARROW
    if use is not None:
        return Level.WARNING if by_design else Level.FAILURE
    declared = any(each in relevance.declared for each in group.executions)
    return Level.WARNING if declared or (group.is_of_backends and not by_design) else None


def finding(group: DepartureGroup, weight: Level, context: ModelContext) -> Finding | None:
    """Return the finding of a group; ``None`` where no run of the target shows it."""
    first, found = group.first, context.found
    ending = first.run.ending
    if not isinstance(ending, Violated):
        return None
    layer = first.layer
    placed = layer is not None and bool(layer.path)
    path, line = (layer.path, layer.line) if layer and placed else (found.path, context.line)
    told = advice_title if first.mutations else title
    kind = "mutant" if first.mutations else GRADIENT if first.rule == GRADIENT else "model"
    return Finding(
        analyzer=NAME,
        rule=_RULES[first.rule].id,
        level=weight,
        path=path,
        line=line,
        end_line=line,
        symbol=found.symbol,
        target=context.target.id,
        title=told(group.first, found.name),
        message=message(
            first, found.name, group.use(context.relevance), group.executions, context.executed
        ),
        evidence=_evidence(group, context),
        probes=(first.probe,),
        criterion=Violates(ending.condition),
        input_kind=f"{kind} {first.execution} {layer.name if layer else ''}".strip(),
    )


def bug(group: DepartureGroup, context: ModelContext) -> LibraryBug | None:
    """Return an entry of the appendix: what one layer of a library does by itself."""
    first = group.first
    layer = first.layer
    if layer is None or not layer.path or not first.single or first.mutations:
        return None
    if first.rule == NOT_COMPILED or first.execution == "eager":
        return None
    library = context.found.framework
    version = dict(context.executed.versions).get(library, "")
    divergence = Divergence(
        api=layer.kind if "." in layer.kind else f"{_LAYERS[library]}.{layer.kind}",
        rule="crash" if first.rule == "crash" else "value",
        relation=first.execution,
        related=first.execution,
        call=first.single,
        outcome=first.outcome,
        expected=first.expected,
    )
    return LibraryBug(NAME, context.target.id, layer.path, layer.line, divergence, version)


def _evidence(group: DepartureGroup, context: ModelContext) -> JsonObject:
    first = group.first
    executions: list[Json] = list(group.executions)
    mutations: list[Json] = list(first.mutations)
    layers: list[Json] = [
        {"layer": each.layer, "error_ratio": _rounded(each.error_ratio)} for each in first.layers
    ]
    made: dict[str, Json] = dict(argument_recipes(first.probe))
    versions: dict[str, Json] = dict(context.executed.versions)
    evidence: dict[str, Json] = {
        "executions": executions,
        "error_ratio": _rounded(first.error_ratio),
        "d_mad": _rounded(first.d_mad),
        "first_layer": first.layer.name if first.layer is not None else None,
        "layers": layers,
        "mutations": mutations,
        "outcome": first.outcome,
        "expected": first.expected,
        "input_range": None if first.low is None else [first.low, first.high],
        "layer": first.single or (first.layer.source if first.layer is not None else ""),
        "model": context.executed.model,
        "versions": versions,
        "arguments": made,
    }
    use = group.use(context.relevance)
    if use is not None and use.line:
        evidence["used_at"] = f"{use.path}:{use.line}"
    return evidence


def _rounded(number: float | None) -> float | None:
    return None if number is None else float(f"{number:.4g}")
