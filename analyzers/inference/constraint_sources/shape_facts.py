"""Shapes of tensors, followed through the layers and functions that take them.

The first layer that sees an argument says its rank, its channels or features
and its dtype; what later ones need of it is solved for: behind ``Linear(400)``
after flattening sixteen channels, the picture was 32 by 32.  A size that is an
argument of the constructor has its name: where an instance is made, ``dims``
begin with the constructor's integers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ..constraints.constraint_builders import array_text, ints_text, parse_constraint
from ..facts import (
    Confidence,
    ConstraintSource,
    Fact,
    FunctionContext,
    InferredConstraint,
    InferredRequirement,
    parse_module,
)
from ..shape_interpreter.abstract_values import (
    ProjectClass,
    ProjectFunction,
    ProjectInstance,
    Tensor,
    UntypedParameter,
)
from ..shape_interpreter.interpreter import Interpreter
from ..shape_interpreter.project_modules import ProjectModule, defaults_of, module_of
from ..shape_interpreter.size_solver import Range, Solution, solve
from ..shape_interpreter.sizes import (
    Size,
    SizeConstraints,
    SizeTerm,
    SizeVariable,
    evaluated,
    source,
    variables,
)
from . import parameter_uses

_MOST_FREE = 16
_CLASSES = 4


def facts(subject: FunctionContext) -> Iterator[Fact]:
    """Yield what the shapes that a function's body needs say of its arguments."""
    if subject.node.name == "__init__":
        return
    first = _attempt(subject, 2)
    if not first.ledger.guessed or first.clean:
        yield from first.facts()
        return
    second = _attempt(subject, 1)
    yield from (second if second.clean else first).facts()


def _attempt(subject: FunctionContext, rank: int) -> _Described:
    interpreter = Interpreter()
    interpreter.ledger.usual_rank = rank
    parameters = interpreted(interpreter, subject)
    tensors = {
        each.name: each.tensor
        for each in parameters
        if each.tensor and (each.tensor.shape.touched or each.tensor.elements.dtype is not None)
    }
    numbers = {each.var: each.name for each in parameters if each.counted}
    closed = _close(interpreter, tensors, subject)
    solution = solve(interpreter.ledger)
    return _Described(interpreter.ledger, solution, tensors, subject, numbers, closed)


def interpreted(
    interpreter: Interpreter, subject: FunctionContext, *, every: bool = False
) -> list[UntypedParameter]:
    """Interpret the body on parameters that are open: those without a default, or all."""
    module = module_of(subject.path, subject.tree, subject.sources)
    given = defaults_of(subject.node.args)
    parameters = {
        each.arg: UntypedParameter(each.arg, interpreter.ledger)
        for each in subject.parameters
        if every or each.arg not in given
    }
    bound = None
    name = subject.node.name
    args = subject.node.args
    named = len(args.posonlyargs) + len(args.args) + len(args.kwonlyargs)
    if subject.owner is not None and len(subject.parameters) < named:
        home = _home(subject) or module
        bound = _instance(interpreter, ProjectClass(subject.owner, home, subject.owner.name), name)
        name = f"{subject.owner.name}.{name}"
    function = ProjectFunction(subject.node, module, name, bound)
    if subject.home and bound is not None:
        inherited = interpreter.attribute(bound, subject.node.name)
        function = inherited if isinstance(inherited, ProjectFunction) else function
    interpreter.ledger.doubts = 0
    interpreter.run(function, (), parameters)
    return list(parameters.values())


def _home(subject: FunctionContext) -> ProjectModule | None:
    """Return the file of a class that inherits the method."""
    tree = parse_module(subject.sources.get(subject.home, "")) if subject.home else None
    return module_of(subject.home, tree, subject.sources) if tree is not None else None


