"""What is known of layers, to be read by people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from analyzers.assembly.layer_tables import Edge, LayerApi, LayerParameter

_UNSAID = "signature"


def summary(version: str, layers: Mapping[str, LayerApi]) -> str:
    """How much is known of all layers, and what is taken silently."""
    parameters = [each for layer in layers.values() for each in layer.parameters]
    limited = [each for each in parameters if each.said_by != _UNSAID]
    lines = [
        f"torch {version}: {len(layers)} layers, {len(parameters)} parameters, "
        f"{len(limited)} of them with a range or choices",
        "taken silently outside their range:",
    ]
    for name, layer in layers.items():
        lines += [f"  {name}({each.name}): {_range(each)}" for each in _unchecked(layer)]
    return "\n".join(lines) + "\n"


def of_layer(layer: LayerApi) -> str:
    """One layer: its parameters, their ranges, who says so, and what comes of others."""
    return "\n".join(_lines(layer)) + "\n"


def _lines(layer: LayerApi) -> Iterator[str]:
    kind = ", a container" if layer.container else ""
    yield f"{layer.name}{kind}"
    yield f"  {layer.describes}"
    if layer.example:
        yield f"  example: {layer.example} on {', '.join(layer.inputs)}"
        yield f"  its output {'has' if layer.keeps_shape else 'need not have'} the input's shape"
    for condition in layer.requires:
        yield f"  requires: {condition}"
    for parameter in layer.parameters:
        yield from _parameter(parameter)


def _parameter(parameter: LayerParameter) -> Iterator[str]:
    default = f" = {parameter.default}" if parameter.default else ""
    tied = ", tied to the input's shape" if parameter.tied else ""
    yield f"  {parameter.name}: {' or '.join(parameter.kinds)}{default}{tied}"
    limits = _range(parameter)
    if not limits:
        return
    yield f"    {limits}, says {parameter.said_by}: {parameter.quote}"
    for edge in parameter.edges:
        yield f"    {_edge(edge)}"


def _edge(edge: Edge) -> str:
    if edge.refused:
        return f"{edge.value} is refused in {edge.refused}: {edge.consequence}"
    return f"{edge.value} is taken silently: {edge.consequence}"


def _range(parameter: LayerParameter) -> str:
    """A range in brackets, an open end in a round one; choices in braces."""
    if parameter.choices:
        return f"{{{', '.join(parameter.choices)}}}"
    if parameter.low is None and parameter.high is None:
        return ""
    left = "(" if parameter.open_low or parameter.low is None else "["
    right = ")" if parameter.open_high or parameter.high is None else "]"
    low = "-inf" if parameter.low is None else f"{parameter.low:g}"
    high = "inf" if parameter.high is None else f"{parameter.high:g}"
    return f"{left}{low}, {high}{right}"


def _unchecked(layer: LayerApi) -> list[LayerParameter]:
    return [each for each in layer.parameters if not each.checked]
