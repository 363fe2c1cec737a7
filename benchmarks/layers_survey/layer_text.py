"""Layers of a library for a person, and as JSON.

    python -m benchmarks.layers_survey.layer_text                       what is taken silently
    python -m benchmarks.layers_survey.layer_text torch.nn.LayerNorm    one layer

Each range comes with its source and the words of that source. For a value just outside the range
it says whether the library refuses it, and where, or accepts it, and with which result.
"""

from __future__ import annotations

import argparse
import difflib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict

from analyzers.assembly import layer_tables
from analyzers.assembly.layer_tables import Edge, LayerApi, LayerParameter
from worker.errors import UsageError


def text_of_layers(name: str | None, version: str | None, form: str) -> str:
    """Return what is known of all layers, or of one; raise ``UsageError`` where nothing is."""
    known = layer_tables.versions()
    version = version or (known[-1] if known else "")
    found = layer_tables.load(version)
    if reason := missing(version):
        raise UsageError(reason)
    chosen = [_named(found, name)] if name else list(found.values())
    if form == "json":
        return json.dumps([asdict(each) for each in chosen], indent=2) + "\n"
    if name:
        return "\n".join(_lines(chosen[0])) + "\n"
    return _summary(layer_tables.loaded(version) or version, found)


def _named(found: Mapping[str, LayerApi], name: str) -> LayerApi:
    """The layer of a name, ``torch.nn.`` left out or not; raises ``UsageError``."""
    for each in (name, f"torch.nn.{name}", f"torch.{name}"):
        if each in found:
            return found[each]
    close = difflib.get_close_matches(name, [*found], n=3) or difflib.get_close_matches(
        f"torch.nn.{name}", [*found], n=3
    )
    hint = f"; meant may be {', '.join(close)}" if close else ""
    raise UsageError(f"nothing is known of a layer {name!r}{hint}")


_UNSAID = "signature"


def _summary(version: str, layers: Mapping[str, LayerApi]) -> str:
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


def main() -> None:
    """Print what is known."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", nargs="?", help="only this layer")
    parser.add_argument("--version", help="of which torch (default: the newest that is known)")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    given = parser.parse_args()
    print(text_of_layers(given.name, given.version, given.format), end="")


if __name__ == "__main__":
    main()


def missing(version: str) -> str | None:
    """Return why nothing is known of the layers of a version; ``None`` where something is."""
    if layer_tables.loaded(version) is not None:
        return None
    there = ", ".join(layer_tables.versions()) or "no version"
    return f"nothing is known of the layers of torch {version} or an older one (known: {there})"
