"""Facts about the whole project while the fixpoint is computed.

Knowledge stands in cells (a global name, an attribute of a class, what a
function returns or is given).  A function that reads a cell is analysed
again when the cell grows; cells only grow, and values are bounded.
"""

from __future__ import annotations

import builtins
import time
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable

import libcst as cst

from analyzers.catalogue import Catalogue
from analyzers.detection.cst_modules import CstClass, CstModule, CstUnit
from analyzers.detection.dataflow.dataflow_values import (
    BOTTOM,
    NOTHING,
    AnswerMark,
    ClassValue,
    ExternalName,
    FunctionValue,
    InstanceValue,
    Mark,
    Marks,
    ModuleName,
    ParameterMark,
    Reference,
    UnreadName,
    Value,
    join,
    join_all,
    make,
)
from analyzers.detection.import_graph import Files
from analyzers.detection.python_syntax import MAIN, MODULE, UnparsableError
from analyzers.vocabulary import ApiCall

Cell = tuple[str, str, str]
MAX_VISITS = 20
READING_SHARE = 0.5
"""The part of the time for reading files."""


class ProjectState:
    """The cells, and what was seen in each function."""

    def __init__(
        self, files: Files, catalogue: Catalogue, changed: Collection[str], seconds: float
    ) -> None:
        """``changed``: the ids of the functions whose results are marked.

        ``seconds`` are the processor time of this thread for reading and solving.
        """
        self.files = files
        self.catalogue = catalogue
        self.changed = frozenset(changed)
        self.modules: dict[str, CstModule] = {}
        self.units: dict[str, CstUnit] = {}
        self.classes: dict[str, CstClass] = {}
        self.unparsable: dict[str, str] = {}
        self.edges: dict[str, set[str]] = {}
        self.calls: dict[str, set[ApiCall]] = {}
        self.questions: dict[ApiCall, Marks] = {}
        self.records: dict[str, dict[cst.CSTNode, Marks]] = {}
        self._cells: dict[Cell, Value] = {}
        self._readers: dict[Cell, set[str]] = {}
        self._sources: dict[ParameterMark, Marks] = {}
        self._unread: dict[str, tuple[Marks, set[str]]] = {}
        self._queue: deque[str] = deque()
        self._queued: set[str] = set()
        self._visits: Counter[str] = Counter()
        self._seconds = seconds
        self._began = time.thread_time()

    def read_files(self, paths: Iterable[str]) -> None:
        """Read files in their order, as long as there is time for it."""
        for path in paths:
            if self._is_spent(READING_SHARE):
                return
            self.load(path)

    def _is_spent(self, share: float = 1.0) -> bool:
        return time.thread_time() - self._began > share * self._seconds

    @property
    def is_cut_short(self) -> bool:
        """Return whether the time ended before all was followed."""
        return bool(self._queue)

    def load(self, path: str) -> CstModule | None:
        """Parse a file once; ``None`` where that fails."""
        if path in self.modules or path in self.unparsable:
            return self.modules.get(path)
        try:
            module = CstModule(path, self.files.sources[path])
        except UnparsableError as error:
            self.unparsable[path] = str(error)
            return None
        self.modules[path] = module
        self.units.update(module.units)
        self.classes.update(module.classes)
        self._name(module)
        for unit in module.units:
            self.enqueue(unit)
        return module

    def _name(self, module: CstModule) -> None:
        """Bind the top-level functions and classes before anything runs."""
        for unit in module.units.values():
            plain = "." not in unit.name and unit.name not in (MODULE, MAIN)
            if plain:
                self.write(("global", module.path, unit.name), make(refs=(FunctionValue(unit.id),)))
        for known in module.classes.values():
            name = known.id.rpartition("::")[2]
            if "." not in name:
                self.write(("global", module.path, name), make(refs=(ClassValue(known.id),)))

    def read(self, reader: str, cell: Cell) -> Value:
        """The value of a cell, for a function that depends on it."""
        self._readers.setdefault(cell, set()).add(reader)
        return self._cells.get(cell, BOTTOM)

    def write(self, cell: Cell, value: Value) -> None:
        """Join a value into a cell and wake its readers if it grew."""
        old = self._cells.get(cell, BOTTOM)
        new = join(old, value)
        if new is old or new.same(old):
            return
        self._cells[cell] = new
        self._sources.clear()
        for reader in self._readers.get(cell, ()):
            self.enqueue(reader)

    def given(self, slot: ParameterMark) -> Value:
        """Return what callers put into a slot."""
        cell = ("argument", slot.function, slot.parameter)
        return self._cells.get(cell, BOTTOM).at(slot.path)

    def family(self, reader: str, start: str) -> list[str]:
        """A class, its bases, and then the classes derived from it."""
        up = self._related(reader, start, "bases")
        down = self._related(reader, start, "derived")
        return [*up, *(item for item in down if item not in up)]

    def _related(self, reader: str, start: str, way: str) -> list[str]:
        found = [start]
        for item in found:
            value = self.read(reader, (way, item, ""))
            known = sorted(ref.id for ref in value.refs if isinstance(ref, ClassValue))
            found.extend(other for other in known if other not in found)
        return found

    def method(self, reader: str, start: str, name: str, *, above: bool = False) -> str | None:
        """The id of the method that an instance of a class answers with."""
        for item in self.family(reader, start)[1 if above else 0 :]:
            known = self.classes.get(item)
            if known is not None and name in known.methods:
                return known.methods[name]
        return None

    def attribute(self, reader: str, start: str, name: str) -> Value:
        """Return what the attribute of an instance may be; methods come bound."""
        method = self.method(reader, start, name)
        value = BOTTOM
        for item in self.family(reader, start):
            value = join(value, self.read(reader, ("attribute", item, name)))
        if method is not None:
            value = join(value, make(refs=(FunctionValue(method, start),)))
        return value

    def enqueue(self, unit: str) -> None:
        """Have a function analysed (again)."""
        if unit in self.units and unit not in self._queued:
            self._queued.add(unit)
            self._queue.append(unit)

    def leave_unread(self, path: str, reader: str, marks: Marks) -> None:
        """Note that a module need be read only if ``marks`` hold an answer."""
        old, readers = self._unread.get(path, (NOTHING, set[str]()))
        self._unread[path] = (old | marks, readers | {reader})

    def solve(self, analyse: Callable[[ProjectState, CstUnit], None]) -> None:
        """Analyse until nothing grows any more, within bounds, as long as there is time."""
        while True:
            while self._queue:
                if self._is_spent():
                    return
                unit = self._queue.popleft()
                self._queued.discard(unit)
                if self._visits[unit] < MAX_VISITS:
                    self._visits[unit] += 1
                    analyse(self, self.units[unit])
            grown = False
            for path, (marks, readers) in list(self._unread.items()):
                if any(isinstance(mark, AnswerMark) for mark in self.resolved(marks)):
                    del self._unread[path]
                    if self.load(path) is not None:
                        grown = True
                        for reader in readers:
                            self.enqueue(reader)
            if not grown:
                return

    def resolved(self, marks: Iterable[Mark]) -> Marks:
        """The marks with every slot replaced by what callers put into it."""
        given = frozenset(marks)
        slots = {mark for mark in given if isinstance(mark, ParameterMark)}
        self._follow(slots)
        return given.difference(slots).union(*(self._sources[slot] for slot in slots))

    def _follow(self, slots: Iterable[ParameterMark]) -> None:
        """Find what reaches slots through callers, once for each slot until a cell grows."""
        found: dict[ParameterMark, set[Mark]] = {}
        readers: dict[ParameterMark, list[ParameterMark]] = {}
        waiting = [slot for slot in slots if slot not in self._sources]
        while waiting:
            slot = waiting.pop()
            if slot in found:
                continue
            found[slot] = set()
            for mark in self.given(slot).total:
                if not isinstance(mark, ParameterMark):
                    found[slot].add(mark)
                elif mark in self._sources:
                    found[slot] |= self._sources[mark]
                else:
                    readers.setdefault(mark, []).append(slot)
                    waiting.append(mark)
        growing = deque(slot for slot, marks in found.items() if marks)
        while growing:
            slot = growing.popleft()
            for reader in readers.get(slot, ()):
                if not found[slot] <= found[reader]:
                    found[reader] |= found[slot]
                    growing.append(reader)
        self._sources.update({slot: frozenset(marks) for slot, marks in found.items()})


