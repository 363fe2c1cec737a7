"""Mutations as one readable line, and back: strict, without torch, nothing evaluated.

``LA conv1: Conv2d(6, 6, 3, padding=1) @5; GF fc1: weight @7; LR relu`` is a model of which
three things were changed, in that order.  A name of ``.`` is the model itself.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Any, List, Mapping, Optional, Sequence, Tuple

from ..model_types import Mutation

REMOVAL, SWITCH, COPY, ADDITION, BUNDLE = "LR", "LS", "LC", "LA", "MLA"
DEACTIVATION, REACTIVATION = "AFRm", "AFRp"
FUZZING, SHUFFLING, INVERSION, BLOCKING, EXCHANGE = "GF", "WS", "NAI", "NEB", "NS"

INTACT: Mapping[str, str] = {
    REMOVAL: "layer removal",
    SWITCH: "layer switch",
    COPY: "layer copy",
    ADDITION: "layer addition",
    BUNDLE: "multi-layers addition",
    DEACTIVATION: "activation function removal",
    REACTIVATION: "activation function replacement",
}
"""Rules that take a whole layer."""

INNER: Mapping[str, str] = {
    FUZZING: "Gaussian fuzzing",
    SHUFFLING: "weights shuffling",
    INVERSION: "neuron activation inverse",
    BLOCKING: "neuron effect block",
    EXCHANGE: "neuron switch",
}
"""Rules that change neurons of a layer."""

RULES: Mapping[str, str] = {**INTACT, **INNER}
"""Every rule and what it is called."""

LONGEST = 4096
"""Characters that a line of mutations may have."""
SEEDS = 2**31
"""Seeds are below it."""

_NAME = r"(?:\.|[^\W.][\w#-]*(?:\.[\w#-]+)*)"
_ONE = re.compile(rf"([A-Za-z]+) ({_NAME})(?:: ([^;@]+))?(?: @(0|[1-9][0-9]*))?")
_WEIGHT = re.compile(r"[^\W\d]\w*")
_LAYER = re.compile(r"[A-Z][A-Za-z0-9]*\([\w.,=' ()+-]{0,200}\)")
_WORD = re.compile(r"[a-z_]{1,40}")
_NUMBERS = (bool, int, float)


class MalformedMutation(ValueError):  # noqa: N818 - a fact about a line
    """A line does not spell mutations; says why."""


@dataclass(frozen=True)
class WrittenLayer:
    """A layer as written in a mutation: ``torch.nn``'s ``kind`` and what it is made with."""

    kind: str
    arguments: Tuple[Any, ...]
    keywords: Mapping[str, Any]


def format_mutations(mutations: Sequence[Mutation]) -> str:
    """Return the mutations as one line that :func:`parse_mutations` reads back exactly."""
    return "; ".join(_one(mutation) for mutation in mutations)


def _one(mutation: Mutation) -> str:
    detail = f": {mutation.detail}" if mutation.detail else ""
    seed = f" @{mutation.seed}" if mutation.seed else ""
    return f"{mutation.rule} {mutation.layer}{detail}{seed}"


def parse_mutations(line: str) -> List[Mutation]:
    """Return the mutations that a line spells; an empty line has none.

    Raises :class:`MalformedMutation` for anything that :func:`format_mutations` does not write.
    """
    if len(line) > LONGEST:
        raise MalformedMutation(f"a line of {len(line)} characters")
    mutations = [_parsed(part) for part in line.split("; ")] if line else []
    if format_mutations(mutations) != line:
        raise MalformedMutation(f"not as it would be written: {line[:200]!r}")
    return mutations


def _parsed(part: str) -> Mutation:
    matched = _ONE.fullmatch(part)
    if matched is None:
        raise MalformedMutation(f"not a mutation: {part[:200]!r}")
    rule, layer, detail, seed = matched.groups()
    mutation = Mutation(rule, layer, detail or "", int(seed or 0))
    problem = _problem(mutation)
    if problem:
        raise MalformedMutation(f"{part[:200]!r}: {problem}")
    return mutation


def is_writable_name(layer: str) -> bool:
    """Return whether a layer's name can stand in a line of mutations."""
    return re.fullmatch(_NAME, layer) is not None


