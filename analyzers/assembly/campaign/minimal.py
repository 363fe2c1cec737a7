"""The smallest program with a value: the layer, or the function, alone and called once."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from analyzers.assembly.constraints import LayerApi, Parameter
from analyzers.assembly.derivation import Node
from analyzers.assembly.disassembly import Argument
from analyzers.assembly.operators.binding import api_of, example_of, is_called
from analyzers.assembly.operators.literals import UnknownError, is_known, value_of

_DRAWN = re.compile(r"torch\.randn?\((?P<shape>\([\d, ]+\))\)")
_WHOLE = ("torch.tensor(", "torch.randint(")
_PROGRAM = """\
import torch

torch.manual_seed(0)
{made}output = {call}
print(output)
"""


@dataclass(frozen=True, slots=True)
class Minimal:
    """A call of one API, with one parameter at some value.

    ``arguments`` are sources; ``inputs`` are the sources of what it is called with.
    ``function``: it is called with its inputs and arguments, and no layer is made.
    """

    api: str
    arguments: tuple[Argument, ...]
    inputs: tuple[str, ...]
    function: bool = False

    @property
    def made(self) -> str:
        """The source of what takes the inputs."""
        if self.function:
            return f"lambda *given: {self.api}({_joined(('*given', *self._written))})"
        return f"{self.api}({_joined(self._written)})"

    @property
    def program(self) -> str:
        """A program that shows it, to be read and run by anybody."""
        if self.function:
            call = f"{self.api}({_joined((*self.inputs, *self._written))})"
            return _PROGRAM.format(made="", call=call)
        made = f"layer = {self.made}\n"
        return _PROGRAM.format(made=made, call=f"layer({_joined(self.inputs)})")

    @property
    def refused(self) -> str:
        """The condition that the library refuses it, in the words of postconditions.

        Inputs that those words do not have are left out: then the layer is only made.
        """
        given = [_recipe(each) for each in self.inputs]
        known = [each for each in given if each is not None]
        if self.function:
            call = f"{self.api}({_joined((*known, *self._written))})"
        elif len(known) == len(given) and known:
            call = f"{self.made}({_joined(known)})"
        else:
            call = self.made
        return f"refuses({call!r})"

    def fed(self, change: str) -> Minimal:
        """The call with something done to all its inputs that are no integers."""
        inputs = (each if each.startswith(_WHOLE) else each + change for each in self.inputs)
        return replace(self, inputs=tuple(inputs))

    @property
    def _written(self) -> tuple[str, ...]:
        return tuple(f"{each.name}={each.value}".removeprefix("=") for each in self.arguments)

    def with_value(self, parameter: str, value: str) -> Minimal:
        """The call with another value of a parameter."""
        kept = tuple(each for each in self.arguments if each.name != parameter)
        return replace(self, arguments=(*kept, Argument(parameter, value)))


def of_layer(api: LayerApi) -> Minimal | None:
    """The documented call of a layer; ``None`` where none is known."""
    if not api.inputs or not api.example:
        return None
    arguments = tuple(Argument(name, value) for name, value in example_of(api).items())
    return Minimal(api.name, arguments, api.inputs)


def of_function(node: Node, apis: Mapping[str, LayerApi]) -> Minimal | None:
    """The call of a function in a node, where all that it is given are literals."""
    block = node.block
    if block is None or not is_called(block) or not _are_plain(block.arguments):
        return None
    layer = api_of(block, apis)
    inputs = () if layer is None else layer.inputs
    if not inputs or any(_recipe(each) is None for each in inputs):
        return None
    return Minimal(block.api, block.arguments, inputs, function=True)


def _are_plain(arguments: tuple[Argument, ...]) -> bool:
    return all(is_known(each.value) and "*" not in each.name for each in arguments)


def legal(parameter: Parameter) -> Iterator[str]:
    """The sources of some legal values of a parameter: its default, and the ends of its range."""
    values = dict.fromkeys([parameter.default] if parameter.default else [])
    ends = ((parameter.low, parameter.open_low), (parameter.high, parameter.open_high))
    for end, is_open in ends:
        if end is not None and not is_open and not math.isinf(end):
            values[repr(float(end)) if "float" in parameter.kinds else str(int(end))] = None
    yield from values


def side(parameter: Parameter, value: str) -> str:
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
