"""Probes of a function with one value changed, and what they came to."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace

from analyzers.assembly.configuration import Flow, Function
from analyzers.inference.exploring import agreed, exploring_of
from analyzers.inference.terms import NoTermsError
from analyzers.ports import Bench
from analyzers.vocabulary import Argument, Made, Probe, Returned, Run, Target, Violated


@dataclass(frozen=True, slots=True)
class Trier:
    """Runs a target's usual call with other values."""

    target: Target
    bench: Bench
    usual: Probe

    def with_value(self, flow: Flow, value: str, condition: str) -> Probe | None:
        """The usual call with another value; ``None`` where it cannot be put there."""
        given = self.usual.arguments.get(flow.given)
        if not flow.attribute:
            argument: Argument | None = Made(value)
        else:
            argument = _inside(given, flow.attribute, value)
        if argument is None:
            return None
        arguments = {**self.usual.arguments, flow.given: argument}
        return replace(self.usual, arguments=arguments, ensures=(condition,))

    def holds(self, condition: str) -> bool:
        """Whether a condition holds of the usual call."""
        (run,) = self.bench.run([replace(self.usual, ensures=(condition,))])
        return isinstance(run.ending, Returned)

    def broken(self, probe: Probe) -> str | None:
        """How a probe's condition does not hold; ``None`` where it holds, or was not reached."""
        (run,) = self.bench.run([probe])
        return detail_of(run)


def detail_of(run: Run) -> str | None:
    """What a broken condition says."""
    return run.ending.detail if isinstance(run.ending, Violated) else None


def usual_call(function: Function, target: Target, bench: Bench) -> Probe | None:
    """A call of a constructor that returns: with its defaults, or else as it is inferred."""
    plain = Probe(target.id, {}, ())
    if not _required(function):
        return plain if _returns(plain, bench) else None
    try:
        terms = agreed(target, bench)
    except NoTermsError:
        return None
    passing = bench.explore(target, exploring_of(terms, target, bench)).passing
    return next((replace(p, ensures=()) for p in passing if _returns(p, bench)), None)


def _returns(probe: Probe, bench: Bench) -> bool:
    (run,) = bench.run([replace(probe, ensures=())])
    return isinstance(run.ending, Returned)


def _required(function: Function) -> Sequence[str]:
    own = function.args
    plain = [*own.posonlyargs, *own.args]
    names = [a.arg for a in plain[: len(plain) - len(own.defaults)]]
    names += [a.arg for a, d in zip(own.kwonlyargs, own.kw_defaults, strict=True) if d is None]
    return [name for name in names if name != "self"]


def _inside(argument: Argument | None, attribute: str, value: str) -> Made | None:
    """The recipe of a configuration with another value of one of its fields."""
    if not isinstance(argument, Made):
        return None
    tree = ast.parse(argument.recipe, mode="eval").body
    if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name):
        return None
    kept = [each for each in tree.keywords if each.arg != attribute]
    if tree.args:
        return None
    changed = ast.keyword(attribute, ast.parse(value, mode="eval").body)
    return Made(ast.unparse(ast.Call(tree.func, [], [*kept, changed])))
