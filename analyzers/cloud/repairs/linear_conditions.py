"""Conditions that compare the numbers of an answer, and the same with other numbers."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from analyzers.cloud.source_edits import LineEdit, SourceText, Splice
from analyzers.guest.instrumentation.decisions import Decision

Point = tuple[float, ...]

_RIDGE = 0.001
"""Keeps the weights finite where the classes can be told apart without error."""
_MOST_DECIMALS = 4
_LEAST_WEIGHT = 0.05
"""Of a number in units of its spread: with less it has no say."""


@dataclass(frozen=True, slots=True)
class SeparatingLine:
    """A condition on numbers: the first plus the weighted others, against a limit.

    ``above``: it holds on the side of greater numbers.  ``others`` are the
    weights of the numbers after the first, whose weight is 1.
    """

    others: tuple[float, ...]
    limit: float
    above: bool

    def holds(self, point: Point, *, strict: bool) -> bool:
        """Return whether the condition is true of a point."""
        weighed = zip(self.others, point[1:], strict=True)
        value = point[0] + sum(weight * number for weight, number in weighed)
        if value == self.limit:
            return not strict
        return (value > self.limit) is self.above

    def accuracy(self, points: Sequence[Point], classes: Sequence[bool], *, strict: bool) -> int:
        """Count the points of which it is true if, and only if, they are of the class."""
        pairs = zip(points, classes, strict=True)
        return sum(self.holds(point, strict=strict) is wanted for point, wanted in pairs)

    def rounded(self, decimals: int) -> SeparatingLine:
        """Return the line with so many decimals, without negative zeros."""
        others = tuple(round(weight, decimals) + 0.0 for weight in self.others)
        return replace(self, others=others, limit=round(self.limit, decimals) + 0.0)


def separated(
    points: Sequence[Point], classes: Sequence[bool], *, strict: bool
) -> SeparatingLine | None:
    """Fit a line, in as few decimals as keep what it gets right on these points.

    ``None`` where the first number has no say.
    """
    line = _fitted(points, classes)
    if line is None:
        return None
    exact = line.accuracy(points, classes, strict=strict)
    shorter = (line.rounded(decimals) for decimals in range(1, _MOST_DECIMALS + 1))
    kept = (short for short in shorter if short.accuracy(points, classes, strict=strict) >= exact)
    return next(kept, line)


def _fitted(points: Sequence[Point], classes: Sequence[bool]) -> SeparatingLine | None:
    import numpy as np  # noqa: PLC0415 - like scipy, half a second that only findings need
    from scipy.optimize import minimize  # noqa: PLC0415

    numbers = np.asarray(points, dtype=float)
    spread = numbers.std(axis=0)
    spread[spread == 0] = 1.0
    x = np.column_stack([np.ones(len(points)), numbers / spread])
    sign = np.where(np.asarray(classes), 1.0, -1.0)

    def loss(weights: np.ndarray) -> float:
        errors = np.logaddexp(0.0, -sign * (x @ weights))
        return float(errors.mean() + _RIDGE * weights[1:] @ weights[1:])

    bias, *scaled = minimize(loss, np.zeros(x.shape[1])).x
    first, *others = (float(weight) for weight in scaled / spread)
    if abs(scaled[0]) < _LEAST_WEIGHT:
        return None
    return SeparatingLine(
        tuple(weight / first for weight in others), -float(bias) / first, above=first > 0
    )


_ABOVE = {ast.Gt: ">", ast.GtE: ">="}
_BELOW = {ast.Lt: "<", ast.LtE: "<="}
_OPERATORS = {**_ABOVE, **_BELOW}
_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Module


@dataclass(frozen=True, slots=True)
class NumberComparison:
    """``field`` of an answer, compared with something in order.

    ``above``: the comparison holds for the greater numbers; ``strict``: not
    for the limit itself.  ``number``: the limit is a number in the code.
    """

    node: ast.Compare
    place: ast.expr
    limit: ast.expr
    field: str
    above: bool
    strict: bool

    @property
    def number(self) -> bool:
        """Return whether the limit is a literal number."""
        limit = self.limit.operand if isinstance(self.limit, ast.UnaryOp) else self.limit
        return isinstance(limit, ast.Constant) and isinstance(limit.value, int | float)


class AnswerNumbers:
    """The numbers of an answer, by field, in the condition of one decision."""

    def __init__(self, source: str, decision: Decision, fields: Collection[str]) -> None:
        self._text = SourceText(source)
        self._fields = fields
        self._condition = self._text.condition(decision)

    @property
    def comparisons(self) -> list[NumberComparison]:
        """The comparisons of fields in the condition, in their order."""
        nodes = ast.walk(self._condition) if self._condition else ()
        return [found for node in nodes if (found := self._comparison(node)) is not None]

    def reads(self, names: tuple[str, ...], line: SeparatingLine, *, strict: bool) -> str:
        """Return the line as a condition, each field as the code spells it, else by its name."""
        spelled = [self._spelled(name) or name for name in names]
        terms = [spelled[0]]
        for weight, name in zip(line.others, spelled[1:], strict=True):
            if weight:
                terms.append(f"{'+' if weight > 0 else '-'} {abs(weight):g} * {name}")
        operator = (">" if line.above else "<") + ("" if strict else "=")
        return f"{' '.join(terms)} {operator} {line.limit:g}"

    def rewritten(
        self, names: tuple[str, ...], line: SeparatingLine, *, strict: bool
    ) -> LineEdit | None:
        """Return the lines in which the line stands for the condition.

        ``None`` where the condition asks anything but fields against numbers,
        or where the code has no expression for a field.
        """
        if self._condition is None or not self._is_plain(self._condition):
            return None
        used = [n for n, weight in zip(names, (1.0, *line.others), strict=True) if weight]
        if not all(map(self._spelled, used)):
            return None
        found = self.comparisons
        if len(found) == 1 and used == [found[0].field] and _agrees(found[0], line, strict=strict):
            splice = Splice(*self._text.span(found[0].limit), f"{line.limit:g}")
        else:
            splice = Splice(
                *self._text.span(self._condition), self.reads(names, line, strict=strict)
            )
        return self._text.edited([splice])

    def _is_plain(self, node: ast.AST) -> bool:
        """Return whether a condition is made of comparisons of fields with numbers alone."""
        if isinstance(node, ast.BoolOp):
            return all(map(self._is_plain, node.values))
        found = self._comparison(node)
        return found is not None and found.number

    def _comparison(self, node: ast.AST) -> NumberComparison | None:
        if not isinstance(node, ast.Compare) or len(node.ops) != 1:
            return None
        operator, left, right = type(node.ops[0]), node.left, node.comparators[0]
        if operator not in _OPERATORS:
            return None
        strict = operator in (ast.Gt, ast.Lt)
        for place, limit, turned in ((left, right, False), (right, left, True)):
            field = self._field_of(place)
            if field is not None:
                above = (operator in _ABOVE) is not turned
                return NumberComparison(node, place, limit, field, above, strict)
        return None

    def _field_of(self, node: ast.AST) -> str | None:
        """Return the field that an expression's last name is, or ends with."""
        name = _last_name(node)
        folded = name.casefold() if name else ""
        same = [field for field in self._fields if field.casefold() == folded]
        ending = [f for f in self._fields if folded.endswith(f"_{f.casefold()}")]
        return next(iter(same or ending), None)

    def _spelled(self, field: str) -> str | None:
        """Return the expression for a field: in the condition, beside it, or a local name."""
        found = self.comparisons
        for comparison in found:
            if comparison.field == field:
                return self._text.segment(comparison.place)
        for comparison in found:
            beside = self._beside(comparison.place, field)
            if beside is not None:
                return beside
        return next(
            (
                name
                for name in self._locals()
                if self._field_of(ast.Name(name, ast.Load())) == field
            ),
            None,
        )

    def _beside(self, node: ast.expr, field: str) -> str | None:
        match node:
            case ast.Attribute(value=value):
                return f"{self._text.segment(value)}.{field}"
            case ast.Subscript(value=value, slice=ast.Constant(value=str()) as key):
                quote = self._text.segment(key)[-1]
                return f"{self._text.segment(value)}[{quote}{field}{quote}]"
            case _:
                return None

    def _locals(self) -> Iterator[str]:
        """Yield the names that the condition's function sets."""
        outer = self._text.ancestors(self._condition) if self._condition else iter(())
        function = next((node for node in outer if isinstance(node, _Function)), None)
        for node in ast.walk(function) if function else ():
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id


def _agrees(found: NumberComparison, line: SeparatingLine, *, strict: bool) -> bool:
    return (found.above, found.strict) == (line.above, strict)


def _last_name(node: ast.AST) -> str | None:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Subscript(slice=ast.Constant(value=str() as name)):
            return name
        case _:
            return None
