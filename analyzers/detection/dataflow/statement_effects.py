"""Runs the statements of a function over abstract values."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import partial

import libcst as cst

from analyzers.detection.cst_modules import Body, CstUnit, block
from analyzers.detection.dataflow.dataflow_values import (
    BOTTOM,
    ClassValue,
    ExternalName,
    FunctionValue,
    InstanceValue,
    Marks,
    ModuleName,
    ParameterMark,
    StringValue,
    UnreadName,
    Value,
    join,
    make,
)
from analyzers.detection.dataflow.expression_values import Expressions, is_chosen
from analyzers.detection.dataflow.project_state import Environment, ProjectState, instances

MAX_PASSES = 3


class Statements(Expressions):
    """Interprets bodies.  Each rule says whether control reaches the end."""

    within_class = False

    def promised(self, node: cst.BaseExpression) -> Value:
        """Return what an annotation promises."""
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

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        known = self.module.by_node.get(node)
        for decorator in node.decorators:
            self.evaluate(decorator.decorator)
        if known is not None:
            self.bind(node.name.value, make(refs=(FunctionValue(known),)))
        return True

    def visit_ClassDef(self, node: cst.ClassDef) -> bool:
        known = self.module.by_node[node]
        for base in node.bases:
            self._derive(known, self.evaluate(base.value))
        outer = self.names
        self.names = dict(outer)
        plain, names = type(self)(self.state, self.unit), list[str]()
        plain.names = self.names
        for statement in block(node.body):
            if isinstance(statement, cst.SimpleStatementLine):
                names += [
                    small.target.value
                    for small in statement.body
                    if isinstance(small, cst.AnnAssign) and isinstance(small.target, cst.Name)
                ]
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

    def visit_Import(self, node: cst.Import) -> bool:
        for alias in node.names:
            dotted = _dotted(alias.name)
            bound = alias.asname.name if alias.asname else None
            if isinstance(bound, cst.Name):
                self.bind(bound.value, self._module(0, dotted))
            else:
                first = dotted.partition(".")[0]
                self.bind(first, self._module(0, first))
        return True

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:
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

    def run(self) -> None:
        """Interpret the whole function and write down what it does."""
        self._enter()
        self.body(self.unit.body)
        unit = self.unit.id
        self.state.write(("returned", unit, ""), self.returned)
        if not self.outside:
            for name, value in self.names.items():
                self.state.write(("local", unit, name), value)

    def _enter(self) -> None:
        unit, node = self.unit, self.unit.node
        if node is None:
            return
        for at, param in enumerate(unit.parameters):
            name = param.name.value
            if at == 0 and unit.is_method and unit.owner is not None:
                first = ClassValue if "classmethod" in unit.decorators else InstanceValue
                self.names[name] = make(refs=(first(unit.owner),))
            else:
                self.names[name] = self._parameter(param)
        for star in (node.params.star_arg, node.params.star_kwarg):
            if isinstance(star, cst.Param):
                self.names[star.name.value] = self._parameter(star)

    def _parameter(self, param: cst.Param) -> Value:
        name = param.name.value
        given = self.state.read(self.unit.id, ("argument", self.unit.id, name)).only_refs()
        if param.default is not None:
            given = join(given, self.evaluate(param.default))
        if param.annotation is not None:
            given = join(given, self.promised(param.annotation.annotation))
        return given.plus(frozenset({ParameterMark(self.unit.id, name)}))

    def body(self, statements: Body) -> bool:
        """Interpret statements; whether control reaches the end."""
        return all(self.statement(statement) for statement in statements)

    def statement(self, node: cst.CSTNode) -> bool:
        """Interpret one statement; whether control reaches its end."""
        if isinstance(node, cst.SimpleStatementLine):
            return self.body(node.body)
        visit = getattr(self, f"visit_{type(node).__name__}", None)
        return visit is None or visit(node)

    @contextmanager
    def under(self, marks: Marks) -> Generator[None]:
        """Interpret under a condition that depends on ``marks``."""
        outer = self.control
        self.control = outer | marks
        yield
        self.control = outer

    def _ways(self, *ways: Callable[[], bool]) -> bool:
        start = self.names
        ends: list[Environment] = []
        for way in ways:
            self.names = dict(start)
            if way():
                ends.append(self.names)
        self.names = _joined(ends) if ends else dict(start)
        return bool(ends)

    def visit_Expr(self, node: cst.Expr) -> bool:
        self.evaluate(node.value)
        return True

    def visit_Assign(self, node: cst.Assign) -> bool:
        value = self._chosen(node.value)
        for target in node.targets:
            self.assign(target.target, value)
        return True

    def visit_AnnAssign(self, node: cst.AnnAssign) -> bool:
        value = self._chosen(node.value) if node.value is not None else BOTTOM
        self.assign(node.target, join(value, self.promised(node.annotation.annotation)))
        return True

    def visit_AugAssign(self, node: cst.AugAssign) -> bool:
        old, new = self.evaluate(node.target), self.evaluate(node.value)
        refs = (ref for ref in old.refs if not isinstance(ref, StringValue))
        value = make(old.marks | new.marks | self.control, refs, join(old, new).fields)
        self.assign(node.target, value)
        return True

    def _chosen(self, node: cst.BaseExpression) -> Value:
        value = self.evaluate(node)
        return value.plus(self.control) if self.control and is_chosen(node) else value

    def visit_Return(self, node: cst.Return) -> bool:
        value = self.evaluate(node.value) if node.value is not None else BOTTOM
        if self.control and is_chosen(node.value):
            value = value.plus(self.control)
        self.returned = join(self.returned, value)
        return False

    def visit_Raise(self, node: cst.Raise) -> bool:
        if node.exc is not None:
            self.evaluate(node.exc)
        return False

    def visit_Break(self, _node: cst.CSTNode) -> bool:
        self.jumps.append(self.names)
        return False

    visit_Continue = visit_Break

    def visit_Assert(self, node: cst.Assert) -> bool:
        self.evaluate(node.test)
        if node.msg is not None:
            self.evaluate(node.msg)
        return True

    def visit_Global(self, node: cst.Global) -> bool:
        self.shared.update(item.name.value for item in node.names)
        return True

    def visit_If(self, node: cst.If) -> bool:
        test = self.evaluate(node.test).total
        other = node.orelse
        with self.under(test):
            return self._ways(
                lambda: self.body(block(node.body)),
                lambda: (
                    self.visit_If(other)
                    if isinstance(other, cst.If)
                    else other is None or self.body(block(other.body))
                ),
            )

    def visit_While(self, node: cst.While) -> bool:
        return self._loop(node, lambda: self.evaluate(node.test).total)

    def visit_For(self, node: cst.For) -> bool:
        def step() -> Marks:
            source = self.evaluate(node.iter)
            self.assign(node.target, source.element())
            return source.total

        return self._loop(node, step)

    def _loop(self, node: cst.While | cst.For, step: Callable[[], Marks]) -> bool:
        jumps, self.jumps = self.jumps, []
        for _ in range(MAX_PASSES):
            before = dict(self.names)
            with self.under(step()):
                self.body(block(node.body))
            self.names = _joined([before, self.names, *self.jumps])
            if before.keys() == self.names.keys() and all(
                before[n].same(self.names[n]) for n in before
            ):
                break
        self.jumps = jumps
        return self.body(block(node.orelse.body)) if node.orelse else True

    def visit_Try(self, node: cst.Try | cst.TryStar) -> bool:
        """``try``: a handler starts from before or after the body."""
        before = dict(self.names)
        ends = self.body(block(node.body))
        if ends and node.orelse is not None:
            ends = self.body(block(node.orelse.body))
        after = self.names
        results = [after] if ends else []
        for handler in node.handlers:
            self.names = _joined([before, after])
            if handler.type is not None:
                self.evaluate(handler.type)
            if handler.name is not None:
                self.assign(handler.name.name, BOTTOM)
            if self.body(block(handler.body)):
                results.append(self.names)
        self.names = _joined(results) if results else _joined([before, after])
        final = self.body(block(node.finalbody.body)) if node.finalbody else True
        return final and bool(results)

    visit_TryStar = visit_Try

    def visit_With(self, node: cst.With) -> bool:
        for item in node.items:
            value = self.evaluate(item.item)
            if item.asname is not None:
                entered = self.attribute(value, "__enter__")
                made = make(refs=(r for r in entered.refs if isinstance(r, ExternalName)))
                self.assign(item.asname.name, join(value, made))
        return self.body(block(node.body))

    def visit_Match(self, node: cst.Match) -> bool:
        """``match``: every pattern depends on the subject."""
        subject = self.evaluate(node.subject)

        def way(case: cst.MatchCase) -> bool:
            self.note(case.pattern, subject.total)
            for name in _captured(case.pattern):
                self.bind(name, make(subject.total, subject.refs, subject.fields))
            if case.guard is not None:
                self.evaluate(case.guard)
            return self.body(block(case.body))

        with self.under(subject.total):
            self._ways(*(partial(way, case) for case in node.cases), lambda: True)
        return True


def _dotted(node: cst.BaseExpression) -> str:
    if isinstance(node, cst.Attribute):
        return f"{_dotted(node.value)}.{node.attr.value}"
    return node.value if isinstance(node, cst.Name) else ""


def _captured(node: cst.CSTNode) -> list[str]:
    names: list[str] = []
    if isinstance(node, cst.MatchAs | cst.MatchStar) and node.name is not None:
        names.append(node.name.value)
    if isinstance(node, cst.MatchMapping) and node.rest is not None:
        names.append(node.rest.value)
    for child in node.children:
        names += _captured(child)
    return names


def _joined(environments: Sequence[Environment]) -> Environment:
    first, *others = environments
    result = dict(first)
    for other in others:
        for name, value in other.items():
            result[name] = join(result[name], value) if name in result else value
    return result


def analyse(state: ProjectState, unit: CstUnit) -> None:
    """Interpret one function once, with what is known so far."""
    Statements(state, unit).run()
