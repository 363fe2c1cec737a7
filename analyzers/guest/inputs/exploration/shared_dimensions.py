"""The sizes that the values of one call share: ``b c h w``, ``*batch``, ``2*n``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from ...annotations.constraints import Argument, Constraint, Expression
from ..generation.call_scope import Size, compiled, is_size

Item = Any
_ANY = ("...", "*_")


@dataclass
class Dimensions:
    """Sizes by name, as the values so far have bound them; ``values`` are the call's arguments.

    A size whose expression has a name that nothing binds yet waits until :meth:`settle`.
    """

    namespace: Mapping[str, Any] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)
    sizes: Dict[str, Size] = field(default_factory=dict)
    waiting: List[Tuple[str, int]] = field(default_factory=list)

    def copy(self) -> Dimensions:
        """The same, to be tried on."""
        return Dimensions(self.namespace, self.values, dict(self.sizes), list(self.waiting))

    def take(self, other: Dimensions) -> None:
        """Take over what was bound in a trial."""
        self.sizes, self.waiting = other.sizes, other.waiting

    def value(self, given: Optional[Argument]) -> Any:
        """Return what an argument of a constraint is worth here; ``None`` where that is open."""
        if not isinstance(given, Expression):
            return None
        return given.value if given.literal else self._computed(given.source)

    def _computed(self, source: str) -> Any:
        names = {**self.namespace, **self.sizes, **self.values}
        try:
            return eval(compiled(source), names)  # the guest's own sandbox
        except Exception:
            return None

    def problem(self, shape: Sequence[int], given: Optional[Argument]) -> Optional[str]:
        """Return what keeps a shape from being the one of a constraint; binds its names."""
        if given is None:
            return None
        if isinstance(given, Constraint) and given.kind == "np_shapes":
            return _outside(shape, given, self)
        items = self._items(given)
        if items is None:
            return None
        variadic = [number for number, item in enumerate(items) if _is_variadic(item)]
        if len(variadic) > 1:
            return None
        fixed = len(items) - len(variadic)
        if len(shape) < fixed or (len(shape) > fixed and not variadic):
            return f"it has {len(shape)} dimensions, not {fixed}"
        return self._sizes(shape, items, variadic)

    def _sizes(
        self, shape: Sequence[int], items: Sequence[Item], variadic: Sequence[int]
    ) -> Optional[str]:
        at = variadic[0] if variadic else len(items)
        after = len(items) - at - 1 if variadic else 0
        found = [*zip(items[:at], shape[:at])]
        if after > 0:
            found += zip(items[-after:], shape[-after:])
        problems = [self._bound(item, size) for item, size in found]
        if variadic:
            name = str(items[at]).lstrip("*")
            between = tuple(shape[at : len(shape) - after])
            problems.append(None if items[at] in _ANY else self._same(name, between))
        return next((problem for problem in problems if problem), None)

    def _items(self, given: Argument) -> Optional[List[Item]]:
        """The dimensions of a shape: sizes, words, constraints; ``None``: not known here."""
        if isinstance(given, tuple):
            return [_plain(item) for item in given]
        value = self.value(given)
        if isinstance(value, str):
            return [int(word) if word.isdigit() else word for word in value.split()]
        if isinstance(value, (list, tuple)):
            return list(value)
        return [value] if isinstance(value, int) else None

    def _bound(self, item: Item, size: int) -> Optional[str]:
        if isinstance(item, Constraint):
            return self._within(item, size)
        if isinstance(item, Expression):
            item = self._computed(item.source)
        if item is None or item == "_":
            return None
        if isinstance(item, str) and not item.isidentifier():
            self.waiting.append((item, size))
            return None
        if isinstance(item, str):
            known: Any = self.values.get(item)
            if item not in self.sizes and is_size(known):
                self.sizes[item] = known
            return self._same(item, size)
        return None if item == size else f"a dimension is {size}, not {item}"

    def _within(self, item: Constraint, size: int) -> Optional[str]:
        if item.kind == "ints":
            low, high = self.value(item["min"]), self.value(item["max"])
            inside = (low is None or size >= low) and (high is None or size <= high)
            multiple = self.value(item["multiple_of"]) or 1
            return None if inside and size % multiple == 0 else f"a dimension is {size}"
        if item.kind == "froms":
            options = self.value(item["values"])
            return None if options is None or size in options else f"a dimension is {size}"
        return None

    def _same(self, name: str, size: Size) -> Optional[str]:
        known = self.sizes.setdefault(name, size)
        return None if known == size else f"{name} is {size}, but {known} elsewhere"

    def settle(self) -> Optional[str]:
        """Check the sizes whose names are bound by now; says which one does not fit."""
        for source, size in self.waiting:
            wanted = self._computed(source)
            if isinstance(wanted, (int, float)) and wanted != size:
                return f"a dimension is {size}, but {source} is {wanted}"
        return None


def _plain(item: Union[Constraint, Expression]) -> Item:
    return item.value if isinstance(item, Expression) and item.literal else item


def _is_variadic(item: Item) -> bool:
    return item is ... or (isinstance(item, str) and (item == "..." or item.startswith("*")))


def _outside(shape: Sequence[int], given: Constraint, known: Dimensions) -> Optional[str]:
    low, high = known.value(given["min_dims"]), known.value(given["max_dims"])
    if (low is not None and len(shape) < low) or (high is not None and len(shape) > high):
        return f"it has {len(shape)} dimensions"
    least, most = known.value(given["min_side"]), known.value(given["max_side"])
    for size in shape:
        if (least is not None and size < least) or (most is not None and size > most):
            return f"a dimension is {size}"
    return None