def _instance(interpreter: Interpreter, of: ProjectClass, method: str) -> ProjectInstance:
    made = ProjectInstance(of)
    constructor = interpreter.attribute(made, "__init__")
    if method != "__init__" and isinstance(constructor, ProjectFunction):
        spec = constructor.node.args
        given = defaults_of(spec)
        names = [each.arg for each in (*spec.posonlyargs, *spec.args)][1:]
        names += [each.arg for each in spec.kwonlyargs]
        kwargs = {
            name: UntypedParameter(name, interpreter.ledger, rigid=True)
            for name in names
            if name not in given
        }
        interpreter.run(constructor, (), kwargs)
    return made


def _close(
    interpreter: Interpreter, tensors: Mapping[str, Tensor], subject: FunctionContext
) -> Mapping[str, int]:
    """Give those of open rank the least that is usual, where anything speaks against leaving it.

    Their names are returned, with how many of their first dimensions were named.
    """
    ledger = interpreter.ledger
    sure = ledger.doubts == 0 and not ledger.conflicts and subject.owner is not None
    closed: dict[str, int] = {}
    for name, tensor in tensors.items():
        shape = tensor.shape
        if shape.dims is not None:
            continue
        first, last = len(shape.first), len(shape.last)
        if first or (last and (not sure or last > 1)):
            shape.close(max(first, last, 2))
            closed[name] = first
    for tensor in tensors.values():
        count = _count(ledger, tensor)
        if count is not None and _is_size(count, tensors):
            ledger.least(count, _CLASSES)
    return closed


def _is_size(var: SizeVariable, tensors: Mapping[str, Tensor]) -> bool:
    dims = [size for each in tensors.values() for size in each.shape.dims or ()]
    return not var.rigid and any(var in variables(size) for size in dims)


def _count(ledger: SizeConstraints, tensor: Tensor) -> SizeVariable | None:
    """The open number of classes that a tensor's elements are below."""
    high = tensor.elements.high
    if not isinstance(high, SizeVariable | SizeTerm):
        return None
    found = list(variables(ledger.resolved(high)))
    return found[0] if len(found) == 1 else None


