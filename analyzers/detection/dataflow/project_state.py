"""What is known of the whole project while the fixpoint is computed.

Knowledge stands in cells (a global name, an attribute of a class, what a
function returns or is given).  A function that reads a cell is analysed
again when the cell grows; cells only grow, and values are bounded.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable

import libcst as cst

from analyzers.catalogue import Catalogue
from analyzers.detection.cst_modules import (
    MAIN,
    MODULE,
    CstClass,
    CstModule,
    CstUnit,
    UnparsableError,
)
from analyzers.detection.dataflow.dataflow_values import (
    BOTTOM,
    NOTHING,
    AnswerMark,
    ClassValue,
    FunctionValue,
    InstanceValue,
    Mark,
    Marks,
    ParameterMark,
    Value,
    join,
    make,
)
from analyzers.detection.import_graph import Files
from analyzers.vocabulary import ApiCall

Cell = tuple[str, str, str]
MAX_VISITS = 20


class ProjectState:
    """The cells, and what was seen in each function."""

    def __init__(self, files: Files, catalogue: Catalogue, changed: Collection[str]) -> None:
        """``changed``: the ids of the functions whose results are marked."""
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
        self._unread: dict[str, tuple[Marks, set[str]]] = {}
        self._queue: deque[str] = deque()
        self._queued: set[str] = set()
        self._visits: Counter[str] = Counter()

    # ------------------------------------------------------------- modules

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

    # --------------------------------------------------------------- cells

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
        for reader in self._readers.get(cell, ()):
            self.enqueue(reader)

    def given(self, slot: ParameterMark) -> Value:
        """What callers put into a slot."""
        cell = ("argument", slot.function, slot.parameter)
        return self._cells.get(cell, BOTTOM).at(slot.path)

    # ------------------------------------------------------------- classes

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
        """What the attribute of an instance may be; methods come bound."""
        method = self.method(reader, start, name)
        value = BOTTOM
        for item in self.family(reader, start):
            value = join(value, self.read(reader, ("attribute", item, name)))
        if method is not None:
            value = join(value, make(refs=(FunctionValue(method, start),)))
        return value

    # ---------------------------------------------------------------- work

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
        """Analyse until nothing grows any more, within bounds."""
        while True:
            while self._queue:
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

    # ----------------------------------------------------------- afterwards

    def resolved(self, marks: Iterable[Mark]) -> Marks:
        """The marks with every slot replaced by what callers put into it."""
        found: set[Mark] = set()
        waiting = list(marks)
        while waiting:
            mark = waiting.pop()
            if mark in found:
                continue
            found.add(mark)
            if isinstance(mark, ParameterMark):
                waiting.extend(self.given(mark).total)
        return frozenset(mark for mark in found if not isinstance(mark, ParameterMark))


def instances(value: Value) -> Value:
    """What an annotation promises: instances of the classes it names."""
    refs = (InstanceValue(ref.id) if isinstance(ref, ClassValue) else ref for ref in value.refs)
    return make(refs=refs)
