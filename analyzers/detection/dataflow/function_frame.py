"""One function under analysis: its names, and where they come from."""

from __future__ import annotations

import builtins
from abc import ABC, abstractmethod
from collections.abc import Iterable

import libcst as cst

from analyzers.detection.cst_modules import MAIN, MODULE, CstUnit
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
    Reference,
    UnreadName,
    Value,
    join,
    join_all,
    make,
)
from analyzers.detection.dataflow.project_state import ProjectState

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

    # --------------------------------------------------------------- names

    @property
    def outside(self) -> bool:
        """Whether the names of this frame are the module's globals."""
        return self.unit.name in (MODULE, MAIN)

    def lookup(self, name: str) -> Value:
        """What a name may mean here."""
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
        """What a name means in a module of the project."""
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

    # ---------------------------------------------------------- attributes

    def attribute(self, base: Value, name: str) -> Value:
        """What ``base.name`` may be."""
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
