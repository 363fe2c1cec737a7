"""All arguments of a call in one strategy: they share dimensions, and meet the preconditions."""

from __future__ import annotations

import re
from ast import literal_eval
from itertools import combinations, product
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Sequence, Set, Tuple

from ...annotations.constraints import Constraint
from ...annotations.syntax import AnnotationError, parse
from ..recipes import DisplayRecipe, Recipe, evaluate
from ..solving.condition_terms import Branch, ConditionPart, alternatives, compiled, is_true
from ..solving.domains import ARRAYS, DimensionSizes, Undecidable, shape_of, with_upper_bound
from ..solving.drawing_order import names_of, order, split
from ..solving.expression_narrowing import SolverState
from ..solving.finite_values import refined
from ..solving.number_sets import EmptyDomain, NumberSet
from ..solving.propagation import propagate
from . import object_strategies
from .call_scope import CallScope, DrawingStatistics, UnsatisfiableConstraint
from .strategies import strategy

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

SELF = "self"
_OF_ZERO = re.compile(r"(\w+)\.shape\[(\d+)\] >= 0")
_MOST_KEPT, _MOST_COMBINED, _MOST_LISTED, _REDRAWS = 1024, 64, 256, 3


def inputs(
    contract: Mapping[str, Any],
    scope_of: Callable[[], CallScope],
    owner: str = "",
    health: Optional[DrawingStatistics] = None,
) -> SearchStrategy[Dict[str, Recipe]]:
    """Return a strategy for the arguments of a call by parameter, all of them valid together.

    ``contract`` is as in the frame ``explore``; with a constructor, ``owner`` is the dotted name of
    the class and ``self`` among the arguments. Building and drawing raise
    ``UnsatisfiableConstraint`` where nothing, or none of 200 inputs in a row, meets an annotation.
    """
    from hypothesis.strategies import composite

    call = _Call(contract, scope_of(), owner, health or DrawingStatistics())

    @composite
    def drawn(draw: DrawFn) -> Dict[str, Recipe]:
        return call.drawn(draw)

    return drawn()


class _Rejected(Exception):  # noqa: N818
    """A rejection of the values drawn so far, with the conditions that cannot hold for them."""


