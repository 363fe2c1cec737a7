"""State that one call's arguments share: the tested module's names, and the bound dimensions."""

from __future__ import annotations

import ast
import builtins
from dataclasses import dataclass, field
from functools import lru_cache
from types import CodeType
from typing import Any, Dict, FrozenSet, Iterable, List, Mapping, Optional, Set, Tuple, Union

Size = Union[int, Tuple[int, ...]]


class UnsatisfiableConstraint(Exception):  # noqa: N818 - a fact about the annotation
    """No value meets an annotation, or none can be built here: which, and why."""

    def __init__(self, annotation: str, problem: str) -> None:
        super().__init__(f"{annotation}: {problem}")
        self.annotation = annotation
        self.problem = problem


@dataclass
class CallScope:
    """The scope that strategies are built for once, and then drawn from call by call.

    ``namespace`` has the names of the tested module, ``generators`` the
    contracts of its generator functions.  ``dims`` are the dimensions that this
    call's arguments have bound so far: a size by name, a tuple of sizes by
    ``*name``.  ``known`` are arguments already drawn, for conditions and bounds
    that name them.  ``least`` is the smallest size that each dimension may
    have, ``most`` the largest, so that what is derived from it (``n-1``) is
    never empty; both belong to the annotations, not to one call.  ``arguments``
    are the names of the call's arguments, which come before the module's;
    ``named`` are the dimensions that shapes name, the only other names there are.
    """

    namespace: Mapping[str, Any] = field(default_factory=dict)
    generators: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    dims: Dict[str, Size] = field(default_factory=dict)
    known: Dict[str, Any] = field(default_factory=dict)
    least: Dict[str, int] = field(default_factory=dict)
    most: Dict[str, int] = field(default_factory=dict)
    arguments: FrozenSet[str] = frozenset()
    named: Set[str] = field(default_factory=set)

    def begin(self) -> None:
        """Forget what the last call bound: to be called first in each draw of arguments."""
        self.dims.clear()
        self.known.clear()

    def bind(self, values: Mapping[str, Any]) -> None:
        """Make values of arguments known by name, also as sizes of dimensions."""
        self.known.update(values)
        for name in self.named & values.keys():
            if is_size(values[name]):
                self.dims.setdefault(name, values[name])

    def inner(self) -> CallScope:
        """A scope of the same module for another call (a constructor's, a generator's)."""
        return CallScope(self.namespace, self.generators)

    def unbound(self, source: str) -> FrozenSet[str]:
        """The names of an expression that nothing binds yet: its free dimensions."""
        free = names_in(source) - self.dims.keys() - self.known.keys()
        return frozenset(name for name in free if not self._outside(name))

    def varies(self, source: str) -> bool:
        """Return whether an expression's value depends on the call: on arguments or dimensions."""
        return any(name in self.arguments or not self._outside(name) for name in names_in(source))

    def _outside(self, name: str) -> bool:
        return name in self.namespace or hasattr(builtins, name)

    def value(self, source: str) -> Any:
        """Return what an annotation's expression is worth in this call; raises what it raises."""
        local = {**self.known, **self.dims}
        return eval(compiled(source), dict(self.namespace), local)


def is_size(value: Any) -> bool:
    """Return whether a value can be the size of a dimension."""
    return type(value) is int and value >= 0


@lru_cache(maxsize=512)
def names_in(source: str) -> FrozenSet[str]:
    """The names that an expression reads from outside; raises :class:`SyntaxError`."""
    tree = ast.parse(source.strip(), mode="eval")
    named = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    bound = {node.id for node in named if isinstance(node.ctx, ast.Store)}
    return frozenset({node.id for node in named} - bound)


@lru_cache(maxsize=512)
def compiled(source: str) -> CodeType:
    """An expression, compiled; raises :class:`SyntaxError`."""
    return compile(source.strip(), "<annotation>", "eval")


MOST_IN_VAIN = 200
_WORTH_SAYING = 0.2


@dataclass
class DrawingStatistics:
    """Counts of inputs drawn for one function; ``rejected`` in vain, ``by_condition`` by which."""

    drawn: int = 0
    rejected: int = 0
    by_condition: Dict[str, int] = field(default_factory=dict)
    unmeetable: Optional[UnsatisfiableConstraint] = None

    @property
    def accepted(self) -> int:
        """Those that met all conditions."""
        return self.drawn - self.rejected

    def reject(self, conditions: Iterable[str]) -> None:
        """Count an input drawn in vain; raise ``UnsatisfiableConstraint`` after 200."""
        self.rejected += 1
        for condition in conditions:
            self.by_condition[condition] = self.by_condition.get(condition, 0) + 1
        if self.accepted == 0 and self.rejected >= MOST_IN_VAIN and self.by_condition:
            self.unmeetable = self.unmeetable or self.all_in_vain()
            raise self.unmeetable

    def all_in_vain(self) -> UnsatisfiableConstraint:
        """Return a message on inputs that were all rejected: by which condition most were."""
        worst = max(self.by_condition, key=lambda each: self.by_condition[each], default="")
        return UnsatisfiableConstraint(worst, f"none of the {self.rejected} inputs drawn meets it")

    def notes(self) -> List[str]:
        """Return notes on the conditions that rejected more than a fifth of the inputs."""
        return [
            f"{condition}: {count} of {self.drawn} inputs drawn did not meet it"
            for condition, count in sorted(self.by_condition.items())
            if count > _WORTH_SAYING * self.drawn
        ]