def _problem(mutation: Mutation) -> Optional[str]:
    if mutation.rule not in RULES:
        return "no such rule"
    if mutation.seed >= SEEDS:
        return "too large a seed"
    if mutation.rule in (REMOVAL, COPY, DEACTIVATION):
        return "takes no more than a layer" if mutation.detail or mutation.seed else None
    if mutation.rule == SWITCH:
        return None if is_writable_name(mutation.detail) else "no other layer"
    if mutation.rule in (ADDITION, BUNDLE, REACTIVATION):
        return _unmade(mutation.rule, mutation.detail)
    return None if _WEIGHT.fullmatch(mutation.detail) else "no name of a weight"


def _unmade(rule: str, detail: str) -> Optional[str]:
    try:
        layers = layers_of(detail)
    except MalformedMutation as error:
        return str(error)
    wanted = len(layers) > 1 if rule == BUNDLE else len(layers) == 1
    return None if wanted else f"{len(layers)} layers"


def layers_of(detail: str) -> List[WrittenLayer]:
    """Return the layers of ``Conv2d(6, 12, 1) > ReLU() > Conv2d(12, 6, 1)``, in order."""
    return [_made(source) for source in detail.split(" > ")]


def _made(source: str) -> WrittenLayer:
    if _LAYER.fullmatch(source) is None:
        raise MalformedMutation(f"not a layer: {source[:100]!r}")
    try:
        call = ast.parse(source, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise MalformedMutation(f"not a layer: {source[:100]!r}") from None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        raise MalformedMutation(f"not a layer: {source[:100]!r}")
    keywords = {word.arg: _value(word.value) for word in call.keywords if word.arg is not None}
    if len(keywords) != len(call.keywords):
        raise MalformedMutation(f"not a layer: {source[:100]!r}")
    made = WrittenLayer(call.func.id, tuple(_value(each) for each in call.args), keywords)
    if layer_text(made) != source:
        raise MalformedMutation(f"not as it would be written: {source[:100]!r}")
    return made


def _value(node: ast.expr) -> Any:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError):
        raise MalformedMutation("an argument that is no constant") from None
    each = value if isinstance(value, tuple) else (value,)
    if not all(map(_is_plain, each)):
        raise MalformedMutation("an argument that is neither a number, a word nor a tuple of them")
    return value


def _is_plain(value: Any) -> bool:
    if isinstance(value, str):
        return _WORD.fullmatch(value) is not None
    return isinstance(value, _NUMBERS)


def layer_text(made: WrittenLayer) -> str:
    """Return the layer as Python source, without ``torch.nn.``."""
    words = [repr(each) for each in made.arguments]
    words += [f"{name}={value!r}" for name, value in made.keywords.items()]
    return f"{made.kind}({', '.join(words)})"


def layer(kind: str, *arguments: Any, **keywords: Any) -> str:
    """Return the source of a layer that is to be made."""
    return layer_text(WrittenLayer(kind, arguments, keywords))


_SHARE = "30 % of the neurons"


def described(mutation: Mutation) -> str:
    """Return what a mutation does to a model: "an `nn.ReLU()` after `layer1.0.conv1`".

    The mutation is one that :func:`parse_mutations` gave.
    """
    rule, detail = mutation.rule, mutation.detail
    return _WORDS[rule].format(
        place=_place(mutation.layer),
        other=_place(detail),
        layers=_layers(detail) if rule in (ADDITION, BUNDLE, REACTIVATION) else "",
        weight=detail,
    )


def _place(name: str) -> str:
    if name == ".":
        return "the model's own"
    layer, sharp, count = name.partition("#")
    rest = count.split(".")[0]
    return f"`{layer}` (use {rest})" if sharp and rest.isdigit() else f"`{name}`"


def _layers(detail: str) -> str:
    return ", ".join(f"`nn.{layer_text(made)}`" for made in layers_of(detail))


_WORDS: Mapping[str, str] = {
    REMOVAL: "without {place}",
    COPY: "{place} twice in a row",
    DEACTIVATION: "without the activation {place}",
    SWITCH: "{place} and {other} in each other's place",
    ADDITION: "an {layers} after {place}",
    BUNDLE: "{layers} after {place}",
    REACTIVATION: "an {layers} instead of the activation {place}",
    FUZZING: f"noise on the weights of {_SHARE} in {{place}} ({{weight}})",
    SHUFFLING: f"shuffled weights of {_SHARE} in {{place}} ({{weight}})",
    INVERSION: f"the sign of {_SHARE} turned in {{place}} ({{weight}})",
    BLOCKING: f"zero weights for {_SHARE} that feed it in {{place}} ({{weight}})",
    EXCHANGE: f"{_SHARE} that feed it in each other's place in {{place}} ({{weight}})",
}
