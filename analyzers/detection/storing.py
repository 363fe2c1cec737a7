"""Where assignments put their values."""

from __future__ import annotations

import ast

import libcst as cst

from analyzers.detection.calls import Calls
from analyzers.detection.values import BOTTOM, ELEMENT, Instance, Value, join, make


class Storing(Calls):
    """Stores values in names, attributes and items."""

    def assign(self, target: cst.CSTNode, value: Value) -> None:
        """Store a value where a target says."""
        if isinstance(target, cst.Name):
            self.bind(target.value, value)
        elif isinstance(target, cst.Tuple | cst.List):
            self._unpack(target, value)
        elif isinstance(target, cst.Attribute):
            self._set_attribute(target, value)
        elif isinstance(target, cst.Subscript):
            self._set_item(target, value)

    def _unpack(self, target: cst.Tuple | cst.List, value: Value) -> None:
        for at, element in enumerate(target.elements):
            if isinstance(element, cst.StarredElement):
                self.assign(element.value, value)
            else:
                known = has(value, at)
                self.assign(element.value, value.get(at) if known else value.element())

    def _set_attribute(self, target: cst.Attribute, value: Value) -> None:
        base, name = self.evaluate(target.value), target.attr.value
        owners = [ref.id for ref in base.refs if isinstance(ref, Instance)]
        for owner in owners:
            self.state.write(("attribute", owner, name), value)
        if not owners:
            self.grow(target.value, make(fields={name: value}))

    def _set_item(self, target: cst.Subscript, value: Value) -> None:
        only = target.slice[0].slice if len(target.slice) == 1 else None
        key = constant(only.value) if isinstance(only, cst.Index) else None
        computed = self.evaluate(only.value) if isinstance(only, cst.Index) else BOTTOM
        item = make(fields={ELEMENT if key is None else key: value})
        self.grow(target.value, item.shaped(computed.total | self.control))

    def grow(self, target: cst.BaseExpression, value: Value) -> None:
        """Join a value into what an expression stands for."""
        if isinstance(target, cst.Name):
            name = target.value
            if name in self.names:
                self.bind(name, join(self.names[name], value))
            else:
                self.state.write(("global", self.unit.path, name), value)
        elif isinstance(target, cst.Attribute):
            self._set_attribute(target, value)
        elif isinstance(target, cst.Subscript):
            self._set_item(target, value)


def has(value: Value, at: int) -> bool:
    """Whether a position of a value can be told from the others."""
    return at in value.fields or ELEMENT in value.fields or not value.fields


def constant(node: cst.BaseExpression) -> str | int | None:
    """The string or integer that a literal stands for."""
    if isinstance(node, cst.SimpleString | cst.Integer | cst.UnaryOperation):
        try:
            value = ast.literal_eval(_code(node))
        except (ValueError, SyntaxError, TypeError):
            return None
        return value if isinstance(value, str | int) else None
    return None


def _code(node: cst.BaseExpression) -> str:
    if isinstance(node, cst.SimpleString | cst.Integer):
        return node.value
    negative = isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus)
    inner = node.expression if isinstance(node, cst.UnaryOperation) else node
    plain = isinstance(inner, cst.Integer) and negative
    return f"-{inner.value}" if plain and isinstance(inner, cst.Integer) else "None"
