"""Findings of assembly in words."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from analyzers.assembly.parameter_flow import BuiltLayer
from analyzers.vocabulary import Target

if TYPE_CHECKING:
    from analyzers.assembly.assembly_findings import FixedSizeLayer, UncheckedValue, UnstableModel

_LONGEST = 200


def call(built: BuiltLayer) -> str:
    """A layer's call as the file has it, on one line."""
    return " ".join(ast.unparse(built.call).split())[:_LONGEST]


def unchecked_title(taken: UncheckedValue) -> str:
    """What is taken, and what comes of it."""
    flow = taken.flow
    return f"{_short(flow.built)} takes {flow.source}={taken.value} silently: {taken.comes_of_it}"


def unchecked_message(taken: UncheckedValue) -> str:
    """Where the value may come from, who says that it is illegal, and what comes of it."""
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
    """Which parameter, and which layer does not follow it."""
    line = found.layer.call.lineno
    return f"{found.flow.source}={found.values[0]} breaks {_short(found.layer)} in line {line}"


def fixed_size_message(found: FixedSizeLayer) -> str:
    """What was set, what the layer was built for, and what torch says."""
    values = ", ".join(map(str, found.values))
    return (
        f"`{found.flow.source}` is a parameter (default {found.default}) that"
        f" `{call(found.flow.built)}` follows, but `{call(found.layer)}` is built for one"
        " size only."
        f" With {found.flow.source} = {values} the model is built and fails when it is called:"
        f" {found.detail}. Compute the size from `{found.flow.source}`, or do not let it be set."
    )


def unstable_title(found: UnstableModel, target: Target) -> str:
    """What is not as it should be."""
    owner = target.function.rpartition(".")[0] or target.function
    if found.condition.startswith("trains"):
        return f"Training {owner} on ordinary inputs does not stay finite"
    return f"Making and calling {owner} again and again uses more and more"


def unstable_message(found: UnstableModel) -> str:
    """What was done, and what came of it."""
    if found.condition.startswith("trains"):
        return (
            f"A few steps of plain gradient descent from its own initial weights: {found.detail}."
        )
    return f"The same call, made many times: {found.detail}."


def first_line(detail: str) -> str:
    """What a run says of itself: its first line, as far as it can be shown."""
    first = detail.removeprefix("it raised ").strip().partition("\n")[0]
    return "".join(each for each in first if each.isprintable())[:_LONGEST]


def _short(built: BuiltLayer) -> str:
    return built.api.name.rpartition(".")[2]
