"""Titles and messages of the findings of ``assembly``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from analyzers.assembly.parameter_flow import BuiltLayer
from analyzers.vocabulary import Target

if TYPE_CHECKING:
    from analyzers.assembly.assembly_findings import FixedSizeLayer, UncheckedValue, UnstableModel
    from analyzers.assembly.campaign.suspicions import Suspicion

_LONGEST = 200


def call(built: BuiltLayer) -> str:
    """Return a layer's call as the file has it, on one line."""
    return " ".join(ast.unparse(built.call).split())[:_LONGEST]


def unchecked_title(taken: UncheckedValue) -> str:
    """Return what is taken, and what comes of it."""
    flow = taken.flow
    return f"{_short(flow.built)} takes {flow.source}={taken.value} silently: {taken.comes_of_it}"


def unchecked_message(taken: UncheckedValue) -> str:
    """Return where the value may come from, who says that it is illegal, and what comes of it."""
    flow = taken.flow
    where = taken.settings[0]
    quote = flow.parameter.quote if flow.parameter.said_by == "documentation" else ""
    said = f' (its documentation: "{quote}")' if quote else ""
    seen = "The model that is built so gives" if taken.seen else "What the layer then gives:"
    return (
        f"`{flow.source}` can be set at {where.path}:{where.line} (`{where.says}`) and reaches"
        f" `{flow.built.api.name}` as `{flow.parameter.name}`, which is legal for"
        f" `{taken.condition}`{said}. Neither this code nor the library refuses"
        f" `{flow.source}={taken.value}`. {seen} {taken.comes_of_it}."
    )


def fixed_size_title(found: FixedSizeLayer) -> str:
    """Return which parameter, and which layer does not follow it."""
    line = found.layer.call.lineno
    return f"{found.flow.source}={found.values[0]} breaks {_short(found.layer)} in line {line}"


def fixed_size_message(found: FixedSizeLayer) -> str:
    """Return what was set, what the layer was built for, and what torch says."""
    values = ", ".join(map(str, found.values))
    return (
        f"`{found.flow.source}` is a parameter (default {found.default}) that"
        f" `{call(found.flow.built)}` follows, but `{call(found.layer)}` is built for one"
        " size only."
        f" With {found.flow.source} = {values} the model is built and fails when it is called:"
        f" {found.detail}. Compute the size from `{found.flow.source}`, or do not let it be set."
    )


def unstable_title(found: UnstableModel, target: Target) -> str:
    """Return what is not as it should be."""
    owner = target.function.rpartition(".")[0] or target.function
    if found.condition.startswith("trains"):
        return f"Training {owner} on ordinary inputs does not stay finite"
    what = "Time" if found.detail.startswith("a call takes") else "Memory"
    return f"{what} grows with every call to {owner}"


def unstable_message(found: UnstableModel) -> str:
    """Return what was done, and what came of it."""
    if found.condition.startswith("trains"):
        return (
            f"A few steps of plain gradient descent from its own initial weights: {found.detail}."
        )
    return f"The same call, made many times: {found.detail}."


def library_title(name: str, comes: str, *, died: bool) -> str:
    """Return the title of a value that the library takes, or dies of."""
    return f"{name} kills the process" if died else f"{name} is accepted without an error: {comes}"


def library_message(suspicion: Suspicion, comes: str) -> str:
    """Return the paragraph about a value that the library takes, or dies of."""
    parameter, call = suspicion.parameter, suspicion.call
    backed = parameter.said_by in {"documentation", "error", "code"}
    said = f' ({parameter.said_by}: "{parameter.quote}")' if backed else ""
    whole = (
        "A file assembled with it is built, called and differentiated."
        if suspicion.in_place
        else "Alone, called as its documentation does, it is built, called and differentiated."
    )
    return (
        f"`{call.api}` accepts `{parameter.name}={suspicion.value}` without an error; legal is"
        f" {legal_values(suspicion)}{said}. {whole} Result: {comes}."
    )


def legal_values(suspicion: Suspicion) -> str:
    """Return the choices or the range that is legal for a parameter."""
    parameter = suspicion.parameter
    if parameter.choices:
        return "one of " + ", ".join(parameter.choices)
    left = "(" if parameter.open_low or parameter.low is None else "["
    right = ")" if parameter.open_high or parameter.high is None else "]"
    low = "-∞" if parameter.low is None else f"{parameter.low:g}"
    high = "∞" if parameter.high is None else f"{parameter.high:g}"
    return f"{left}{low}, {high}{right}"


def first_line(detail: str) -> str:
    """Return what a run says of itself: its first line, as far as it can be shown."""
    first = detail.removeprefix("it raised ").strip().partition("\n")[0]
    return "".join(each for each in first if each.isprintable())[:_LONGEST]


def _short(built: BuiltLayer) -> str:
    return built.api.name.rpartition(".")[2]
