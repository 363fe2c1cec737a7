"""Results of calls, and their effects on the rest of the project."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

import libcst as cst

from analyzers.catalogue import Api
from analyzers.detection.cst_modules import CstClass, CstUnit
from analyzers.detection.dataflow import library_calls
from analyzers.detection.dataflow.dataflow_values import (
    BOTTOM,
    ELEMENT,
    NOTHING,
    AnswerMark,
    ChangedResultMark,
    ClassValue,
    ExternalName,
    FunctionValue,
    InstanceValue,
    Key,
    LambdaValue,
    ParameterMark,
    Reference,
    StringValue,
    UnreadName,
    Value,
    join,
    join_all,
    make,
    text,
)
from analyzers.detection.dataflow.library_calls import KNOWN, Arguments
from analyzers.detection.dataflow.project_state import FunctionFrame
from analyzers.vocabulary import ApiCall


class ProjectCalls(FunctionFrame):
    """Applies what the project defines."""

    def invoke(self, ref: FunctionValue, arguments: Arguments) -> Value:
        """The result of a function of the project."""
        unit = self.state.units[ref.id]
        self.state.edges.setdefault(self.unit.id, set()).add(ref.id)
        bound = self._bound(unit, ref.receiver, arguments)
        for name, value in bound.items():
            self.state.write(("argument", unit.id, name), _without_own(value, unit.id))
        returned = self.state.read(self.unit.id, ("returned", unit.id, ""))

        def given(slot: ParameterMark) -> Value | None:
            if slot.function != unit.id:
                return None
            return bound.get(slot.parameter, BOTTOM).at(slot.path)

        result = returned.substituted(given)
        if unit.id in self.state.changed:
            result = result.plus(frozenset({ChangedResultMark(unit.id)}))
        return result

    def _bound(self, unit: CstUnit, receiver: str | None, arguments: Arguments) -> dict[str, Value]:
        parameters = [param.name.value for param in unit.parameters]
        if unit.is_method and receiver is not None:
            parameters = parameters[1:]
        elif unit.is_method and receiver is None and arguments.positions:
            arguments, parameters = arguments.without_first(), parameters[1:]
        bound = dict(zip(parameters, arguments.positions, strict=False))
        spilled = list(arguments.positions[len(parameters) :])
        params = unit.node.params if unit.node else None
        for name, value in arguments.names.items():
            if name in parameters:
                bound[name] = value
            elif params is not None and params.star_kwarg is not None:
                star = params.star_kwarg.name.value
                bound[star] = bound.get(star, BOTTOM).extended(name, value)
        if params is not None and isinstance(params.star_arg, cst.Param) and spilled:
            fields: dict[Key, Value] = dict(enumerate(spilled))
            bound[params.star_arg.name.value] = make(fields=fields)
        if arguments.rest is not BOTTOM:
            for name in parameters:
                bound.setdefault(name, arguments.rest)
        return bound

    def _construct(self, known: CstClass, arguments: Arguments) -> Value:
        made = make(refs=(InstanceValue(known.id),))
        for name in ("__init__", "__new__", "__post_init__"):
            method = self.state.method(self.unit.id, known.id, name)
            if method is not None:
                given = Arguments() if name == "__post_init__" else arguments
                self.invoke(FunctionValue(method, known.id), given)
                if name == "__init__":
                    return made
        fields = [
            ref.text
            for ref in self.state.read(self.unit.id, ("fields", known.id, "")).refs
            if isinstance(ref, StringValue)
        ]
        values = dict(arguments.names)
        order = [name.partition(" ")[2] for name in sorted(fields)]
        values.update(zip(order, arguments.positions, strict=False))
        for name, value in values.items():
            self.state.write(("attribute", known.id, name), value)
        return made

    def closure(self, ref: LambdaValue, arguments: Arguments) -> Value:
        """The result of a ``lambda``, with the names that are bound here."""
        if ref.node in self.open:
            return BOTTOM
        params = ref.node.params
        names = [param.name.value for param in (*params.posonly_params, *params.params)]
        outer = dict(self.names)
        for param in (*params.params, *params.kwonly_params):
            self.names[param.name.value] = BOTTOM
        self.names.update(zip(names, arguments.positions, strict=False))
        self.names.update({n: v for n, v in arguments.names.items() if n in names})
        self.open.append(ref.node)
        result = self.evaluate(ref.node.body)
        self.open.pop()
        self.names = outer
        return result


def _without_own(value: Value, unit: str) -> Value:
    """A value without a function's own slots, as in recursion."""
    if not any(isinstance(m, ParameterMark) and m.function == unit for m in value.marks):
        return value
    kept = (m for m in value.marks if not (isinstance(m, ParameterMark) and m.function == unit))
    return make(frozenset(kept), value.refs, value.fields)


