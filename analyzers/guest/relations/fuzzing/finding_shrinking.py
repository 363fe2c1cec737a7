"""Findings confirmed in fresh processes, and made as small as they stay what they are."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Callable, Iterator, Mapping, Optional, Sequence

from ...inputs.recipes import BadRecipe
from ..library_calls import call_text, live_call, parse_call
from ..mutation.call_draft import MISSING, ArgumentPath, arguments, changed, leaves
from ..oracles.oracle_registry import ORACLES
from ..process_pool import Begin, ItemReport, ProcessDied, ProcessHung, ProcessPool, Result
from ..relation_types import HUNG, STATUS, Arrays, Library, LiveCall, Relation
from . import memory_bounds
from .fuzz_findings import FuzzFinding, death_disagreement, key, pack_finding, unpack_finding
from .fuzz_workers import FuzzSettings, disagreements, end_disagreements

_PLAIN_DTYPES = ("float32", "int64")
_MULTIPLES = (1, 2, 3, 4)
"""What sizes may be of each other: gates of a recurrent layer, directions, pairs."""

_MOST_ELEMENTS = 24
"""Elements that are made plain one by one."""


def call_simplifications(live: LiveCall, library: Library) -> Iterator[LiveCall]:
    """Yield calls that are simpler to read in one way, the boldest first; values are shared."""
    made = _Simpler(live, library, library.arrays)
    yield from made.with_fewer_arguments()
    yield from made.with_fewer_items()
    yield from made.with_smaller_arrays()
    yield from made.with_all_arrays_plain()
    yield from made.with_plainer_arrays()
    yield from made.with_plainer_numbers()
    yield from made.with_plainer_parts()
    yield from made.with_plainer_elements()


@dataclass(frozen=True)
class _Simpler:
    _live: LiveCall
    _library: Library
    _arrays: Arrays

    def _changed(self, place: ArgumentPath, value: Any) -> LiveCall:
        return changed(self._live, {place: value})

    def _tensors(self) -> list[tuple[ArgumentPath, Any]]:
        return [
            (place, value)
            for place, value in leaves(self._live)
            if self._library.is_array(value) and self._arrays.is_plain(value)
        ]

    def with_fewer_arguments(self) -> Iterator[LiveCall]:
        for name in self._live.keywords:
            yield self._changed(("keywords", name), MISSING)
        for number in range(1, len(self._live.arguments)):
            yield self._changed(("arguments", number), MISSING)
        for place, value in arguments(self._live):
            if self._library.is_array(value) and place[1] != 0:
                yield self._changed(place, None)

    def with_fewer_items(self) -> Iterator[LiveCall]:
        for place, value in arguments(self._live):
            if type(value) in (tuple, list) and len(value) > 1:
                yield self._changed(place, value[:1])
                for number in range(len(value)):
                    yield self._changed(place, value[:number] + value[number + 1 :])

    def with_smaller_arrays(self) -> Iterator[LiveCall]:
        found = self._tensors()
        sizes = sorted({size for _, array in found for size in array.shape if size}, reverse=True)
        for size in sizes:
            for new in _smaller(size):
                yield self._resized(found, {size: new})
                yield self._resized(found, {size * k: new * k for k in _MULTIPLES})
        for place, array in found:
            for shape in _smaller_shapes(tuple(array.shape)):
                yield self._changed(place, self._cut(array, shape))
        for place, array in found:
            dtype, _, values = self._library.plain(array)
            for index in range(values.size if 1 < values.size <= 64 and values.ndim else 0):
                alone = values.reshape(-1)[index : index + 1].reshape((1,) * values.ndim)
                yield self._changed(place, self._arrays.made(dtype, alone, array))

    def _resized(self, found: list[tuple[ArgumentPath, Any]], sizes: Mapping[int, int]) -> LiveCall:
        """Return also in the numbers that repeat a size."""
        changes = {
            place: self._cut(array, tuple([sizes.get(size, size) for size in array.shape]))
            for place, array in found
            if any(size in sizes for size in array.shape)
        }
        for place, value in leaves(self._live):
            if type(value) is int and value in sizes:
                changes[place] = sizes[value]
        return changed(self._live, changes)

    def _cut(self, array: Any, shape: tuple[int, ...]) -> Any:
        """Return its first elements along each axis, as far as the new shape goes."""
        dtype, old, values = self._library.plain(array)
        dropped = len(old) - len(shape)
        inner = values[(0,) * dropped] if dropped and 0 not in old[:dropped] else values
        cut = inner[tuple(slice(0, size) for size in shape)] if inner.ndim == len(shape) else inner
        if tuple(cut.shape) != shape:
            import numpy as np

            cut = np.resize(cut, shape)
        return self._arrays.made(dtype, cut, array)

    def with_all_arrays_plain(self) -> Iterator[LiveCall]:
        """Yield every array without need of gradients, then all floating ones zeros too."""
        found = [(place, array, *self._library.plain(array)) for place, array in self._tensors()]
        same = {
            place: self._arrays.made(kind, values, _Like()) for place, _, kind, _, values in found
        }
        zeros = {
            place: self._arrays.made(kind, values * 0, _Like())
            for place, _, kind, _, values in found
            if values.dtype.kind in "fc"
        }
        for changes in (same, {**same, **zeros}):
            if changes:
                yield changed(self._live, changes)

    def with_plainer_arrays(self) -> Iterator[LiveCall]:
        for place, array in self._tensors():
            dtype, _, values = self._library.plain(array)
            yield self._changed(place, self._arrays.made(dtype, values, _Like()))
            for new in _PLAIN_DTYPES:
                if new != dtype and values.dtype.kind != "c":
                    yield self._changed(place, self._arrays.made(new, values, array))
            for number in (0, 1):
                plain = values.copy()
                plain[...] = number
                yield self._changed(place, self._arrays.made(dtype, plain, array))

    def with_plainer_numbers(self) -> Iterator[LiveCall]:
        for place, value in leaves(self._live):
            if type(value) in (int, float):
                for plain in _plainer(value):
                    yield self._changed(place, plain)
            elif type(value) is bool and value:
                yield self._changed(place, False)

    def with_plainer_parts(self) -> Iterator[LiveCall]:
        """Yield calls with 0 for parts of an array's elements (delta debugging, Zeller)."""
        for place, array in self._tensors():
            dtype, _, values = self._library.plain(array)
            for parts in (2, 4, 8):
                for number in range(parts if values.size >= 2 * parts else 0):
                    made = values.copy()
                    first, last = (values.size * at // parts for at in (number, number + 1))
                    made.flat[first:last] = 0
                    yield self._changed(place, self._arrays.made(dtype, made, array))

    def with_plainer_elements(self) -> Iterator[LiveCall]:
        for place, array in self._tensors():
            dtype, _, values = self._library.plain(array)
            if values.dtype.kind in "cb" or values.size > _MOST_ELEMENTS:
                continue
            for index in range(values.size):
                for plain in _plainer(values.flat[index].item()):
                    made = values.copy()
                    made.flat[index] = plain
                    yield self._changed(place, self._arrays.made(dtype, made, array))


class _Like:
    """An array on the processor that needs no gradient."""

    is_cpu, requires_grad = True, False


def _smaller(size: int) -> list[int]:
    return sorted({new for new in (0, 1, 2, size // 2, size - 1) if new < size})


def _smaller_shapes(shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    if not shape:
        return
    yield ()
    yield shape[1:]
    for axis, size in enumerate(shape):
        for new in _smaller(size):
            yield (*shape[:axis], new, *shape[axis + 1 :])


def _plainer(value: Any) -> list[Any]:
    kind = type(value)
    plain = [kind(number) for number in (0, 1, -1, 2, 3, 5)]
    if kind is float and abs(value) < 2**53:
        plain.append(float(round(value)))
    known = [repr(item) for item in plain]
    return plain[: known.index(repr(value))] if repr(value) in known else plain


_DEATHS, _HANGS = 120, 6
"""How many candidates may die of a death while it shrinks, and hang of a hang."""

Measure = tuple[int, int]


@dataclass
class _Item:
    """A finding while it is made smaller; ``tried`` are texts that did not keep it."""

    finding: FuzzFinding
    relations: tuple[Relation, ...]
    is_confirmed: bool = False
    tried: set[str] = field(default_factory=set)


def shrink_findings(
    findings: Sequence[FuzzFinding],
    relations: Mapping[str, Sequence[Relation]],
    library: Library,
    settings: FuzzSettings,
) -> list[Optional[FuzzFinding]]:
    """Return each finding with a smallest call that shows it; ``None`` where it does not repeat."""
    items = [_Item(each, tuple(relations.get(each.disagreement.api, ()))) for each in findings]
    hanging = [item for item in items if item.finding.disagreement.outcome.status == HUNG]
    others = [item for item in items if item not in hanging]
    for group, deaths in ((others, _DEATHS), (hanging, _HANGS)):
        work, amount = _ShrinkWork(group, library, settings), len(group)
        for item, result in ProcessPool(
            work.on, amount, settings.seconds, settings.workers, settings.memory, deaths=deaths
        ):
            work.take(item, result)
    return [item.finding if item.is_confirmed else None for item in items]


@dataclass
class _ShrinkWork:
    """Work of the shrinking processes, and what this one keeps of it for those that follow."""

    items: list[_Item]
    library: Library
    settings: FuzzSettings

    def on(self, number: int, start: int, begin: Begin, report: Callable[[Any], None]) -> None:
        """Confirm a finding at step 0, then go on to simpler calls from ``start``."""
        item = self.items[number]
        item.tried = set(item.tried)
        if start == 0:
            begin(0, item.finding.call)
            found = self._shown(item, item.finding.call)
            if found is None:
                return
            report(pack_finding(found))
            item.finding, start = found, 1
        candidates = self._simpler(item)
        for step in range(start, self.settings.rounds):
            text = next(candidates, None)
            if text is None:
                return
            begin(step, text)
            found = self._shown(item, text)
            if found is not None:
                report(pack_finding(found))
                item.finding = found
                candidates = self._simpler(item)

    def _simpler(self, item: _Item) -> Iterator[str]:
        most = measure(item.finding.call)
        try:
            given = live_call(parse_call(item.finding.call, self.library), self.library)
        except Exception:
            return
        with suppress(ValueError, TypeError, RuntimeError, OverflowError, IndexError):
            for live in call_simplifications(given, self.library):
                try:
                    text = call_text(live, self.library).source()
                except BadRecipe:
                    continue
                if text not in item.tried and measure(text) < most:
                    item.tried.add(text)
                    yield text

    def _shown(self, item: _Item, call: str) -> Optional[FuzzFinding]:
        """Return the finding of the same kind that the call shows twice; deaths are run alone."""
        if item.finding.ends_process:
            end_disagreements(live_call(parse_call(call, self.library), self.library), self.library)
            return None
        relation, oracles = item.finding.disagreement.relation, self.settings.oracles
        if relation in (*ORACLES, memory_bounds.NAME):
            oracles = (relation,)
        elif relation == STATUS:
            oracles = ()
        found = None
        for _ in range(2):
            live = live_call(parse_call(call, self.library), self.library)
            found_now = disagreements(live, self.library, item.relations, oracles)
            same = [each for each in found_now if key(each) == item.finding.key]
            if not same:
                return None
            found = FuzzFinding(call, same[0])
        return found

    def take(self, number: int, result: Result) -> None:
        item = self.items[number]
        if isinstance(result, ItemReport):
            item.finding = unpack_finding(result.value)
            item.is_confirmed = True
        elif isinstance(result, (ProcessDied, ProcessHung)):
            item.tried.add(result.text)
            found = item.finding.disagreement
            if isinstance(result, ProcessHung):
                is_same = found.outcome.status == HUNG
            else:
                is_same = key(death_disagreement(found.api, result.signal)) == item.finding.key
            if is_same and item.finding.ends_process:
                item.finding = replace(item.finding, call=result.text)
                item.is_confirmed = True


def measure(call: str) -> Measure:
    """Return how much there is to read: arguments, characters, and how plain the numbers are."""
    weight = sum("0123456789".find(letter) + 1 for letter in call)
    return len(call), weight
