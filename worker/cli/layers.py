"""``assayer layers``: what the constructors of a library's layers take."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path

import click

from analyzers.assembly import layer_tables
from analyzers.assembly.layer_tables import Edge, LayerApi, LayerParameter
from worker.cli.relation_tables import publish, whole
from worker.errors import UsageError

_PATH = click.Path(path_type=Path)


@click.group(
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="How ranges are found and what they rest on: docs/layers.md.",
)
def layers() -> None:
    """Show the legal values of the constructors of a library's layers, and their source.

    \b
    assayer layers show                       what is taken silently outside its range
    assayer layers show torch.nn.LayerNorm    its parameters, ranges, constraints
    """  # noqa: D301 - click reads the escape


@layers.command(epilog="Exit status: 0 shown, 2 wrong usage, 3 our fault or the machine's.")
@click.argument("name", required=False)
@click.option("--version", metavar="V", help="Of which torch (default: the newest that is known).")
@click.option(
    "--format", "form", type=click.Choice(("text", "json")), default="text", show_default=True
)
@click.option("--output", type=_PATH, metavar="FILE", help="Write it to FILE.")
@whole()
def show(name: str | None, version: str | None, form: str, output: Path | None) -> int:
    """Print what is known of all layers, or of one.

    Each range says who says it and the words it rests on, and what the library
    does with a value just outside: refuses it, and where, or takes it silently,
    and what comes of that.
    """
    known = layer_tables.versions()
    version = version or (known[-1] if known else "")
    found = layer_tables.load(version)
    if reason := layer_tables.missing(version):
        raise UsageError(reason)
    chosen = [_named(found, name)] if name else list(found.values())
    if form == "json":
        text = json.dumps([asdict(each) for each in chosen], indent=2) + "\n"
    else:
        text = (
            ("\n".join(_lines(chosen[0])) + "\n")
            if name
            else _summary(layer_tables.loaded(version) or version, found)
        )
    publish(text, output)
    return 0


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