class _Call:
    """A function's contract, read once and drawn from many times."""

    def __init__(
        self, contract: Mapping[str, Any], scope: CallScope, owner: str, health: DrawingStatistics
    ) -> None:
        self._scope = scope
        self._health = health
        found: Dict[str, Constraint] = {}
        for name, text in (contract.get("arguments") or {}).items():
            try:
                found[name] = parse(text)
            except AnnotationError as wrong:
                raise UnsatisfiableConstraint(text, wrong.problem) from wrong
        parsed = found
        scope.arguments = frozenset(parsed)
        self._parameters = tuple(parsed)
        self._sources: Tuple[str, ...] = tuple(contract.get("requires") or ())
        self._constraints, solved, self._groups = split(parsed, self._sources)
        self._instance = object_strategies.instance(contract.get("constructor"), scope, owner)
        self._branches = [_alternatives(*pair) for pair in zip(self._sources, solved)]
        self._allow_zero()
        given = settled_values(contract)
        self._defaults = {name: given[name] for name in self._constraints if name in given}
        self._calls = [
            {name: parse(text) for name, text in call.items() if name in self._constraints}
            for call in contract.get("calls") or ()
        ]
        self._strategies: Dict[Constraint, Any] = {}
        self._starts: Dict[Tuple[int, ...], SolverState] = {}
        self._orders: Dict[Tuple[int, ...], Tuple[str, ...]] = {}
        self._watched = self._named()
        self._ways = self._possible()
        for constraint in self._constraints.values():
            self._strategy(constraint)

    def _named(self) -> frozenset[str]:
        asked = {
            name for ways in self._branches for way in ways for part in way for name in part.names
        }
        for constraint in self._constraints.values():
            asked |= names_of(constraint)
        return frozenset(asked & {SELF, *self._constraints})

    def _allow_zero(self) -> None:
        """Let named dimensions be zero where a condition says so: ``x.shape[0] >= 0``."""
        for found in filter(None, map(_OF_ZERO.fullmatch, self._sources)):
            constraint = self._constraints.get(found[1])
            try:
                sides = shape_of(constraint["shape"] if constraint else None).sides
            except Undecidable:
                continue
            side = sides[int(found[2])] if int(found[2]) < len(sides) else None
            if isinstance(side, str) and side.isidentifier():
                self._scope.least.setdefault(side, 0)

    def _state(self, bound: Mapping[str, Any]) -> SolverState:
        constraints = dict(self._constraints)
        if self._instance is not None:
            constraints[SELF] = _ANYTHING
        narrowed = {name: NumberSet(low=low) for name, low in self._scope.least.items()}
        return SolverState(
            constraints, dict(self._scope.namespace), DimensionSizes(bound, narrowed)
        )

    def _possible(self) -> List[Tuple[int, ...]]:
        """The choices of an alternative for each condition that do not exclude each other."""
        choices = [range(len(ways)) for ways in self._branches]
        count = 1
        for choice in choices:
            count *= len(choice)
        if count > _MOST_COMBINED:
            choices = [range(1) if len(choice) == 1 else range(-1, 0) for choice in choices]
        found: List[Tuple[int, ...]] = []
        for way in product(*choices):
            state = self._state({})
            try:
                propagate(state, self._parts(way))
            except EmptyDomain:
                continue
            self._starts[way] = state
            found.append(way)
        if not found:
            raise UnsatisfiableConstraint(
                self._culprit(), "no arguments within their constraints meet it"
            )
        return found

    def _culprit(self) -> str:
        """The first condition that nothing meets by itself, else all of them together."""
        for source, ways in zip(self._sources, self._branches):
            if not any(self._meets(way) for way in ways):
                return source
        return " and ".join(f"({source})" for source in self._sources)

    def _meets(self, way: Branch) -> bool:
        try:
            propagate(self._state({}), way)
        except EmptyDomain:
            return False
        return True

    def _parts(self, way: Sequence[int]) -> List[ConditionPart]:
        """The parts to be solved; a condition whose choice is -1 is left to filtering."""
        pairs = zip(self._branches, way)
        return [part for ways, choice in pairs if choice >= 0 for part in ways[choice]]

    # ------------------------------------------------------------- drawing

    def drawn(self, draw: DrawFn) -> Dict[str, Recipe]:
        from hypothesis import reject

        self._health.drawn += 1
        self._scope.begin()
        try:
            recipes, environment = self._completed(draw)
        except _Rejected as rejected:
            self._health.reject(rejected.args)
            reject()
        unmet = [s for s in self._sources if not is_true(compiled(s), environment)]
        if unmet:
            self._health.reject(unmet)
            reject()
        return {name: recipes[name] for name in (SELF, *self._parameters) if name in recipes}

    def _completed(self, draw: DrawFn) -> Tuple[Dict[str, Recipe], Dict[str, Any]]:
        from hypothesis.strategies import sampled_from

        way = self._ways[0] if len(self._ways) == 1 else draw(sampled_from(self._ways))
        parts = self._parts(way)
        state = self._starts[way].copy()
        state.dims.bound = self._scope.dims
        recipes: Dict[str, Recipe] = {}
        kept = self._begin(draw, state, parts)
        for name in self._order(way, parts):
            if name in kept:
                continue
            recipes[name] = self._chosen(draw, name, state, parts)
            if name == SELF and self._instance is not None:
                self._scope.bind(self._of_instance(recipes[name]))
        for name, elements in self._groups.items():
            recipes[name] = DisplayRecipe("tuple", tuple(recipes[each] for each in elements))
            state.environment[name] = evaluate(recipes[name], self._scope.namespace)
        return recipes, state.environment

    def _begin(self, draw: DrawFn, state: SolverState, parts: Sequence[ConditionPart]) -> Set[str]:
        """Begin with the defaults, or a call of the project, and let at most two arguments leave.

        Return those that keep their defaults.  Arrays of a call stay together.
        """
        from hypothesis.strategies import sampled_from

        call = draw(sampled_from([{}, *self._calls])) if self._calls else {}
        settled = sorted({*self._defaults, *call})
        if not settled:
            return set()
        free = [name for name in settled if name not in call or call[name].kind not in ARRAYS]
        leaving = draw(sampled_from([way for n in range(3) for way in combinations(free, n)]))
        kept = {name for name in settled if name not in leaving and name not in call}
        for name in kept:
            state.know(name, self._defaults[name])
        self._scope.bind({name: self._defaults[name] for name in kept})
        for name in call.keys() - set(leaving):
            self._bind_sizes(self._constraints[name], call[name])
            state.constraints[name] = call[name]
        try:
            propagate(state, parts)
        except EmptyDomain:
            raise _Rejected(*self._sources) from None
        return kept

    def _bind_sizes(self, constraint: Constraint, given: Constraint) -> None:
        """Bind the dimensions that a constraint names to the sizes of an array of a call."""
        if given.kind not in ARRAYS:
            return
        try:
            pairs = zip(shape_of(constraint["shape"]).sides, shape_of(given["shape"]).sides)
        except Undecidable:
            return
        for side, size in pairs:
            if isinstance(side, str) and side.isidentifier() and isinstance(size, int):
                self._scope.dims.setdefault(side, size)

    def _order(self, way: Tuple[int, ...], parts: Sequence[ConditionPart]) -> Tuple[str, ...]:
        if way not in self._orders:
            constraints = dict(self._state({}).constraints)
            self._orders[way] = order(constraints, parts)
        return self._orders[way]

    def _chosen(
        self, draw: DrawFn, name: str, state: SolverState, parts: Sequence[ConditionPart]
    ) -> Recipe:
        """Draw an argument such that, as far as can be seen, the others can still be drawn."""
        if name not in self._watched:
            return self._drawn(draw, name, state)
        about = [part for part in parts if name in part.names]
        for _ in range(_REDRAWS):
            recipe = self._drawn(draw, name, state)
            after = state.copy()
            self._know(after, name, recipe)
            try:
                propagate(after, parts)
            except EmptyDomain:
                self._refine(name, state, parts)
                continue
            state.take(after)
            self._scope.bind({name: state.environment[name]})
            return recipe
        raise _Rejected(*self._conditions_on(about))

    def _of_instance(self, recipe: Recipe) -> Dict[str, Any]:
        given = object_strategies.given(recipe, self._scope)
        return {name: given[name] for name in given.keys() - self._scope.arguments}

    def _know(self, state: SolverState, name: str, recipe: Recipe) -> None:
        try:
            state.know(name, evaluate(recipe, self._scope.namespace))
        except Exception as error:
            raise _Rejected(*self._conditions_on_name(name)) from error

    def _refine(self, name: str, state: SolverState, parts: Sequence[ConditionPart]) -> None:
        """Keep of an argument that has few values those with which the others can be drawn."""

        def possible(value: Any) -> bool:
            tried = state.copy()
            tried.know(name, value)
            try:
                propagate(tried, parts)
            except EmptyDomain:
                return False
            return True

        try:
            state.constraints[name] = refined(state.constraints[name], possible, state.environment)
        except EmptyDomain as empty:
            raise _Rejected(*self._conditions_on_name(name)) from empty

    def _drawn(self, draw: DrawFn, name: str, state: SolverState) -> Recipe:
        if name == SELF and self._instance is not None:
            return draw(self._instance)
        constraint = state.constraints[name]
        for dimension in sorted(names_of(constraint) & state.dims.narrowed.keys()):
            self._bind(draw, dimension, state.dims)
        try:
            found = self._strategy(constraint)
        except UnsatisfiableConstraint as unmeetable:
            if constraint == self._constraints[name]:
                raise
            raise _Rejected(*self._conditions_on_name(name)) from unmeetable
        return draw(found)

    def _bind(self, draw: DrawFn, dimension: str, dims: DimensionSizes) -> None:
        if dimension in self._scope.dims:
            return
        sizes = dims.narrowed[dimension].meet(NumberSet(low=self._scope.least.get(dimension, 1)))
        sizes = with_upper_bound(sizes)
        self._scope.dims[dimension] = draw(_sizes(sizes))

    def _strategy(self, constraint: Constraint) -> SearchStrategy[Recipe]:
        if constraint not in self._strategies:
            if len(self._strategies) >= _MOST_KEPT:
                self._strategies.clear()
            self._strategies[constraint] = strategy(constraint, self._scope)
        return self._strategies[constraint]  # type: ignore[no-any-return]

    def _conditions_on_name(self, name: str) -> List[str]:
        about = [s for s, ways in zip(self._sources, self._branches) if _about(name, ways)]
        return about or list(self._sources)

    def _conditions_on(self, parts: Sequence[ConditionPart]) -> List[str]:
        wanted = {part.source for part in parts}
        pairs = zip(self._sources, self._branches)
        return [s for s, ways in pairs if any(p.source in wanted for way in ways for p in way)]


_ANYTHING = Constraint("objs")


def settled_values(contract: Mapping[str, Any]) -> Dict[str, Any]:
    """The values that arguments have where they are not given."""
    return {name: literal_eval(text) for name, text in (contract.get("defaults") or {}).items()}


def _about(name: str, ways: Sequence[Branch]) -> bool:
    return any(name in part.names for way in ways for part in way)


def _sizes(sizes: NumberSet) -> Any:
    from hypothesis.strategies import integers, sampled_from

    if sizes.plain:
        return integers(int(sizes.low), int(sizes.high))
    return sampled_from(list(sizes.integers(_MOST_LISTED)))


def _alternatives(source: str, solved: str) -> Tuple[Branch, ...]:
    """The ways to meet a condition, read of what it was rewritten to."""
    try:
        return alternatives(solved)
    except (SyntaxError, ValueError) as error:
        raise UnsatisfiableConstraint(source, f"it is no expression: {error}") from error
