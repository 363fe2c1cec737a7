"""The smallest program with a value: the layer, or the function, alone and called once."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from analyzers.assembly.derivation.derivation_tree import DIED, UNCHECKED, Node
from analyzers.assembly.disassembly.blocks import BlockArgument
from analyzers.assembly.layer_tables import LayerApi, LayerParameter
from analyzers.assembly.operators.block_changes import (
    BOUNDARY,
    BlockChange,
    api_of,
    example_of,
    is_called,
)
from analyzers.assembly.operators.parameter_values import UnknownError, is_known, outside, value_of

_DRAWN = re.compile(r"torch\.randn?\((?P<shape>\([\d, ]+\))\)")
_WHOLE = ("torch.tensor(", "torch.randint(")
_PROGRAM = """\
import torch

torch.manual_seed(0)
{made}output = {call}
print(output)
"""


@dataclass(frozen=True, slots=True)
class MinimalCall:
    """A call of one API (a layer, or a ``function`` of its inputs) with a parameter at a value."""

    api: str
    arguments: tuple[BlockArgument, ...]
    inputs: tuple[str, ...]
    function: bool = False

    @property
    def made(self) -> str:
        """Return the source of what takes the inputs."""
        if self.function:
            return f"lambda *given: {self.api}({_joined(('*given', *self._written))})"
        return f"{self.api}({_joined(self._written)})"

    @property
    def program(self) -> str:
        """Return a program that shows it, to be read and run by anybody."""
        if self.function:
            call = f"{self.api}({_joined((*self.inputs, *self._written))})"
            return _PROGRAM.format(made="", call=call)
        made = f"layer = {self.made}\n"
        return _PROGRAM.format(made=made, call=f"layer({_joined(self.inputs)})")

    @property
    def refused(self) -> str:
        """Return the postcondition that the library refuses it; inputs without words are left."""
        given = [_recipe(each) for each in self.inputs]
        known = [each for each in given if each is not None]
        if self.function:
            call = f"{self.api}({_joined((*known, *self._written))})"
        elif len(known) == len(given) and known:
            call = f"{self.made}({_joined(known)})"
        else:
            call = self.made
        return f"refuses({call!r})"

    def fed(self, change: str) -> MinimalCall:
        """Return the call with something done to all its inputs that are no integers."""
        inputs = (each if each.startswith(_WHOLE) else each + change for each in self.inputs)
        return replace(self, inputs=tuple(inputs))

    @property
    def _written(self) -> tuple[str, ...]:
        return tuple(each.source for each in self.arguments)

    def with_value(self, parameter: str, value: str) -> MinimalCall:
        """Return the call with another value of a parameter."""
        kept = tuple(each for each in self.arguments if each.name != parameter)
        return replace(self, arguments=(*kept, BlockArgument(parameter, value)))


def of_layer(api: LayerApi) -> MinimalCall | None:
    """Return the documented call of a layer; ``None`` where none is known."""
    if not api.inputs or not api.example:
        return None
    arguments = tuple(BlockArgument(name, value) for name, value in example_of(api).items())
    return MinimalCall(api.name, arguments, api.inputs)


def of_function(node: Node, apis: Mapping[str, LayerApi]) -> MinimalCall | None:
    """Return the call of a function in a node, where all that it is given are literals."""
    block = node.block
    if block is None or not is_called(block):
        return None
    if not all(is_known(each.value) and "*" not in each.name for each in block.arguments):
        return None
    layer = api_of(block, apis)
    inputs = () if layer is None else layer.inputs
    if not inputs or any(_recipe(each) is None for each in inputs):
        return None
    return MinimalCall(block.api, block.arguments, inputs, function=True)


def legal(parameter: LayerParameter) -> Iterator[str]:
    """Yield the sources of some legal values of a parameter: its default, the ends of its range."""
    values = dict.fromkeys([parameter.default] if parameter.default else [])
    ends = ((parameter.low, parameter.open_low), (parameter.high, parameter.open_high))
    for end, is_open in ends:
        if end is not None and not is_open and not math.isinf(end):
            values[repr(float(end)) if "float" in parameter.kinds else str(int(end))] = None
    yield from values


def side(parameter: LayerParameter, value: str) -> str:
    """On which side of a legal range a value lies: ``below``, ``above``, or ``beside`` choices."""
    try:
        number = value_of(value)
    except UnknownError:
        return "beside"
    member = number[0] if isinstance(number, tuple | list) and number else number
    if not isinstance(member, int | float):
        return "beside"
    return "below" if parameter.low is not None and member <= parameter.low else "above"


def _joined(sources: tuple[str, ...] | list[str]) -> str:
    return ", ".join(sources)


def _recipe(source: str) -> str | None:
    found = _DRAWN.fullmatch(source)
    return None if found is None else f"tensor({found['shape']}, seed=1)"


Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Suspicion:
    """One value of one parameter, to be tried alone.

    ``in_place``: a whole file ran with it, or died of it.  ``derivation`` are the changes
    that lead there, ``line`` is that of the layer in the file.
    """

    call: MinimalCall
    parameter: LayerParameter
    value: str
    line: int
    derivation: tuple[str, ...]
    in_place: bool

    @property
    def key(self) -> Key:
        """Return what it is one of: API, parameter and side of the legal range."""
        return self.call.api, self.parameter.name, side(self.parameter, self.value)


@dataclass(frozen=True, slots=True)
class _Met:
    line: int
    derivation: tuple[str, ...]


class Suspicions:
    """Gathers suspicions from nodes; blocks that do not run in place are checked alone."""

    def __init__(self, apis: Mapping[str, LayerApi]) -> None:
        self._apis = apis
        self._met: dict[str, _Met] = {}
        self._found: dict[Key, Suspicion] = {}

    def heed(self, node: Node) -> None:
        """Take what a node says."""
        change = node.change
        if change is None:
            return
        for api in (change.api, change.was if not change.parameter else change.api):
            before = node.derivation if api == change.api else node.derivation[:-1]
            self._met.setdefault(api, _Met(node.line, before[:-1] if change.negative else before))
        if node.kind in {UNCHECKED, DIED} and change.parameter:
            self._add(node, change)

    def _add(self, node: Node, change: BlockChange) -> None:
        layer = self._apis.get(change.api)
        call = of_layer(layer) if layer is not None else of_function(node, self._apis)
        block = node.block
        known = api_of(block, self._apis) if layer is None and block is not None else layer
        parameter = None if known is None else known.parameter(change.parameter)
        if call is None or parameter is None:
            return
        if layer is not None:
            call = call.with_value(change.parameter, change.value)
        found = Suspicion(call, parameter, change.value, node.line, node.derivation, in_place=True)
        self._found.setdefault(found.key, found)

    def calls(self) -> Iterator[MinimalCall]:
        """Yield the documented calls of all layers: first of those that were met."""
        others = self._apis.keys() - self._met.keys()
        known = (of_layer(self._apis[name]) for name in sorted(others))
        yield from (call for _, call, _ in self._layers())
        yield from (call for call in known if call is not None)

    def all(self) -> Iterator[Suspicion]:
        """Yield what ran, or died, in its place; then the boundaries of all layers met."""
        yield from self._found.values()
        for layer, call, met in self._layers():
            yield from self._alone(layer, call, met)

    def _layers(self) -> Iterator[tuple[LayerApi, MinimalCall, _Met]]:
        for name, met in self._met.items():
            layer = self._apis.get(name)
            call = None if layer is None else of_layer(layer)
            if layer is not None and call is not None:
                yield layer, call, met

    def _alone(self, layer: LayerApi, call: MinimalCall, met: _Met) -> Iterator[Suspicion]:
        for parameter in layer.parameters:
            for value in outside(parameter):
                change = BlockChange(BOUNDARY, layer.name, value, parameter.default, parameter.name)
                derivation = (*met.derivation, f"{change.told(met.line)}, alone")
                changed = call.with_value(parameter.name, value)
                found = Suspicion(changed, parameter, value, met.line, derivation, in_place=False)
                if found.key not in self._found:
                    yield found
