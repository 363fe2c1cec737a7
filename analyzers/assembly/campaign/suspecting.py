"""What a campaign has to look at again: values that were taken, and what crashed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from analyzers.assembly.campaign.minimal import Minimal, of_function, of_layer, side
from analyzers.assembly.constraints import LayerApi, Parameter
from analyzers.assembly.derivation import DIED, UNCHECKED, Node
from analyzers.assembly.operators import BOUNDARY, Change
from analyzers.assembly.operators.binding import api_of
from analyzers.assembly.operators.values import outside

Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Suspicion:
    """One value of one parameter, to be tried alone.

    ``in_place``: a whole file ran with it, or died of it.  ``derivation`` are the changes
    that lead there, ``line`` is that of the layer in the file.
    """

    call: Minimal
    parameter: Parameter
    value: str
    line: int
    derivation: tuple[str, ...]
    in_place: bool

    @property
    def key(self) -> Key:
        """What it is one of: API, parameter and side of the legal range."""
        return self.call.api, self.parameter.name, side(self.parameter, self.value)


@dataclass(frozen=True, slots=True)
class _Met:
    line: int
    derivation: tuple[str, ...]


class Suspicions:
    """Gathers them from nodes as they come.

    Each API that a node calls is met there.  Where its block does not run in that place,
    its boundaries are checked with the block alone.
    """

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
            self._met.setdefault(api, _Met(node.line, _without_boundary(before, change)))
        if node.kind in {UNCHECKED, DIED} and change.parameter:
            self._add(node, change)

    def _add(self, node: Node, change: Change) -> None:
        layer = self._apis.get(change.api)
        call = of_layer(layer) if layer is not None else of_function(node, self._apis)
        parameter = _parameter(change, layer, node, self._apis)
        if call is None or parameter is None:
            return
        if layer is not None:
            call = call.with_value(change.parameter, change.value)
        found = Suspicion(call, parameter, change.value, node.line, node.derivation, in_place=True)
        self._found.setdefault(found.key, found)

    def calls(self) -> Iterator[Minimal]:
        """The documented calls of the layers that were met."""
        for _, call, _ in self._layers():
            yield call

    def all(self) -> Iterator[Suspicion]:
        """What ran, or died, in its place; then the boundaries of all layers that were met."""
        yield from self._found.values()
        for layer, call, met in self._layers():
            yield from self._alone(layer, call, met)

    def _layers(self) -> Iterator[tuple[LayerApi, Minimal, _Met]]:
        for name, met in self._met.items():
            layer = self._apis.get(name)
            call = None if layer is None else of_layer(layer)
            if layer is not None and call is not None:
                yield layer, call, met

    def _alone(self, layer: LayerApi, call: Minimal, met: _Met) -> Iterator[Suspicion]:
        for parameter in layer.parameters:
            for value in outside(parameter):
                change = Change(BOUNDARY, layer.name, value, parameter.default, parameter.name)
                derivation = (*met.derivation, f"{change.told(met.line)}, alone")
                changed = call.with_value(parameter.name, value)
                found = Suspicion(changed, parameter, value, met.line, derivation, in_place=False)
                if found.key not in self._found:
                    yield found


def _parameter(
    change: Change, layer: LayerApi | None, node: Node, apis: Mapping[str, LayerApi]
) -> Parameter | None:
    known = layer
    if known is None and node.block is not None:
        known = api_of(node.block, apis)
    return None if known is None else known.parameter(change.parameter)


def _without_boundary(derivation: tuple[str, ...], change: Change) -> tuple[str, ...]:
    return derivation[:-1] if change.negative else derivation
