"""A block's arguments by parameter, and a block with other arguments."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from analyzers.assembly.disassembly.blocks import FUNCTION, LOSS, Block, BlockArgument
from analyzers.assembly.layer_tables import LayerApi
from analyzers.assembly.operators.parameter_values import is_known

REPLACEMENT = "api replacement"
GENERATION = "random generation"
BOUNDARY = "boundary checking"


@dataclass(frozen=True, slots=True)
class BlockChange:
    """Change of one block.

    ``api`` is the changed block's; ``parameter`` is empty for a replaced API.  ``value`` and
    ``was`` are the new and the former source, ``was`` empty where a default was in force;
    for a replacement they are the two APIs.  ``tied`` are other parameters that a condition
    made change too.  ``group`` is the equivalence class: changes of a group test the same.
    """

    operator: str
    api: str
    value: str
    was: str = ""
    parameter: str = ""
    tied: tuple[tuple[str, str], ...] = ()
    group: str = ""

    @property
    def negative(self) -> bool:
        """Return whether the library should refuse the changed block."""
        return self.operator == BOUNDARY

    def told(self, line: int) -> str:
        """Return the change in a line: ``api replacement: torch.nn.ReLU → torch.nn.GELU …``."""
        was = self.was or "its default"
        if not self.parameter:
            return f"{self.operator}: {was} → {self.value} at line {line}"
        more = "".join(f", {name} → {value}" for name, value in self.tied)
        name = f"{self.api}({self.parameter})"
        return f"{self.operator}: {name} {was} → {self.value}{more} at line {line}"


@dataclass(frozen=True, slots=True)
class BlockMutant:
    """A changed block, and what was changed."""

    block: Block
    change: BlockChange


FUNCTIONS = "torch.nn.functional."


def api_of(block: Block, apis: Mapping[str, LayerApi]) -> LayerApi | None:
    """Return what is known of a block's API; of the layer of the same name for a function."""
    if block.api in apis:
        return apis[block.api]
    if not is_called(block):
        return None
    return apis.get(_twins(tuple(apis)).get(_plain(block.api), ""))


def is_called(block: Block) -> bool:
    """Return whether a block is a call of a function (and no layer that is made and called)."""
    return bool(block.fed) and not block.api.rpartition(".")[2][:1].isupper()


@lru_cache(maxsize=16)
def _twins(apis: tuple[str, ...]) -> Mapping[str, str]:
    return {_plain(name): name for name in apis}


def _plain(api: str) -> str:
    return api.rpartition(".")[2].replace("_", "").lower()


def bound(block: Block, api: LayerApi) -> dict[str, str] | None:
    """Return the sources of a block's arguments by parameter; ``None`` where that cannot be told.

    Of a function's, where only the layer of its name is known, those that are given by
    keyword and the first, all literals: positions and meanings agree no further.
    """
    if is_called(block) and api.name != block.api:
        return _shared(block, api)
    found, left = dict[str, str](), [each.name for each in api.parameters]
    for argument in block.arguments:
        if argument.name.startswith("*") or not left:
            return None
        name = argument.name or left[0]
        if name not in left:
            return None
        left.remove(name)
        found[name] = argument.value
    return found


def _shared(block: Block, api: LayerApi) -> dict[str, str]:
    found = dict[str, str]()
    for position, argument in enumerate(block.arguments):
        first = position == 0 and not argument.name and api.parameters
        name = api.parameters[0].name if first else argument.name
        if api.parameter(name) is not None and is_known(argument.value):
            found[name] = argument.value
    return found


def complete(api: LayerApi, given: Mapping[str, str]) -> dict[str, str]:
    """Return arguments with the defaults of those that are not given."""
    defaults = {each.name: each.default for each in api.parameters if each.default}
    return {**defaults, **given}


def example_of(api: LayerApi) -> dict[str, str]:
    """Return the sources of the arguments in the example of an API; none where it has none."""
    try:
        tree = ast.parse(api.example.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return {}
    if not isinstance(tree, ast.Call) or any(isinstance(e, ast.Starred) for e in tree.args):
        return {}
    by_position = zip(api.parameters, tree.args, strict=False)
    found = {parameter.name: ast.unparse(each) for parameter, each in by_position}
    found.update({each.arg: ast.unparse(each.value) for each in tree.keywords if each.arg})
    return found


def with_arguments(block: Block, api: LayerApi, changes: Mapping[str, str]) -> Block:
    """Return a block with some arguments changed; what was not given is added by keyword."""
    left, kept = dict(changes), list[BlockArgument]()
    free = [each.name for each in api.parameters]
    if is_called(block) and api.name != block.api:
        free = free[:1]
    for argument in block.arguments:
        name = argument.name or (free[0] if free else "")
        free = [each for each in free if each != name]
        kept.append(replace(argument, value=left.pop(name, argument.value)))
    kept += [BlockArgument(name, value) for name, value in left.items()]
    return rewritten(block, block.api, block.function, tuple(kept))


def rewritten(block: Block, api: str, function: str, arguments: tuple[BlockArgument, ...]) -> Block:
    """Return a block that calls something else; its pieces keep their number of lines."""
    text = ", ".join(each.source for each in arguments)
    changed = replace(block, api=api, function=function, arguments=arguments)
    if not block.fed:
        pieces: tuple[str, ...] = (f"{function}({text})",)
    elif is_called(changed):
        pieces = (f"{function}(", f", {text})" if text else ")")
    else:
        pieces = (f"{function}({text})(", ")")
    same = zip(pieces, block.pieces, strict=True)
    return replace(changed, pieces=tuple(_as_long(new, old) for new, old in same))


def _as_long(piece: str, former: str) -> str:
    breaks = "\n" * (former.count("\n") - piece.count("\n"))
    if not breaks:
        return piece
    return piece + breaks if piece.endswith("(") else f"{piece[:-1]}{breaks})"


def is_replaceable(block: Block) -> bool:
    """Return whether another layer can replace a block: a loss's function has a target too."""
    return not (block.role == LOSS and is_called(block))


def kind(api: str, role: str) -> str:
    """Among which a block is replaced: losses by losses, layers by layers."""
    return LOSS if api.endswith("Loss") or role == LOSS else FUNCTION
