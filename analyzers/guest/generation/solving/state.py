"""What is known while the arguments of a call are drawn one after the other."""

from __future__ import annotations

import ast
from typing import Any, Dict, Mapping

from ...annotations.nouns import Constraint
from .conditions import part
from .numbers import Empty
from .shaping import Dims


class State:
    """Arguments that are still to be drawn, by their constraints, and the values of the others.

    ``environment`` holds the names of the module and the values of those drawn.
    """

    __slots__ = ("changed", "constraints", "dims", "environment")

    def __init__(
        self, constraints: Mapping[str, Constraint], environment: Dict[str, Any], dims: Dims
    ) -> None:
        self.constraints = dict(constraints)
        self.environment = environment
        self.dims = dims
        self.changed = False

    def copy(self) -> State:
        """One to try something in."""
        dims = Dims(self.dims.bound, self.dims.narrowed)
        return State(self.constraints, dict(self.environment), dims)

    def know(self, name: str, value: Any) -> None:
        """An argument has been drawn."""
        self.constraints.pop(name, None)
        self.environment[name] = value

    def narrow(self, name: str, constraint: Constraint) -> None:
        """Let an argument be of this constraint."""
        if constraint != self.constraints[name]:
            self.constraints[name] = constraint
            self.changed = True

    def free(self, node: ast.AST) -> bool:
        """Whether an expression's value depends on what is still to be drawn."""
        return any(
            isinstance(each, ast.Name) and each.id in self.constraints for each in ast.walk(node)
        )

    def worth(self, node: ast.expr) -> Any:
        """The value of an expression that depends on nothing to be drawn; raises what it raises."""
        if isinstance(node, ast.Constant):
            return node.value
        return eval(part(node).code, self.environment)

    def known(self, node: ast.expr) -> Any:
        """The same; raises :class:`Empty` where that cannot be evaluated."""
        try:
            return self.worth(node)
        except Exception as error:
            raise Empty from error

    def take(self, other: State) -> None:
        """Be as another state of the same arguments."""
        self.constraints = other.constraints
        self.environment = other.environment
        self.dims = other.dims