def instances(value: Value) -> Value:
    """Return what an annotation promises: instances of the classes it names."""
    refs = (InstanceValue(ref.id) if isinstance(ref, ClassValue) else ref for ref in value.refs)
    return make(refs=refs)


Environment = dict[str, Value]
MAX_DOTTED = 160


class FunctionFrame(ABC):
    """The state of one function while its body is interpreted.

    ``control`` are the marks of the conditions around the current
    statement.
    """

    def __init__(self, state: ProjectState, unit: CstUnit) -> None:
        self.state = state
        self.unit = unit
        self.module = state.modules[unit.path]
        self.names: Environment = {}
        self.control: Marks = NOTHING
        self.returned = BOTTOM
        self.shared: set[str] = set()
        self.jumps: list[Environment] = []
        self.open: list[cst.CSTNode] = []
        self.here: cst.CSTNode = self.module.tree
        self.records = state.records.setdefault(unit.id, {})

    @abstractmethod
    def evaluate(self, node: cst.CSTNode) -> Value:
        """The value of an expression; notes what it depends on."""

    @abstractmethod
    def grow(self, target: cst.BaseExpression, value: Value) -> None:
        """Join a value into what an expression stands for."""

    @abstractmethod
    def item(self, base: Value, key: Value) -> Value:
        """The value of a subscript with a computed key."""

    @property
    def outside(self) -> bool:
        """Return whether the names of this frame are the module's globals."""
        return self.unit.name in (MODULE, MAIN)

    def lookup(self, name: str) -> Value:
        """Return what a name may mean here."""
        if name in self.names and name not in self.shared:
            return self.names[name]
        outer = self.unit.outer
        while outer is not None:
            found = self.state.read(self.unit.id, ("local", outer, name))
            if found is not BOTTOM:
                return found
            outer = self.state.units[outer].outer
        found = self.member(self.unit.path, name)
        if found is BOTTOM and hasattr(builtins, name):
            return make(refs=(ExternalName(name),))
        return found

    def bind(self, name: str, value: Value) -> None:
        """Give a name a value."""
        self.names[name] = value
        if self.outside or name in self.shared:
            self.state.write(("global", self.unit.path, name), value)

    def member(self, path: str, name: str, seen: frozenset[str] = frozenset()) -> Value:
        """Return what a name means in a module of the project."""
        child = self.state.files.child(path, name)
        if path not in self.state.modules:
            if child is not None:
                return make(refs=(ModuleName(child),))
            return BOTTOM if path.endswith("/") else make(refs=(UnreadName(path, name),))
        found = self.state.read(self.unit.id, ("global", path, name))
        if found is BOTTOM and child is not None:
            return make(refs=(ModuleName(child),))
        if found is BOTTOM:
            return self._starred(path, name, seen | {path})
        return found

    def _starred(self, path: str, name: str, seen: frozenset[str]) -> Value:
        found = BOTTOM
        for ref in self.state.read(self.unit.id, ("stars", path, "")).refs:
            if isinstance(ref, ModuleName) and ref.path in self.state.modules:
                if ref.path not in seen:
                    found = join(found, self.member(ref.path, name, seen))
            elif isinstance(ref, ExternalName) and not hasattr(builtins, name):
                found = join(found, self.external(f"{ref.path}.{name}"))
        return found

    def external(self, path: str) -> Value:
        """A thing outside the project."""
        if len(path) > MAX_DOTTED:
            return BOTTOM
        return make(refs=(ExternalName(self.state.catalogue.canonical(path)),))

    def attribute(self, base: Value, name: str) -> Value:
        """Return what ``base.name`` may be."""
        owned = [self._owned(ref, name) for ref in base.refs]
        found = [value for value in owned if value is not None]
        value = join_all(found)
        plain = self.unwrapped(base, name)
        return join(value, plain) if plain.total or plain.refs or plain.fields else value

    def _owned(self, ref: Reference, name: str) -> Value | None:
        if isinstance(ref, ExternalName):
            return self.external(f"{ref.path}.{name}")
        if isinstance(ref, ModuleName):
            return self.member(ref.path, name)
        if isinstance(ref, UnreadName):
            return self._in_unread(ref, name)
        if isinstance(ref, InstanceValue):
            return self._called_property(self.state.attribute(self.unit.id, ref.id, name))
        if isinstance(ref, ClassValue):
            return self._unbound(self.state.attribute(self.unit.id, ref.id, name))
        return None

    def _in_unread(self, ref: UnreadName, name: str) -> Value:
        if ref.path not in self.state.modules:
            return make(refs=(ref,))
        found = self.member(ref.path, ref.name)
        return BOTTOM if ref in found.refs else self.attribute(found, name)

    def _called_property(self, value: Value) -> Value:
        found = value
        for ref in value.refs:
            if isinstance(ref, FunctionValue) and self.state.units[ref.id].is_property:
                self.state.edges.setdefault(self.unit.id, set()).add(ref.id)
                found = join(found, self.state.read(self.unit.id, ("returned", ref.id, "")))
        return found

    def _unbound(self, value: Value) -> Value:
        refs: set[Reference] = set()
        for ref in value.refs:
            if isinstance(ref, FunctionValue):
                bound = "classmethod" in self.state.units[ref.id].decorators
                refs.add(ref if bound else FunctionValue(ref.id))
            else:
                refs.add(ref)
        return make(value.marks, refs, value.fields)

    def unwrapped(self, base: Value, name: str) -> Value:
        """The part ``name`` of a value, without what is HTTP's alone."""
        value = base.get(name)
        if not any(isinstance(mark, AnswerMark) for mark in base.marks):
            return value
        transport = self.state.catalogue.transport
        if name in transport.faults:
            return _without(value, base.marks)
        if name in transport.attributes:
            return _without(value, {m for m in base.marks if _is_transport(m)})
        decoded = {AnswerMark(m.call) for m in base.marks if isinstance(m, AnswerMark)}
        kept = frozenset(m for m in value.marks if not _is_transport(m)) | decoded
        return make(kept, value.refs, value.fields)


def _is_transport(mark: Mark) -> bool:
    return isinstance(mark, AnswerMark) and mark.transport


def _without(value: Value, marks: Iterable[Mark]) -> Value:
    return make(value.marks.difference(marks), value.refs, value.fields)
