"""Evaluation of expressions to dataflow values."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TypeAlias

import libcst as cst

from analyzers.detection.dataflow.call_results import Callee, Calls
from analyzers.detection.dataflow.dataflow_values import (
    BOTTOM,
    ELEMENT,
    NOTHING,
    ExternalName,
    InstanceValue,
    Key,
    LambdaValue,
    Marks,
    Value,
    join,
    join_all,
    make,
    text,
)
from analyzers.detection.dataflow.library_calls import Arguments


class Assignments(Calls):
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
        owners = [ref.id for ref in base.refs if isinstance(ref, InstanceValue)]
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
    """Return whether a position of a value can be told from the others."""
    return at in value.fields or ELEMENT in value.fields or not value.fields


def constant(node: cst.BaseExpression) -> str | int | None:
    """The string or integer that a literal stands for."""
    minus = isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus)
    inner = node.expression if isinstance(node, cst.UnaryOperation) and minus else node
    if not isinstance(inner, cst.Integer if minus else cst.SimpleString | cst.Integer):
        return None
    try:
        value = ast.literal_eval(f"-{inner.value}" if minus else inner.value)
    except (ValueError, SyntaxError, TypeError):
        return None
    return value if isinstance(value, str | int) else None


Comprehension: TypeAlias = cst.ListComp | cst.SetComp | cst.GeneratorExp | cst.DictComp
_CHOSEN = (
    cst.SimpleString,
    cst.ConcatenatedString,
    cst.FormattedString,
    cst.Integer,
    cst.Float,
    cst.Name,
    cst.List,
    cst.Tuple,
    cst.Dict,
    cst.Set,
    cst.UnaryOperation,
    cst.BinaryOperation,
)


def is_chosen(node: cst.BaseExpression | None) -> bool:
    """Return whether a value says which way was taken: a constant, or a plain name."""
    return node is None or isinstance(node, _CHOSEN)


class Expressions(Assignments):
    """Evaluates expressions."""

    def evaluate(self, node: cst.CSTNode) -> Value:
        """The value of an expression; notes what it depends on."""
        visit = getattr(self, f"visit_{type(node).__name__}", None)
        value = BOTTOM if visit is None else visit(node)
        self.note(node, value.total)
        return value

    def note(self, node: cst.CSTNode, marks: Marks) -> None:
        """Note what a node depends on."""
        self.records[node] = self.records.get(node, NOTHING) | marks

    def _all(self, nodes: Iterator[cst.BaseExpression]) -> Value:
        values = [self.evaluate(node) for node in nodes]
        return make(NOTHING.union(*(value.total for value in values)))

    def visit_Name(self, node: cst.Name) -> Value:
        return BOTTOM if node.value in _CONSTANTS else self.lookup(node.value)

    def visit_Attribute(self, node: cst.Attribute) -> Value:
        return self.attribute(self.evaluate(node.value), node.attr.value)

    def visit_Subscript(self, node: cst.Subscript) -> Value:
        """A subscript; a slice of a container is like the container."""
        base = self.evaluate(node.value)
        elements = [element.slice for element in node.slice]
        only = elements[0]
        if len(elements) != 1 or not isinstance(only, cst.Index):
            return base.plus(self._all(_bounds(elements)).marks)
        key = constant(only.value)
        computed = self.evaluate(only.value)
        if key is None:
            return self.item(base, computed)
        found = self.unwrapped(base, str(key)) if isinstance(key, str) else base.get(key)
        if isinstance(key, int):
            found = base.element() if key < 0 or not has(base, key) else found
        typed = [ref for ref in base.refs if isinstance(ref, ExternalName | InstanceValue)]
        return join(found, make(refs=typed)) if typed and not found.refs else found

    def item(self, base: Value, key: Value) -> Value:
        """The value of a subscript with a computed key."""
        texts = key.texts()
        if texts and all(known in base.fields for known in texts):
            found = join_all(base.get(known) for known in texts)
        else:
            found = base.any_field()
        return found.plus(key.total)

    def visit_SimpleString(self, node: cst.SimpleString) -> Value:
        known = constant(node)
        return text(known) if isinstance(known, str) else BOTTOM

    def visit_ConcatenatedString(self, node: cst.ConcatenatedString) -> Value:
        return self._added(self.evaluate(node.left), self.evaluate(node.right))

    def visit_FormattedString(self, node: cst.FormattedString) -> Value:
        result = text("")
        for part in node.parts:
            if isinstance(part, cst.FormattedStringText):
                result = self._added(result, text(part.value))
            elif isinstance(part, cst.FormattedStringExpression):
                value = self.evaluate(part.expression)
                known = value if value.texts() else join(value.only_marks(), text("…"))
                result = self._added(result, known)
        return make(result.total, result.refs)

    def _added(self, left: Value, right: Value) -> Value:
        ends = (left.texts(), right.texts())
        if not any(ends):
            return BOTTOM.plus(left.total | right.total)
        pairs = [(a, b) for a in ends[0] or ("…",) for b in ends[1] or ("…",)]
        refs = join_all(text(a + b) for a, b in pairs[:8]).refs
        return make(left.total | right.total, refs)

    def visit_Tuple(self, node: cst.Tuple | cst.List | cst.Set) -> Value:
        fields: dict[Key, Value] = {}
        for at, element in enumerate(node.elements):
            value = self.evaluate(element.value)
            starred = isinstance(element, cst.StarredElement)
            key: Key = ELEMENT if starred or at >= 16 else at
            value = value.element() if starred else value
            fields[key] = join(fields.get(key, BOTTOM), value)
        return make(fields=fields)

    visit_List = visit_Set = visit_Tuple

    def visit_Dict(self, node: cst.Dict) -> Value:
        result = BOTTOM
        for element in node.elements:
            value = self.evaluate(element.value)
            if isinstance(element, cst.StarredDictElement):
                result = join(result, value)
                continue
            key = constant(element.key) if isinstance(element, cst.DictElement) else None
            keyed = self.evaluate(element.key) if isinstance(element, cst.DictElement) else BOTTOM
            result = result.extended(ELEMENT if key is None else key, value)
            result = result.shaped(keyed.total)
        return result

    def visit_ListComp(self, node: Comprehension) -> Value:
        outer = dict(self.names)
        shape = self._clauses(node.for_in)
        if isinstance(node, cst.DictComp):
            shape |= self.evaluate(node.key).total
            item = self.evaluate(node.value)
        else:
            item = self.evaluate(node.elt)
        self.names = outer
        return make(fields={ELEMENT: item}).shaped(shape)

    visit_SetComp = visit_GeneratorExp = visit_DictComp = visit_ListComp

    def _clauses(self, clause: cst.CompFor) -> Marks:
        source = self.evaluate(clause.iter)
        self.assign(clause.target, source.element())
        tests = [self.evaluate(test.test).total for test in clause.ifs]
        shape = source.total.union(*tests)
        inner = clause.inner_for_in
        return shape | self._clauses(inner) if inner is not None else shape

    def visit_BooleanOperation(self, node: cst.BooleanOperation) -> Value:
        return join(self.evaluate(node.left), self.evaluate(node.right))

    def visit_Comparison(self, node: cst.Comparison) -> Value:
        parts = [node.left, *(target.comparator for target in node.comparisons)]
        return self._all(iter(parts))

    def visit_UnaryOperation(self, node: cst.UnaryOperation) -> Value:
        return make(self.evaluate(node.expression).total)

    def visit_BinaryOperation(self, node: cst.BinaryOperation) -> Value:
        """A binary operation; containers and strings keep their parts."""
        left, right = self.evaluate(node.left), self.evaluate(node.right)
        if isinstance(node.operator, cst.Modulo) and left.texts():
            return make(left.total | right.total, left.refs)
        if left.texts() or right.texts():
            return self._added(left, right)
        fields = join(left, right).fields
        return make(left.marks | right.marks, left.refs | right.refs, fields)

    def visit_IfExp(self, node: cst.IfExp) -> Value:
        test = self.evaluate(node.test).total
        body, other = self.evaluate(node.body), self.evaluate(node.orelse)
        chosen = is_chosen(node.body) or is_chosen(node.orelse)
        return join(body, other).plus(test if chosen else NOTHING)

    def visit_NamedExpr(self, node: cst.NamedExpr) -> Value:
        value = self.evaluate(node.value)
        self.assign(node.target, value)
        return value

    def visit_Await(self, node: cst.Await) -> Value:
        return self.evaluate(node.expression)

    def visit_Yield(self, node: cst.Yield) -> Value:
        """``yield``: an element of what the function returns."""
        inner = node.value.item if isinstance(node.value, cst.From) else node.value
        value = self.evaluate(inner) if inner is not None else BOTTOM
        if isinstance(node.value, cst.From):
            value = value.element()
        self.returned = self.returned.extended(ELEMENT, value).shaped(self.control)
        return BOTTOM

    def visit_Lambda(self, node: cst.Lambda) -> Value:
        """A ``lambda``: evaluated where it stands, and again where it is called."""
        closure = LambdaValue(node)
        self.closure(closure, Arguments())
        return make(refs=(closure,))

    def visit_Call(self, node: cst.Call) -> Value:
        function = node.func
        receiver, name = None, None
        if isinstance(function, cst.Attribute):
            receiver = self.evaluate(function.value)
            name = function.attr.value
            value = self.attribute(receiver, name)
            self.note(function, value.total)
        else:
            value = self.evaluate(function)
        arguments = self._arguments(node.args)
        self.here = node
        return self.apply(Callee(node, value, receiver, name), arguments)

    def _arguments(self, args: Sequence[cst.Arg]) -> Arguments:
        positions: list[Value] = []
        names: dict[str, Value] = {}
        rest = BOTTOM
        for arg in args:
            value = self.evaluate(arg.value)
            if arg.star == "**":
                known = {k: v for k, v in value.fields.items() if isinstance(k, str)}
                names.update((k, v) for k, v in known.items() if k.isidentifier())
                rest = rest if known else join(rest, value.any_field())
            elif arg.star:
                rest = join(rest, value.element())
            elif arg.keyword is not None:
                names[arg.keyword.value] = value
            else:
                positions.append(value)
        return Arguments(tuple(positions), names, rest)


_CONSTANTS = frozenset({"True", "False", "None"})


def _bounds(elements: Sequence[cst.BaseSlice]) -> Iterator[cst.BaseExpression]:
    for element in elements:
        if isinstance(element, cst.Index):
            yield element.value
        elif isinstance(element, cst.Slice):
            yield from (part for part in (element.lower, element.upper) if part is not None)
