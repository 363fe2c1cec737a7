"""Recorder that an instrumented program calls: it notes which points occurred."""

from __future__ import annotations

import itertools
import threading
from typing import Any, Callable, Dict, Iterable, List, Sequence, Set

_PLAIN = frozenset((int, float, complex, str, bytes, list, tuple, dict, set, frozenset, type(None)))
_COMPARABLE = (str, int, float, bytes, type(None))
_END = object()
_LINKS: Dict[str, Callable[[Any, Any], Any]] = {
    "Eq": lambda a, b: a == b,
    "NotEq": lambda a, b: a != b,
    "Lt": lambda a, b: a < b,
    "LtE": lambda a, b: a <= b,
    "Gt": lambda a, b: a > b,
    "GtE": lambda a, b: a >= b,
    "Is": lambda a, b: a is b,
    "IsNot": lambda a, b: a is not b,
    "In": lambda a, b: a in b,
    "NotIn": lambda a, b: a not in b,
}


class Recorder:
    """Collects the numbers of the points that occur, in :attr:`hits`.

    A condition has two neighbouring points, true and then false.  Where the
    program tests a value, it is tested here once and the program goes on with
    the resulting bool; where the program keeps the value, only values whose
    truth cannot have an effect are looked at.
    """

    def __init__(self) -> None:
        self.hits: Set[int] = set()
        self._kept = threading.local()

    def truth(self, point: int, value: Any) -> bool:
        """Test a value as ``if`` does."""
        if value:
            self.hits.add(point)
            return True
        self.hits.add(point + 1)
        return False

    def peek(self, point: int, value: Any) -> Any:
        """Note a value that the program keeps, without testing objects."""
        if value is True:
            self.hits.add(point)
        elif value is False:
            self.hits.add(point + 1)
        elif isinstance(value, bool) or type(value) in _PLAIN or _is_numpy_bool(value):
            self.truth(point, value)
        return value

    def either(self, point: int, value: Any) -> bool:
        """Test the left operand of ``or`` and keep it when it is the result."""
        truth = self.truth(point, value)
        if truth:
            self._keep(value)
        return truth

    def both(self, point: int, value: Any) -> bool:
        """Test the left operand of ``and`` and keep it when it is the result."""
        truth = self.truth(point, value)
        if not truth:
            self._keep(value)
        return truth

    def link(self, point: int, operator: str, left: Any, right: Any) -> bool:
        """Test one link of a chain and keep ``right`` when the chain goes on."""
        truth = self.truth(point, _LINKS[operator](left, right))
        if truth:
            self._keep(right)
        return truth

    def link_value(self, point: int, operator: str, left: Any, right: Any) -> bool:
        """As :meth:`link`; keep the link's own value when the chain ends."""
        value = _LINKS[operator](left, right)
        truth = self.truth(point, value)
        self._keep(right if truth else value)
        return truth

    def take(self) -> Any:
        """Give the value that was kept last."""
        return self._kept.values.pop()

    def member(self, point: int, literals: Sequence[Any], value: Any, container: Any) -> bool:
        """``value in container``, noting which of the literals it is."""
        found = value in container
        if found and isinstance(value, _COMPARABLE):
            for offset, literal in enumerate(literals):
                if literal == value:
                    self.hits.add(point + offset)
                    break
        return found

    def loop(self, point: int, values: Iterable[Any]) -> Iterable[Any]:
        """Note whether a ``for`` has anything to go through: entered, skipped."""
        if type(values) in (list, tuple):
            self.truth(point, values)
            return values
        remaining = iter(values)
        first = next(remaining, _END)
        if first is _END:
            self.hits.add(point + 1)
            return ()
        self.hits.add(point)
        return itertools.chain((first,), remaining)

    def point(self, point: int) -> None:
        """Note a point by itself."""
        self.hits.add(point)

    def _keep(self, value: Any) -> None:
        values: List[Any] = self._kept.__dict__.setdefault("values", [])
        values.append(value)


def _is_numpy_bool(value: Any) -> bool:
    kind = type(value)
    return kind.__module__ == "numpy" and kind.__name__ in ("bool", "bool_")