_PLACEHOLDER = re.compile(r"\{[^{}]*\}")
_CALLABLE = (FunctionValue, LambdaValue)


@dataclass(frozen=True, slots=True)
class Callee:
    """The object that is called: its value and, for a method, its receiver and name."""

    node: cst.Call
    value: Value
    receiver: Value | None = None
    name: str | None = None


class Calls(ProjectCalls):
    """Applies values to arguments."""

    def apply(self, callee: Callee, arguments: Arguments) -> Value:
        """The result of a call."""
        refs = sorted(callee.value.refs, key=repr)
        found = [self._applied(ref, callee, arguments) for ref in refs]
        results = [result for result in found if result is not None]
        if not results:
            results = [self._unknown(callee, arguments)]
        elif callee.receiver is not None and any(isinstance(r, ExternalName) for r in refs):
            results.append(make(callee.value.marks))
        return join_all(results)

    def _applied(self, ref: Reference, callee: Callee, arguments: Arguments) -> Value | None:
        match ref:
            case ExternalName(path):
                result = self._external(path, callee, arguments)
            case FunctionValue():
                result = self.invoke(ref, arguments)
            case ClassValue(id=known):
                result = self._construct(self.state.classes[known], arguments)
            case LambdaValue():
                result = self.closure(ref, arguments)
            case UnreadName():
                result = self._unread(ref, callee, arguments)
            case InstanceValue(id=known):
                method = self.state.method(self.unit.id, known, "__call__")
                result = self.invoke(FunctionValue(method, known), arguments) if method else None
            case _:
                result = None
        return result

    def _external(self, path: str, callee: Callee, arguments: Arguments) -> Value | None:
        catalogue = self.state.catalogue
        receiver = callee.receiver or BOTTOM
        apis = catalogue.called(path, arguments.words() | receiver.words())
        if apis:
            return self._ask(apis, callee.node, arguments, transport=False)
        if path in catalogue.transport.calls:
            return self._post(callee, arguments)
        if path == "super" and self.unit.owner:
            bases = self.state.family(self.unit.id, self.unit.owner)[1:]
            return make(refs=(InstanceValue(base) for base in bases))
        rule = KNOWN.get(path)
        return rule(arguments) if rule is not None else self._computed(path, arguments)

    def _computed(self, path: str, arguments: Arguments) -> Value:
        passed = self._passed_on(arguments) if library_calls.runs(path) else BOTTOM
        if path in library_calls.MAPS:
            return make(fields={ELEMENT: passed}).shaped(arguments.total)
        if library_calls.is_pure(path):
            same = path in library_calls.SAME
            kept = join_all(arguments.all()) if same else make(arguments.total)
            return join(_without_callables(kept), passed)
        factory = self.state.catalogue.factory(path)
        if factory is not None:
            named = arguments.names.get(factory.argument)
            chosen = named or join_all(arguments.positions[:1])
            return join_all(self.external(f"{path}('{name}')") for name in chosen.texts())
        if path in library_calls.SAME:
            return join_all(arguments.all())
        fields: dict[Key, Value] = dict(enumerate(arguments.positions))
        fields.update(arguments.names)
        made = make(refs=self.external(path).refs, fields=fields)
        if self.state.catalogue.is_chaining(path):
            made = join(made, join_all(_clients(value) for value in arguments.all()))
        if not self.state.catalogue.is_client(path):
            return join(made.only_refs(), passed)
        given = (value.total for value in arguments.positions)
        return join(made.plus(NOTHING.union(*given)), passed)

    def _passed_on(self, arguments: Arguments) -> Value:
        everything = arguments.all()
        results: list[Value] = []
        for value in everything:
            asked = [ref for ref in value.refs if isinstance(ref, _CALLABLE)]
            methods = [ref.path for ref in value.refs if isinstance(ref, ExternalName)]
            if not asked and not methods:
                continue
            others = [other for other in everything if other is not value]
            item = join_all([*(o.element() for o in others), *others])
            count = max(1, len(arguments.positions) - 1)
            given = Arguments(tuple([_without_callables(item)] * count))
            results += [
                self.invoke(ref, given)
                if isinstance(ref, FunctionValue)
                else self.closure(ref, given)
                for ref in asked
            ]
            for path in methods:
                apis = self.state.catalogue.called(path, arguments.words())
                if apis:
                    results.append(self._ask(apis, self.here, arguments, transport=False))
        return join_all(results)

    def _ask(
        self, apis: Iterable[Api], node: cst.CSTNode, arguments: Arguments, *, transport: bool
    ) -> Value:
        line = self.module.positions.line(node)
        asked = [ApiCall(api.name, self.unit.path, self.unit.name, line) for api in apis]
        self.state.calls.setdefault(self.unit.id, set()).update(asked)
        for call in asked:
            known = self.state.questions.get(call, NOTHING)
            self.state.questions[call] = known | arguments.total
        return make(frozenset(AnswerMark(call, transport) for call in asked))

    def _post(self, callee: Callee, arguments: Arguments) -> Value:
        receiver = callee.receiver or BOTTOM
        words = arguments.words() | receiver.words()
        whole = {host + word for host in receiver.texts() for word in words if word[:1] == "/"}
        apis = self.state.catalogue.posted(words | whole)
        if not apis:
            return make(arguments.total & receiver.total)
        answer = self._ask(apis, callee.node, arguments, transport=True)
        if callee.name == "request" and isinstance(callee.node.func, cst.Attribute):
            self.grow(callee.node.func.value, answer)
        return answer

    def _unread(self, ref: UnreadName, callee: Callee, arguments: Arguments) -> Value | None:
        if ref.path in self.state.modules:
            found = replace(callee, value=self.member(ref.path, ref.name))
            return self.apply(found, arguments)
        known = [ref for value in arguments.all() for ref in value.refs]
        told = any(isinstance(ref, InstanceValue | FunctionValue | LambdaValue) for ref in known)
        clients = any(
            isinstance(item, ExternalName) and self.state.catalogue.is_client(item.path)
            for item in known
        )
        if not (told or clients):
            self.state.leave_unread(ref.path, self.unit.id, arguments.total)
            changed = f"{ref.path}::{ref.name}" in self.state.changed
            return make(
                frozenset({ChangedResultMark(f"{ref.path}::{ref.name}")}) if changed else NOTHING
            )
        if self.state.load(ref.path) is None:
            return None
        self.state.enqueue(self.unit.id)
        return BOTTOM

    def _unknown(self, callee: Callee, arguments: Arguments) -> Value:
        receiver = callee.receiver
        if receiver is None or callee.name is None:
            return make(callee.value.marks | arguments.total)
        apis = self.state.catalogue.given(_dotted(callee.node.func), arguments.names)
        if apis:
            return self._ask(apis, callee.node, arguments, transport=False)
        runs = callee.name in library_calls.METHODS or callee.name in library_calls.RUNNERS
        passed = self._passed_on(arguments) if runs else BOTTOM
        known = self._built_in(callee.name, receiver, arguments)
        result = make(callee.value.marks)
        if callee.name in library_calls.METHODS:
            result = result.plus(arguments.total)
        if callee.name in library_calls.GROWING and isinstance(callee.node.func, cst.Attribute):
            self._grown(callee.node.func.value, callee.name, arguments)
        return join_all([result, passed, known])

    def _grown(self, target: cst.BaseExpression, name: str, arguments: Arguments) -> None:
        values = arguments.positions[-1:] or tuple(arguments.names.values())
        for value in values:
            if name in library_calls.WIDENING:
                item = make(NOTHING, (), dict(value.fields)).plus(value.marks)
            else:
                item = make(fields={ELEMENT: value})
            self.grow(target, item.shaped(self.control))

    def _built_in(self, name: str, receiver: Value, arguments: Arguments) -> Value:
        if name == "items":
            pair = make(fields={1: receiver.any_field(), 0: make(receiver.marks)})
            return make(fields={ELEMENT: pair}).shaped(receiver.total)
        if name in ("values", "result", "copy", "most_common"):
            fields = receiver.any_field() if name == "values" else BOTTOM
            return make(fields={ELEMENT: fields}) if name == "values" else receiver
        if name in ("get", "pop", "setdefault") and arguments.positions:
            return join_all([self.item(receiver, arguments.positions[0]), *arguments.positions[1:]])
        if name == "format":
            return join_all(text(_PLACEHOLDER.sub("…", known)) for known in receiver.texts())
        if name in ("strip", "rstrip", "lstrip", "lower", "encode", "decode"):
            return make(refs=(ref for ref in receiver.refs if isinstance(ref, StringValue)))
        return BOTTOM


def _dotted(node: cst.BaseExpression) -> str:
    """Return the names of an attribute of a name, joined by dots."""
    if isinstance(node, cst.Attribute):
        return f"{_dotted(node.value)}.{node.attr.value}"
    return node.value if isinstance(node, cst.Name) else ""


def _clients(value: Value) -> Value:
    """The names of what is called outside the project, in a value or a list of values."""
    parts = (value, *value.fields.values())
    return make(refs=(r for part in parts for r in part.refs if isinstance(r, ExternalName)))


def _without_callables(value: Value) -> Value:
    refs = (ref for ref in value.refs if not isinstance(ref, _CALLABLE))
    return make(value.marks, refs, value.fields)
