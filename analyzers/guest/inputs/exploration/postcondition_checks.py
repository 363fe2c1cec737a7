"""Looks at the postconditions of a call once it has returned."""

from __future__ import annotations

import builtins
import functools
import inspect
from contextlib import nullcontext, suppress
from dataclasses import replace
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

from ...annotations.syntax import AnnotationError
from ...protocol.argument_decoding import Unusable
from ...relations.agreement import Agreements
from ...runtime import call_outcomes, framework_setup
from ...runtime.call_outcomes import shown
from ...runtime.execution import SELF, Arguments, Bound, PreparedTarget
from ...runtime.time_limits import TimeUp
from ..generation import object_strategies
from ..generation.call_scope import CallScope, Size, is_size
from ..recipes import parse
from .call_gradients import gradients
from .call_order import order_problem
from .constraint_checks import parsed, problem_of, problem_of_call
from .model_relations import masked_problem, permutation_problem, reload_problem
from .postconditions import (
    OLD,
    SAME,
    WORDS,
    CompletedCall,
    InvalidCondition,
    Postcondition,
    compiled,
    model_words,
)
from .shared_dimensions import Dimensions
from .value_comparison import described, finite, same, true

RESULT = "result"
_LONGEST = 400


def check_postconditions(
    prepared: PreparedTarget, arguments: Arguments, ensures: Sequence[str]
) -> Optional[call_outcomes.CallOutcome]:
    """Call the target; return the ending of the first condition that does not hold.

    Raises what the target raises, and ``Unusable`` for names that nothing binds.
    """
    try:
        conditions = [compiled(source) for source in ensures]
    except InvalidCondition as error:
        raise Unusable(str(error)) from error
    call = _Call(prepared, arguments)
    for condition in conditions:
        call.check_names(condition)
    olds = [call.before(condition) for condition in conditions]
    call.make(seeing=any("agrees" in condition.words for condition in conditions))
    for condition, old in zip(conditions, olds):
        detail = call.detail(condition, old)
        if detail is not None:
            return {
                "kind": "violated",
                "condition": condition.source[: call_outcomes.LONGEST],
                "detail": detail[:_LONGEST],
            }
    return None


def described_values(
    prepared: PreparedTarget, arguments: Arguments, expressions: Sequence[str]
) -> Dict[str, Any]:
    """Return the values of expressions over a new call, by their numbers, but for unusable ones."""
    call = _Call(prepared, arguments)
    call.make(seeing=False)
    found: Dict[str, Any] = {}
    for number, source in enumerate(expressions):
        with suppress(Unusable):
            found[str(number)] = call.value(compiled(source))
    return found


def call_target(prepared: PreparedTarget, arguments: Arguments) -> CompletedCall:
    """One call of the target, made now; raises what it raises, and ``Unusable``."""
    call = _Call(prepared, arguments)
    call.make(seeing=False)
    return call.called()


class _Raised:
    def __init__(self, error: Exception) -> None:
        self.error = error


class _Olds(List[Any]):
    """The values of ``old``; one that could not be computed raises once it is asked for."""

    def __getitem__(self, index: Any) -> Any:
        value = super().__getitem__(index)
        if isinstance(value, _Raised):
            raise value.error
        return value


