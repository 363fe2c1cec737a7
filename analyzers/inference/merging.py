"""Puts together what all sources say of a function's arguments."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from analyzers.guest.annotations.constraints import Constraint, Expression

from .constraints.constraint_builders import (
    build,
    build_if_possible,
    optional,
    options_of,
    union_of,
    without_none,
)
from .constraints.dimensions import unify_dimension_names
from .constraints.intervals import (
    NUMBERS,
    interval_of,
    is_bound_alone,
    is_length,
    with_default_bounds,
)
from .constraints.lattice import ARRAYS, coerced, join, meet
from .facts import (
    Confidence,
    ConstraintSource,
    Fact,
    InferredConstraint,
    InferredContract,
    InferredRequirement,
)

_OPEN = ("strings", "lists", "dicts", "callables", "modules", "configs", "paths", "images")
_FILLED = ("dtype", "shape", "values")


def align_kind(constraint: Constraint, to: Constraint) -> Constraint:
    """A constraint as one of the other's kind, where it says something of such values.

    What is said of floats bounds integers, what is said of a NumPy array of a
    tensor's shape.
    """
    if to.kind in (*NUMBERS, *ARRAYS):
        return coerced(constraint, to.kind) or constraint
    return constraint


def fill_gaps(surer: Constraint, guess: Constraint) -> Constraint:
    """The surer constraint, with bounds, shape and dtype of the guess where it has none."""
    if surer.kind == "anys":
        return union_of(_filled_part(part, guess) for part in options_of(surer))
    other = align_kind(guess, surer)
    if surer.kind in NUMBERS:
        return _filled_number(surer, other)
    if surer.kind in ARRAYS and other.kind == surer.kind:
        given: dict[str, object] = dict(surer.arguments)
        said = dict(other.arguments)
        given.update((name, said[name]) for name in _FILLED if name in said and name not in given)
        if not interval_of(surer).bounded:
            bounds = interval_of(other).arguments()
            given.update((name, value) for name, value in bounds.items() if value is not None)
        return build_if_possible(surer.kind, **given) or surer
    if surer.kind in _OPEN and not surer.arguments:
        return meet(surer, other) or surer
    return surer


def _filled_part(part: Constraint | Expression, guess: Constraint) -> Constraint | Expression:
    return fill_gaps(part, guess) if isinstance(part, Constraint) else part


def _filled_number(surer: Constraint, guess: Constraint) -> Constraint:
    ours = interval_of(surer)
    if ours.low is not None and ours.high is not None:
        return surer
    if guess.kind in NUMBERS:
        both = ours.filled(interval_of(guess))
        multiple = surer.value("multiple_of")
        found = both.ints(multiple) if surer.kind == "ints" else both.floats()
        return found or surer
    met = meet(surer, guess) if guess.kind == "froms" else None
    return met or surer


_NAME = ConstraintSource.NAME
_STATED = (ConstraintSource.GUARD, ConstraintSource.DOCSTRING)
_EXAMPLES = (ConstraintSource.TEST, ConstraintSource.CALL, ConstraintSource.DOCUMENT)
_ORDER = {source: place for place, source in enumerate(ConstraintSource)}
_GUESS, _LIKELY, _STRONG = Confidence.GUESS, Confidence.LIKELY, Confidence.STRONG


def merge_facts(facts: Iterable[Fact]) -> InferredContract:
    """One constraint for each parameter, and the conditions over several.

    What a person wrote stands.  Else the surest source of the type begins and
    the others narrow it: what is likely or surer by what both allow, a guess
    only where nothing surer is known.  Examples are joined before, to a range
    around them, which guards and frameworks cut.  Of two sources that cannot
    both be right the surer stands; equally sure ones leave a ``GUESS``, and so
    does a call, or a docstring's shape, that gives what the others exclude.

    The confidence is that of the weaker of two parts: the type (a hint is sure
    of it), and the values (bounds, choices, for an array the shape and dtype;
    without them a ``GUESS``, unless a hint allows any dtype).  A parameter with a default
    of which there are only guesses is absent: it keeps its default.
    """
    every = tuple(facts)
    inferred = unify_dimension_names(
        [fact for fact in every if isinstance(fact, InferredConstraint)]
    )
    conditions = [fact for fact in every if isinstance(fact, InferredRequirement)]
    arguments: dict[str, InferredConstraint] = {}
    for name in dict.fromkeys(fact.parameter for fact in inferred):
        ours = [fact for fact in inferred if fact.parameter == name]
        if _excluded(ours):
            conditions = [each for each in conditions if not _is_followed(each, name)]
        found = _one(
            ours, refuses_none=any((each.condition == f"{name} is not None") for each in conditions)
        )
        if found is not None:
            arguments[name] = found
    return InferredContract(arguments, _distinct(conditions), every)


def _distinct(conditions: Sequence[InferredRequirement]) -> tuple[InferredRequirement, ...]:
    surest: dict[str, InferredRequirement] = {}
    for each in sorted(conditions, key=lambda each: -each.confidence):
        surest.setdefault(each.condition, each)
    empty = {f"len({name})" for name in map(_may_be_empty, surest) if name}
    return tuple(
        each
        for each in surest.values()
        if not each.condition.endswith(" is not None")
        and each.condition.partition(" >= ")[0] not in empty
    )


def _may_be_empty(condition: str) -> str | None:
    """Return the array that documentation says to have no rows, perhaps."""
    found = re.fullmatch(r"(\w+)\.shape\[0\] >= 0", condition)
    return None if found is None else found[1]


def _one(facts: Sequence[InferredConstraint], *, refuses_none: bool) -> InferredConstraint | None:
    """The merged fact of one parameter; ``refuses_none``: it must be given."""
    certain = [fact for fact in facts if fact.source == ConstraintSource.GIVEN]
    if certain:
        return certain[0]
    has_default = not refuses_none and any(
        fact.source == ConstraintSource.DEFAULT for fact in facts
    )
    stripped = [(fact, *without_none(fact.constraint)) for fact in facts]
    allows_none = not refuses_none and any(had for _, _, had in stripped)
    cores = _outranked([replace(fact, constraint=core) for fact, core, _ in stripped if core])
    if all(is_bound_alone(fact.constraint) for fact in cores):
        cores = [fact for fact in cores if not is_length(fact.constraint)]
    if not cores:
        return None
    found = _Merging.of(_joined(cores), has_default=has_default).result()
    if has_default and found.confidence == _GUESS:
        return None
    return replace(found, constraint=optional(found.constraint)) if allows_none else found


def _outranked(facts: Sequence[InferredConstraint]) -> list[InferredConstraint]:
    """Return the facts without those that would narrow what a surer kind of source says.

    Branches of the function need not name each of the choices that are declared, and
    what calls give, or a docstring bounds, is valid, whatever the name of the parameter suggests.
    """
    declared = any(
        fact.constraint.kind == "froms"
        and fact.source in (ConstraintSource.HINT, ConstraintSource.DOCSTRING)
        for fact in facts
    )
    called = any(fact.source in _EXAMPLES for fact in facts)
    bounded = any(_bounds(fact) for fact in facts)
    kept = [fact for fact in facts if not (declared and _is_branch(fact))]
    numbers = (*NUMBERS, "froms")
    kept = _as_stated(kept)
    return [
        fact
        for fact in kept
        if not ((called or bounded) and fact.source == _NAME and fact.constraint.kind in numbers)
    ]


def _bounds(fact: InferredConstraint) -> bool:
    """Return whether a docstring says where the values of a number begin and end."""
    described = fact.source == ConstraintSource.DOCSTRING and fact.confidence >= _LIKELY
    if not described or fact.constraint.kind not in NUMBERS:
        return False
    interval = interval_of(fact.constraint)
    return interval.low is not None and interval.high is not None


def _as_stated(facts: Sequence[InferredConstraint]) -> list[InferredConstraint]:
    """Return the facts without a followed shape that an asserted or documented one excludes.

    The interpreter guesses a rank where the code leaves it open.  A documented shape that what
    the code does contradicts is a ``GUESS``.
    """
    apart = _excluded(facts)
    return [
        replace(fact, constraint=_without_shape(fact.constraint))
        if fact in apart
        else replace(fact, confidence=_GUESS)
        if apart and _is_shaped(fact, ConstraintSource.DOCSTRING)
        else fact
        for fact in facts
    ]


def _excluded(facts: Sequence[InferredConstraint]) -> list[InferredConstraint]:
    """Return the followed shapes of a parameter that an asserted or documented one excludes."""
    stated = [fact for fact in facts if _is_shaped(fact, *_STATED)]
    return [
        fact
        for fact in facts
        if _is_shaped(fact, ConstraintSource.SHAPE)
        and any(meet(fact.constraint, each.constraint) is None for each in stated)
    ]


def _is_shaped(fact: InferredConstraint, *sources: ConstraintSource) -> bool:
    shaped = fact.constraint.kind in ARRAYS and fact.constraint["shape"] is not None
    return fact.source in sources and shaped


def _without_shape(constraint: Constraint) -> Constraint:
    kept = tuple(each for each in constraint.arguments if each[0] != "shape")
    return Constraint(constraint.kind, kept)


def _is_followed(requirement: InferredRequirement, name: str) -> bool:
    return requirement.source == ConstraintSource.SHAPE and f"{name}.shape[" in (
        requirement.condition
    )


def _is_branch(fact: InferredConstraint) -> bool:
    compared = (
        fact.source in (ConstraintSource.GUARD, ConstraintSource.CALLEE)
        and fact.confidence < _STRONG
    )
    return compared and fact.constraint.kind == "froms"


def _joined(facts: Sequence[InferredConstraint]) -> list[InferredConstraint]:
    """The facts, examples of a kind made one that holds them all.

    Examples of choices that the code itself lists say nothing more: all are valid.
    """
    others = [fact for fact in facts if fact.source not in _EXAMPLES]
    listed = [
        fact.constraint
        for fact in others
        if fact.source in (ConstraintSource.GUARD, ConstraintSource.HINT)
        and fact.confidence == _STRONG
    ]
    examples = [
        fact
        for fact in facts
        if fact.source in _EXAMPLES
        and not any(_is_within(fact.constraint, each) for each in listed)
    ]
    if not examples:
        return others
    first = max(examples, key=lambda fact: (fact.confidence, -_ORDER[fact.source]))
    around = functools.reduce(join, (fact.constraint for fact in examples))
    alike = all(fact.constraint == first.constraint for fact in examples)
    least = min(fact.confidence for fact in examples) if around.kind == "anys" else _LIKELY
    sure = first.confidence if alike else min(first.confidence, least)
    return [replace(first, constraint=around, confidence=sure), *others]


def _is_within(example: Constraint, choices: Constraint) -> bool:
    if choices.kind == "bools":
        choices = build("froms", values=[False, True])
    if {example.kind, choices.kind} != {"froms"}:
        return False
    values, known = example.value("values"), choices.value("values")
    plain = isinstance(values, (list, tuple)) and isinstance(known, (list, tuple))
    return plain and all(each in known for each in values)


@dataclass(slots=True)
class _Merging:
    """A constraint that grows narrower, and what it rests on."""

    begun: InferredConstraint
    constraint: Constraint
    type_sure: Confidence
    values_sure: Confidence
    has_default: bool
    at_odds: bool = False

    @classmethod
    def of(cls, facts: Sequence[InferredConstraint], *, has_default: bool) -> _Merging:
        ordered = sorted(facts, key=lambda f: (-_type_sure(f), _ORDER[f.source], -f.confidence))
        first = ordered[0]
        sure = _values_sure(first, has_default=has_default)
        start = _type_alone(first) if first.confidence == _GUESS else first.constraint
        merging = cls(first, start, _type_sure(first), sure, has_default)
        rest = ordered if start != first.constraint else ordered[1:]
        order = {source: place * 2 for source, place in _ORDER.items()}
        if start.kind in NUMBERS:  # names stand for usual ranges, defaults often for large ones
            order[_NAME] = order[ConstraintSource.DEFAULT] - 1
        for fact in sorted(rest, key=lambda f: (-f.confidence, order[f.source])):
            merging.add(fact)
        return merging

    def add(self, fact: InferredConstraint) -> None:
        """Narrow by one more fact, or note that it cannot be true too."""
        sure = _values_sure(fact, has_default=self.has_default)
        if fact.confidence == _GUESS:
            guessed = self.constraint.kind == "floats" and self.values_sure == _GUESS
            self.constraint = fill_gaps(self.constraint, fact.constraint)
            other = coerced(fact.constraint, "floats")
            bounded = other is not None and interval_of(other).bounded
            if guessed and bounded and fact.source == _NAME and self.has_default:
                self.values_sure = _LIKELY
            return
        met = meet(self.constraint, align_kind(fact.constraint, self.constraint))
        if met is None:
            surer = _type_sure(fact) >= self.type_sure and sure >= self.values_sure
            described = fact.source == ConstraintSource.DOCSTRING and fact.constraint.kind in ARRAYS
            told = fact.source in _EXAMPLES or described
            self.at_odds |= (surer or told) and not is_bound_alone(fact.constraint)
            return
        self.constraint = met
        self.type_sure = max(self.type_sure, _type_sure(fact))
        self.values_sure = max(self.values_sure, sure)

    def result(self) -> InferredConstraint:
        sure = min(self.type_sure, self.values_sure)
        untyped = self.begun.confidence < _STRONG and (
            self.constraint.kind in ARRAYS and self.constraint["dtype"] is None
        )
        indices = self.constraint.kind in ARRAYS and self.constraint.value("dtype") == "int64"
        bounded = self.constraint["min"] is not None or self.constraint["max"] is not None
        loose = untyped or (indices and not bounded)
        if self.at_odds or loose or _is_unknown(self.constraint):
            sure = _GUESS
        made = with_default_bounds(_of_one_type(self.constraint))
        return replace(self.begun, constraint=made, confidence=sure)


def _of_one_type(constraint: Constraint) -> Constraint:
    """Integers where only whole bounds of a number are known, floats where it is a fraction."""
    if not is_bound_alone(constraint) or is_length(constraint):
        return constraint
    floats = coerced(constraint, "floats")
    ends = [] if floats is None else [floats.value("min"), floats.value("max")]
    whole = not any(isinstance(end, float) for end in ends) and ends[-1:] != [1]
    return (coerced(constraint, "ints") if whole else floats) or constraint


def _type_alone(fact: InferredConstraint) -> Constraint:
    """The type of a number or word that is guessed, without the values: surer ones stand first."""
    values = fact.constraint.value("values")
    if fact.constraint.kind in NUMBERS:
        return Constraint(fact.constraint.kind)
    types = {type(value) for value in values} if isinstance(values, (list, tuple)) else set()
    if types in ({int}, {str}) and fact.constraint.kind == "froms":
        return Constraint("ints" if types == {int} else "strings")
    return fact.constraint


def _type_sure(fact: InferredConstraint) -> Confidence:
    if is_bound_alone(fact.constraint):
        return _GUESS
    if fact.source == ConstraintSource.HINT or (
        fact.source == ConstraintSource.GUARD and fact.confidence > _GUESS
    ):
        return _STRONG
    return (
        max(fact.confidence, _LIKELY)
        if fact.source == ConstraintSource.DEFAULT
        else fact.confidence
    )


def _values_sure(fact: InferredConstraint, *, has_default: bool) -> Confidence:
    constraint = fact.constraint
    plain = constraint.kind in NUMBERS and not constraint.arguments
    if plain and has_default and fact.source == ConstraintSource.HINT:
        return _GUESS
    return _GUESS if _is_unknown(constraint) else fact.confidence


def _is_unknown(constraint: Constraint) -> bool:
    if constraint.kind == "anys":
        return any(
            _is_unknown(part) for part in options_of(constraint) if isinstance(part, Constraint)
        )
    if constraint.kind in ARRAYS:
        return constraint["shape"] is None
    return constraint.kind == "modules" and constraint["in"] is None
