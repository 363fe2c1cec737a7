"""Calls of the project's own functions, classes and lambdas."""

from __future__ import annotations

import libcst as cst

from analyzers.detection.arguments import Arguments
from analyzers.detection.frame import Frame
from analyzers.detection.modules import ClassUnit, Unit
from analyzers.detection.values import (
    BOTTOM,
    Closure,
    Function,
    Instance,
    Key,
    Slot,
    Text,
    Through,
    Value,
    make,
)


class Invoking(Frame):
    """Applies what the project defines."""

    def invoke(self, ref: Function, arguments: Arguments) -> Value:
        """The result of a function of the project."""
        unit = self.state.units[ref.id]
        self.state.edges.setdefault(self.unit.id, set()).add(ref.id)
        bound = self._bound(unit, ref.receiver, arguments)
        for name, value in bound.items():
            self.state.write(("argument", unit.id, name), _without_own(value, unit.id))
        returned = self.state.read(self.unit.id, ("returned", unit.id, ""))

        def given(slot: Slot) -> Value | None:
            if slot.function != unit.id:
                return None
            return bound.get(slot.parameter, BOTTOM).at(slot.path)

        result = returned.substituted(given)
        if unit.id in self.state.changed:
            result = result.plus(frozenset({Through(unit.id)}))
        return result

    def _bound(self, unit: Unit, receiver: str | None, arguments: Arguments) -> dict[str, Value]:
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

    def _construct(self, known: ClassUnit, arguments: Arguments) -> Value:
        made = make(refs=(Instance(known.id),))
        for name in ("__init__", "__new__", "__post_init__"):
            method = self.state.method(self.unit.id, known.id, name)
            if method is not None:
                given = Arguments() if name == "__post_init__" else arguments
                self.invoke(Function(method, known.id), given)
                if name == "__init__":
                    return made
        fields = [
            ref.text
            for ref in self.state.read(self.unit.id, ("fields", known.id, "")).refs
            if isinstance(ref, Text)
        ]
        values = dict(arguments.names)
        order = [name.partition(" ")[2] for name in sorted(fields)]
        values.update(zip(order, arguments.positions, strict=False))
        for name, value in values.items():
            self.state.write(("attribute", known.id, name), value)
        return made

    def closure(self, ref: Closure, arguments: Arguments) -> Value:
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
    if not any(isinstance(m, Slot) and m.function == unit for m in value.marks):
        return value
    kept = (m for m in value.marks if not (isinstance(m, Slot) and m.function == unit))
    return make(frozenset(kept), value.refs, value.fields)
