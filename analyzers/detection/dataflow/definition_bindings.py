"""What definitions and imports bind."""

from __future__ import annotations

from abc import abstractmethod

import libcst as cst

from analyzers.detection.cst_modules import block
from analyzers.detection.dataflow.dataflow_values import (
    BOTTOM,
    ClassValue,
    FunctionValue,
    ModuleName,
    StringValue,
    UnreadName,
    Value,
    join,
    make,
)
from analyzers.detection.dataflow.expression_values import Expressions
from analyzers.detection.dataflow.project_state import instances


class DefinitionBindings(Expressions):
    """Binds functions, classes, modules and what annotations promise."""

    within_class = False

    @abstractmethod
    def statement(self, node: cst.CSTNode) -> bool:
        """Interpret one statement; whether control reaches its end."""

    def promised(self, node: cst.BaseExpression) -> Value:
        """What an annotation promises."""
        if isinstance(node, cst.SimpleString):
            try:
                node = cst.parse_expression(str(node.evaluated_value))
            except cst.ParserSyntaxError:
                return BOTTOM
        if isinstance(node, cst.Subscript):
            inner = [e.slice.value for e in node.slice if isinstance(e.slice, cst.Index)]
            return self.promised(inner[0]) if inner else BOTTOM
        if isinstance(node, cst.BinaryOperation):
            return join(self.promised(node.left), self.promised(node.right))
        if isinstance(node, cst.Name | cst.Attribute):
            return instances(self.evaluate(node))
        return BOTTOM

    # ---------------------------------------------------------- definitions

    def defined(self, node: cst.FunctionDef) -> bool:
        """A function definition; its defaults are evaluated here."""
        known = self.module.by_node.get(node)
        for decorator in node.decorators:
            self.evaluate(decorator.decorator)
        if known is not None:
            self.bind(node.name.value, make(refs=(FunctionValue(known),)))
        return True

    def classed(self, node: cst.ClassDef) -> bool:
        """A class definition."""
        known = self.module.by_node[node]
        for base in node.bases:
            self._derive(known, self.evaluate(base.value))
        outer = self.names
        self.names = dict(outer)
        plain, names = type(self)(self.state, self.unit), list[str]()
        plain.names = self.names
        for statement in block(node.body):
            found: list[str] = []
            if isinstance(statement, cst.SimpleStatementLine):
                for small in statement.body:
                    if isinstance(small, cst.AnnAssign) and isinstance(small.target, cst.Name):
                        found.append(small.target.value)
            names += found
            if not isinstance(statement, cst.FunctionDef):
                plain.class_statement(statement)
        self.names = outer
        for name, value in plain.names.items():
            if outer.get(name) is not value:
                self.state.write(("attribute", known, name), value)
        order = (StringValue(f"{at:03} {name}") for at, name in enumerate(names))
        self.state.write(("fields", known, ""), make(refs=order))
        self.bind(node.name.value, make(refs=(ClassValue(known),)))
        return True

    def class_statement(self, node: cst.CSTNode) -> None:
        """A statement of a class body, whose names are the class's own."""
        self.within_class = True
        self.statement(node)

    def bind(self, name: str, value: Value) -> None:
        """Give a name a value; in a class body it is the class's own."""
        if self.within_class:
            self.names[name] = value
        else:
            super().bind(name, value)

    def _derive(self, derived: str, base: Value) -> None:
        for ref in base.refs:
            if isinstance(ref, ClassValue):
                self.state.write(("bases", derived, ""), make(refs=(ref,)))
                self.state.write(("derived", ref.id, ""), make(refs=(ClassValue(derived),)))
            elif isinstance(ref, UnreadName) and self.state.load(ref.path) is not None:
                self.state.enqueue(self.unit.id)

    # -------------------------------------------------------------- imports

    def imported(self, node: cst.Import) -> bool:
        """``import a.b as c``."""
        for alias in node.names:
            dotted = _dotted(alias.name)
            bound = alias.asname.name if alias.asname else None
            if isinstance(bound, cst.Name):
                self.bind(bound.value, self._module(0, dotted))
            else:
                first = dotted.partition(".")[0]
                self.bind(first, self._module(0, first))
        return True

    def imported_from(self, node: cst.ImportFrom) -> bool:
        """``from a import b as c``."""
        dotted = _dotted(node.module) if node.module is not None else ""
        module = self._module(len(node.relative), dotted)
        if isinstance(node.names, cst.ImportStar):
            self.state.write(("stars", self.unit.path, ""), module)
            return True
        for alias in node.names:
            name = _dotted(alias.name)
            bound = alias.asname.name if alias.asname else alias.name
            if isinstance(bound, cst.Name):
                self.bind(bound.value, self.attribute(module, name))
        return True

    def _module(self, level: int, dotted: str) -> Value:
        found = self.state.files.resolve(self.unit.path, level, dotted)
        if found is not None:
            return make(refs=(ModuleName(found),))
        return BOTTOM if level else self.external(dotted)


def _dotted(node: cst.BaseExpression) -> str:
    if isinstance(node, cst.Attribute):
        return f"{_dotted(node.value)}.{node.attr.value}"
    return node.value if isinstance(node, cst.Name) else ""