class _Call:
    def __init__(self, prepared: PreparedTarget, arguments: Arguments) -> None:
        self._prepared = prepared
        self._arguments = arguments
        self._snapshot: Optional[Dict[str, Any]] = None
        self._values = arguments_by_name(self._fresh())
        self._result: Any = None
        self._agreements: Optional[Agreements] = None

    def _fresh(self) -> Bound:
        """The call with values made anew, and an instance that stays the same."""
        framework_setup.seed()
        bound = self._prepared.bind(self._arguments)
        function = bound.function()
        return replace(bound, function=lambda: function)

    def _before(self) -> Dict[str, Any]:
        """The arguments as they are before the call, which never sees these."""
        if self._snapshot is None:
            self._snapshot = arguments_by_name(self._fresh())
        return self._snapshot

    def check_names(self, condition: Postcondition) -> None:
        """Raise ``Unusable`` where a condition has a name that nothing binds."""
        known = [self._values, self._prepared.namespace, vars(builtins), WORDS, {RESULT}]
        unknown = sorted(n for n in condition.names if not any(n in each for each in known))
        if unknown and unknown != [SELF]:
            raise Unusable(f"the postcondition {condition.source!r} names {unknown[0]}: unknown")

    def before(self, condition: Postcondition) -> _Olds:
        found = _Olds()
        for code in condition.olds:
            names = {**self._prepared.namespace, **self._words(), **self._before()}
            try:
                found.append(eval(code, names))  # the guest's own sandbox
            except Exception as error:
                found.append(_Raised(error))
        if "unchanged" in condition.words:
            self._before()
        return found

    def make(self, *, seeing: bool) -> None:
        """Call the target as a run without conditions does; ``seeing`` its library calls."""
        bound = self._fresh()
        self._values = arguments_by_name(bound)
        self._agreements = Agreements(self._prepared.root) if seeing else None
        with nullcontext() if self._agreements is None else self._agreements.recorded():
            self._result = self._prepared.call(bound)
        if isinstance(bound.function(), type):
            self._values[SELF] = self._result

    def value(self, expression: Postcondition) -> Any:
        return eval(expression.code, self._names(_Olds(), []))

    def _names(self, old: _Olds, matched: List[str]) -> Dict[str, Any]:
        return {
            **self._prepared.namespace,
            **self._words(matched),
            **self._values,
            RESULT: self._result,
            OLD: old,
            SAME: _ours(same),
        }

    def detail(self, condition: Postcondition, old: _Olds) -> Optional[str]:
        matched: List[str] = []
        names = self._names(old, matched)
        try:
            if true(eval(condition.code, names)):
                return None
        except Unusable:
            raise
        except Exception as error:
            return f"it raised {type(error).__name__}: {error}"
        return "; ".join(matched) or self._shown(condition, names)

    def _shown(self, condition: Postcondition, names: Dict[str, Any]) -> str:
        parts: List[str] = []
        for source, code in condition.operands:
            try:
                parts.append(f"{source} is {described(eval(code, names))}")
            except Exception:
                continue
        if not parts:
            known = [name for name in (RESULT, *self._values) if name in condition.names]
            parts = [f"{name} is {described(names[name])}" for name in known]
        return ", ".join(parts) or f"{RESULT} is {described(self._result)}"

    # ----------------------------------------------------------------- words

    def _words(self, matched: Optional[List[str]] = None) -> Dict[str, Any]:
        said: List[str] = [] if matched is None else matched

        def matches(value: Any, text: str, **constraints: str) -> bool:
            problem = self._problem(value, text, constraints)
            if problem:
                said.append(f"{described(value)}: {problem}")
            return problem is None

        def agrees(api: str, relation: str, related: str) -> bool:
            problem = self._agreements and self._agreements.problem(api, relation, related)
            if problem:
                said.append(problem)
            return not problem

        return {
            "old": _misplaced,
            "finite": _ours(finite),
            "unchanged": _ours(self._all_unchanged),
            "repeatable": self._repeatable,
            "matches": _ours(matches),
            "agrees": _ours(agrees),
            **{name: _ours(word) for name, word in self._words_about_calls(said).items()},
            **{name: _ours(word) for name, word in model_words(self.called, said).items()},
        }

    def _words_about_calls(self, said: List[str]) -> Dict[str, Callable[..., Any]]:
        call = self._prepared, self._arguments

        def told(problem: Optional[str]) -> bool:
            if problem:
                said.append(problem)
            return not problem

        def ignores_masked(name: str, mask: str, kept: bool = True) -> bool:
            return told(masked_problem(*call, name, mask, kept=kept))

        return {
            "unaffected_by": lambda earlier: told(order_problem(*call, earlier)),
            "gradients": lambda: gradients(*call),
            "reloads": lambda: told(reload_problem(*call)),
            "permutes": lambda: told(permutation_problem(*call)),
            "ignores_masked": ignores_masked,
        }

    def called(self) -> CompletedCall:
        fresh, recipe = self._fresh(), self._arguments.get(SELF, {}).get("recipe")
        instance = self._values.get(SELF)
        return CompletedCall(
            root=self._prepared.root,
            namespace=self._prepared.namespace,
            instance=instance,
            result=self._result,
            arguments=self._values,
            args=fresh.args,
            kwargs=fresh.kwargs,
            again=lambda: self._prepared.call(self._prepared.bind(self._arguments)),
            recipe=recipe if isinstance(recipe, str) else "",
        )

    def _problem(self, value: Any, text: str, constraints: Mapping[str, str]) -> Optional[str]:
        before = self._before() if constraints else self._values
        known = Dimensions(self._prepared.namespace, before, self._sizes())
        try:
            given = {name: parsed(each) for name, each in constraints.items()}
            constraint = parsed(text)
        except AnnotationError as wrong:
            raise Unusable(f"{text!r} is no constraint: {wrong}") from wrong
        problem_of_call(before, given, self._prepared.namespace, known)
        known.waiting.clear()
        return problem_of(value, constraint, known) or known.settle()

    def _sizes(self) -> Dict[str, Size]:
        """The sizes that the instance is made with, which dimensions may be named by."""
        recipe = self._arguments.get(SELF, {}).get("recipe")
        if recipe is None:
            return {}
        recipe = parse(recipe) if isinstance(recipe, str) else recipe
        made = object_strategies.given(recipe, CallScope(self._prepared.namespace))
        return {n: size for n, size in made.items() if is_size(size) and n not in self._values}

    def _all_unchanged(self) -> bool:
        return all(same(value, self._before()[name]) for name, value in self._values.items())

    def _repeatable(self) -> bool:
        return bool(_ours(same)(self._prepared.call(self._fresh()), self._result))


def _ours(word: Callable[..., Any]) -> Callable[..., Any]:
    """A word of ours: where it cannot tell of a value, that is no violation."""

    @functools.wraps(word)
    def telling(*given: Any, **more: Any) -> Any:
        try:
            return word(*given, **more)
        except (Unusable, TimeUp):
            raise
        except BaseException as error:
            said = f"{type(error).__name__}: {shown(error)}"
            raise Unusable(f"a postcondition cannot be told of this value: {said}") from error

    return telling


def _misplaced(*given: Any) -> Any:
    raise TypeError(f"old takes one expression, not {len(given)}")


def arguments_by_name(bound: Bound) -> Dict[str, Any]:
    """The arguments of a call by the parameters' names, defaults included, and ``self``."""
    function = bound.function()
    instance = getattr(function, "__self__", None)
    own = {} if instance is None or isinstance(instance, type) else {SELF: instance}
    try:
        found = inspect.signature(function).bind(*bound.args, **bound.kwargs)
    except (TypeError, ValueError):
        return {**own, **bound.kwargs}
    found.apply_defaults()
    return {**own, **found.arguments}
