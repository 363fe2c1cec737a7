"""What the parts of the interpreter know of each other."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from .ledger import Ledger
from .values import Class, Env, Function, Instance


@dataclass(frozen=True, slots=True)
class Event:
    """A call that the interpreter came by: what is called with what, in which file."""

    function: Any
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    node: ast.Call
    path: str


@dataclass(slots=True)
class Frame:
    """The function that is interpreted: its variables, its file and its class."""

    env: Env
    module: Any
    owner: Class | None = None


class Flow(Protocol):
    """How a block of statements ended."""


class Machine(Protocol):
    """The interpreter, as its parts see it.

    ``enters``: calls of the project's functions are followed.
    """

    ledger: Ledger
    enters: bool
    watch: Callable[[Event], None] | None

    def evaluate(self, node: ast.expr, frame: Frame) -> Any:
        """The value of an expression."""
        ...

    def call(self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """The value of a call."""
        ...

    def run(self, function: Function, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """What a function of the project returns."""
        ...

    def lookup(self, name: str, module: Any) -> Any:
        """What a name means at the top of a file."""
        ...

    def attribute(self, value: Any, name: str) -> Any:
        """An attribute of a value."""
        ...

    def instance(self, of: Class, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Instance:
        """A new object."""
        ...

    def block(self, body: Sequence[ast.stmt], frame: Frame) -> Any:
        """Run statements; how they ended."""
        ...
