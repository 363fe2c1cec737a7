"""Probes of a function with one value changed, and what they came to."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from analyzers.assembly.assembly_findings import UnstableModel, unstable_finding
from analyzers.assembly.input_shapes import recipe_of
from analyzers.assembly.messages import first_line
from analyzers.assembly.parameter_flow import Function, ParameterFlow
from analyzers.inference.exploration import exploration_of, target_contract
from analyzers.inference.function_contracts import NoContractError
from analyzers.inference.shape_interpreter.project_modules import required_arguments
from analyzers.ports import Executor
from analyzers.vocabulary import (
    Argument,
    Probe,
    RecipeArgument,
    Returned,
    Run,
    Target,
    Verdict,
    Violated,
)


@dataclass(frozen=True, slots=True)
class CallProber:
    """Runs a target's usual call with other values."""

    target: Target
    bench: Executor
    usual: Probe

    def with_value(self, flow: ParameterFlow, value: str, condition: str) -> Probe | None:
        """Return the usual call with another value; ``None`` where it cannot be put there."""
        given = self.usual.arguments.get(flow.given)
        if not flow.attribute:
            argument: Argument | None = RecipeArgument(value)
        else:
            argument = _inside(given, flow.attribute, value)
        if argument is None:
            return None
        arguments = {**self.usual.arguments, flow.given: argument}
        return replace(self.usual, arguments=arguments, ensures=(condition,))

    def holds(self, condition: str) -> bool:
        """Return whether a condition holds of the usual call."""
        (run,) = self.bench.run([replace(self.usual, ensures=(condition,))])
        return isinstance(run.ending, Returned)

    def broken(self, probe: Probe) -> str | None:
        """Return how a probe's condition fails; ``None`` where it holds, or was not reached."""
        (run,) = self.bench.run([probe])
        return detail_of(run)


def detail_of(run: Run) -> str | None:
    """Return what a broken condition says."""
    return run.ending.detail if isinstance(run.ending, Violated) else None


def usual_call(function: Function, target: Target, bench: Executor) -> Probe | None:
    """Return a call of a constructor that returns: with its defaults, or else as it is inferred."""
    plain = Probe(target.id, {}, ())
    if not required_arguments(function.args):
        return plain if _returns(plain, bench) else None
    try:
        terms = target_contract(target, bench)
    except NoContractError:
        return None
    passing = bench.explore(target, exploration_of(terms, target, bench)).passing
    return next((replace(p, ensures=()) for p in passing if _returns(p, bench)), None)


def _returns(probe: Probe, bench: Executor) -> bool:
    (run,) = bench.run([replace(probe, ensures=())])
    return isinstance(run.ending, Returned)


def _inside(argument: Argument | None, attribute: str, value: str) -> RecipeArgument | None:
    if not isinstance(argument, RecipeArgument):
        return None
    tree = ast.parse(argument.recipe, mode="eval").body
    if isinstance(tree, ast.Dict):
        other = ast.parse(f"{{{attribute!r}: {value}}}", mode="eval").body
        assert isinstance(other, ast.Dict)
        return RecipeArgument(ast.unparse(_merged(tree, other)))
    if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name):
        return None
    if tree.args:
        return None
    kept = [each for each in tree.keywords if each.arg != attribute]
    changed = ast.keyword(attribute, ast.parse(value, mode="eval").body)
    return RecipeArgument(ast.unparse(ast.Call(tree.func, [], [*kept, changed])))


def _merged(first: ast.Dict, second: ast.Dict) -> ast.Dict:
    """Return the dictionary with the entries of both, those of the second last."""
    said = {ast.unparse(each) for each in second.keys if each is not None}
    pairs = zip(first.keys, first.values, strict=True)
    kept = [(key, value) for key, value in pairs if key is None or ast.unparse(key) not in said]
    pairs = zip(second.keys, second.values, strict=True)
    keys, values = zip(*kept, *pairs, strict=True)
    return ast.Dict(list(keys), list(values))


CONDITIONS = ("trains(5)", "settles(50)")
_MOST = 2
_FLOATS = re.compile(r"""tensor\((?P<shape>\([\d, ]*\))(?:, (?:dtype=)?["']float32["'])?[,)]""")


def unstable_findings(target: Target, bench: Executor) -> Iterator[Verdict]:
    """Yield what does not stay as it should of a model whose forward is the target."""
    try:
        terms = target_contract(target, bench)
    except NoContractError:
        return
    explored = bench.explore(target, exploration_of(terms, target, bench))
    ordinary = dict.fromkeys(
        tuple(sorted(each.arguments.items())) for each in map(_ordinary, explored.passing)
    )
    probes = [Probe(target.id, dict(key), ()) for key in ordinary]
    runs = bench.run(probes[: 3 * _MOST])
    usual = [p for p, r in zip(probes, runs, strict=False) if isinstance(r.ending, Returned)]
    for condition in CONDITIONS:
        found = _broken(condition, usual[:_MOST], bench)
        if found is not None:
            yield unstable_finding(found, target)


def unstable_findings_of_made(trier: CallProber, given: str) -> Iterator[Verdict]:
    """Yield the instabilities of a model that the target makes, trained on an input."""
    for condition in (f"trains(5, inputs={recipe_of(given)!r})", "settles(50)"):
        found = _broken(condition, [trier.usual], trier.bench)
        if found is not None:
            yield unstable_finding(found, trier.target)


def _broken(condition: str, probes: list[Probe], bench: Executor) -> UnstableModel | None:
    asking = [replace(each, ensures=(condition,)) for each in probes]
    details = [detail_of(run) for run in bench.run(asking)]
    if not details or not all(details):
        return None
    return UnstableModel(asking[0], condition, first_line(details[0] or ""))


def _ordinary(probe: Probe) -> Probe:
    arguments = {name: _calm(each) for name, each in probe.arguments.items()}
    return replace(probe, arguments=arguments, ensures=())


def _calm(argument: Argument) -> Argument:
    if not isinstance(argument, RecipeArgument):
        return argument
    found = _FLOATS.match(argument.recipe)
    if found is None:
        return argument
    return RecipeArgument(f"tensor({found['shape']}, low=-1.0, high=1.0, seed=1)")