@dataclass(slots=True)
class _Described:
    ledger: SizeConstraints
    solution: Solution
    tensors: Mapping[str, Tensor]
    subject: FunctionContext
    numbers: Mapping[SizeVariable, str]
    closed: Mapping[str, int]
    names: dict[SizeVariable, str] = field(default_factory=dict[SizeVariable, str])

    @property
    def clean(self) -> bool:
        ledger = self.ledger
        return not (ledger.doubts or ledger.conflicts or self.solution.failed)

    def facts(self) -> Iterator[Fact]:
        where = f"{self.subject.path}:{self.subject.node.lineno}"
        for tensor in self.tensors.values():
            for var in (var for size in self._dims(tensor) for var in variables(size)):
                self._name_one(var)
        for name, tensor in self.tensors.items():
            elements = tensor.elements
            kind = self._kind(name, tensor)
            usual = "float32" if kind == "tensors" else None
            more: dict[str, object] = {"dtype": elements.dtype or usual}
            if isinstance(elements.low, int | float):
                more["min"] = elements.low
                more["max"] = elements.high if isinstance(elements.high, int | float) else None
                if more["max"] is None and elements.dtype == "int64":
                    more["max"] = self._highest(tensor)
            words: list[str] | None = [self._word(each) for each in self._dims(tensor)]
            if tensor.shape.dims is None:
                same = [t for t in self.tensors.values() if t.shape.same_as(tensor.shape)]
                only_alike = ["'*shape'"] if len(same) > 1 else None
                words = ["'...'", *words] if words else only_alike
            found = parse_constraint(array_text(kind, words, more))
            if found is not None:
                yield InferredConstraint(
                    name, found, ConstraintSource.SHAPE, self._confidence(name, tensor), where
                )
        for condition in self._required():
            yield InferredRequirement(condition, ConstraintSource.SHAPE, Confidence.STRONG, where)

    def _kind(self, name: str, tensor: Tensor) -> str:
        """Return the library of an array: where nothing made it, that of the file's imports."""
        if tensor.kind != "tensors":
            return tensor.kind
        return parameter_uses.array_kind(self.subject, name, None) or tensor.kind

    def _confidence(self, name: str, tensor: Tensor) -> Confidence:
        """Return how sure a shape is.

        One that is no more than indices need is not what callers give, nor is one that enters a
        layer of unknown size; what stands in a sum with an array may be a number.  A rank that
        was guessed is wrong where sizes contradict each other, and the least that ``size(1)``
        needs may be where not all that is done with the tensor is understood.
        """
        least = self.closed.get(name, 0) > 0 and self.ledger.doubts > 0
        mentioned = {var for size in self._dims(tensor) for var in variables(size)}
        unsized = (
            var for size in self.ledger.unsized for var in variables(self.ledger.resolved(size))
        )
        if (
            least
            or (self.ledger.guessed and self.ledger.conflicts)
            or mentioned.intersection(unsized)
        ):
            return Confidence.GUESS
        if name in self.closed or tensor.shape.likened or (self.ledger.guessed and not self.clean):
            return Confidence.LIKELY
        if self.ledger.doubts or (tensor.shape.dims is None and not tensor.shape.last):
            return Confidence.LIKELY
        return Confidence.LIKELY if mentioned & self.solution.failed else Confidence.STRONG

    def _dims(self, tensor: Tensor) -> list[Size]:
        dims = tensor.shape.dims
        return tensor.shape.last if dims is None else dims

    def _name_one(self, var: SizeVariable) -> None:
        if var in self.names:
            return
        if var.rigid or var in self.numbers:
            self.names[var] = var.name
            return
        taken, wanted, number = set(self.names.values()), var.name or "n", 2
        name = wanted
        while name in taken or name in set(self.tensors):
            name, number = f"{wanted}{number}", number + 1
        self.names[var] = name

    def _shared(self, var: SizeVariable) -> bool:
        uses = [v for t in self.tensors.values() for size in self._dims(t) for v in variables(size)]
        return uses.count(var) > 1

    def _highest(self, tensor: Tensor) -> int:
        """The highest index that is surely there: the first, where the number is a caller's."""
        count = _count(self.ledger, tensor)
        if count is not None:
            if not _is_size(count, self.tensors):
                return 0
            return self.solution.ranges.get(count, Range()).low - 1
        high = self.ledger.resolved(tensor.elements.high or 0)
        return high if isinstance(high, int) else 0

    def _word(self, size: Size) -> str:
        if isinstance(size, int):
            return str(size)
        if isinstance(size, SizeTerm):
            only = {var: self.solution.ranges.get(var, Range()).only for var in variables(size)}
            known = {var: value for var, value in only.items() if value is not None}
            fixed = evaluated(size, known) if len(known) == len(only) else None
            return repr(source(size, self.names)) if fixed is None else str(fixed)
        range_ = self.solution.ranges.get(size, Range())
        if range_.only is not None:
            return str(range_.only)
        if range_ == Range() or size.rigid or self._shared(size):
            return repr(self.names[size])
        high = range_.low + _MOST_FREE * range_.multiple if range_.high is None else range_.high
        return ints_text(
            range_.low, min(high, range_.low + _MOST_FREE * range_.multiple), range_.multiple
        )

    def _required(self) -> Iterator[str]:
        """The bounds of dimensions that have a name because several share it."""
        said: set[SizeVariable] = set()
        for name, tensor in self.tensors.items():
            for index, size in enumerate(tensor.shape.dims or ()):
                if isinstance(size, SizeVariable) and size in self.numbers:
                    yield f"{name}.shape[{index}] == {self.numbers[size]}"
        for name, tensor in self.tensors.items():
            for index, size in enumerate(tensor.shape.dims or ()):
                if (
                    not isinstance(size, SizeVariable)
                    or size in said
                    or size.rigid
                    or not self._shared(size)
                ):
                    continue
                said.add(size)
                range_, place = self.solution.ranges.get(size, Range()), f"{name}.shape[{index}]"
                if range_.only is None and range_.low > 1:
                    yield f"{place} >= {range_.low}"
                if range_.only is None and range_.high is not None:
                    yield f"{place} <= {range_.high}"
                if range_.only is None and range_.multiple > 1:
                    yield f"{place} % {range_.multiple} == 0"
