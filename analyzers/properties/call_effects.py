"""Effects that calls of a model should not have: on later calls, and on what they are given.

A cache that is filled for other inputs changes what a later call gives; ``x += …``
changes the caller's tensor.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from analyzers.inference.constraint_sources.default_values import defaults
from analyzers.inference.facts import FunctionContext, ProjectTexts
from analyzers.inference.function_lookup import find_function, sibling_method
from analyzers.inference.inference_messages import argument_recipes, given_clause
from analyzers.ports import Executor
from analyzers.properties import messages
from analyzers.properties.call_variants import SELF, KnownCall, smaller, with_dtype
from analyzers.properties.call_variants import with_random_elements as with_elements
from analyzers.properties.project_calls import known_calls
from analyzers.properties.property_findings import NAME, POSTCONDITION
from analyzers.vocabulary import (
    Finding,
    Level,
    LiteralArgument,
    Probe,
    RecipeArgument,
    Target,
    Violated,
    Violates,
)

MOST_INPUTS, MOST_PLAIN = 4, 3
_OTHER_DTYPES = ("bfloat16", "float64")
_FORWARD = frozenset({"forward", "call", "__call__"})
_IN_PLACE = re.compile(r"\binplace=True\b")


def effect_findings(target: Target, passing: Sequence[Probe], bench: Executor) -> Iterator[Finding]:
    """Yield findings of inputs that a call changes, and of results that depend on one before."""
    subject = find_function(target.path, target.function, ProjectTexts(bench))
    if subject is None or subject.owner is None:
        return
    optional = frozenset({arg.arg for arg, _ in defaults(subject)})
    known = [each for each in passing if _is_known(each)]
    known = known[:: max(1, len(known) // MOST_INPUTS)][:MOST_INPUTS]
    passing = [*filter(_is_known, _of_project(target, subject)), *known]
    yield from _first([_asking(target, *each) for each in _pairs(passing, optional)], target, bench)
    if target.function.rpartition(".")[2] in _FORWARD:
        yield from _first([_unchanging(each) for each in passing], target, bench)


def _of_project(target: Target, subject: FunctionContext) -> Iterator[Probe]:
    """Yield a call that the project makes, smaller and whole: drawing may find none so fitting."""
    constructor = sibling_method(subject, "__init__")
    for site in known_calls(subject)[:1]:
        call = KnownCall.of(site.recipes or {}, constructor)
        for each in {str(each.given): each for each in (next(smaller(call)), call)}.values():
            given = {name: RecipeArgument(text) for name, text in each.recipes().items()}
            yield Probe(target.id, given)


def _first(probes: Sequence[Probe], target: Target, bench: Executor) -> Iterator[Finding]:
    """Yield the finding of the first input that breaks its postcondition."""
    for probe, run in zip(probes, bench.run(probes) if probes else (), strict=True):
        if isinstance(run.ending, Violated):
            yield _finding(probe, run.ending, target)
            return


def _unchanging(probe: Probe) -> Probe:
    """Return an input with the promise to leave its arrays as they are."""
    names = [name for name in probe.arguments if name != SELF]
    return replace(probe, ensures=(f"unchanged({', '.join(names)})",))


def _pairs(
    known: Sequence[Probe], optional: frozenset[str]
) -> Iterator[tuple[Probe, KnownCall, KnownCall]]:
    """Yield inputs of instances with a call to be tested, and the one before it.

    The first ones are made with the defaults of what is ``optional``, as most calls are.
    """
    calls = [with_elements(_call(each)) for each in known]
    for number, (probe, call) in enumerate(zip(known, calls, strict=True)):
        other = calls[(number + 1) % len(calls)]
        needed = {name: text for name, text in call.given.items() if name not in optional}
        plain = KnownCall(needed) if needed and number < MOST_PLAIN else call
        small = next(smaller(plain))
        earlier = [*(with_dtype(plain, dtype) for dtype in _OTHER_DTYPES), small, other]
        yield from ((probe, plain, each) for each in earlier if each.given != plain.given)
        if small.given != plain.given:
            yield probe, small, plain


def _is_known(probe: Probe) -> bool:
    own = probe.arguments.get(SELF)
    return (
        isinstance(own, RecipeArgument)
        and not _IN_PLACE.search(own.recipe)
        and len(probe.arguments) > 1
        and all(isinstance(e, RecipeArgument | LiteralArgument) for e in probe.arguments.values())
    )


def _call(probe: Probe) -> KnownCall:
    recipes = {
        name: each.recipe if isinstance(each, RecipeArgument) else each.source
        for name, each in probe.arguments.items()
        if isinstance(each, RecipeArgument | LiteralArgument) and name != SELF
    }
    return KnownCall(recipes)


def _asking(target: Target, probe: Probe, call: KnownCall, earlier: KnownCall) -> Probe:
    text = ", ".join(f"{name}={recipe}" for name, recipe in earlier.given.items())
    given = {name: RecipeArgument(recipe) for name, recipe in call.given.items()}
    arguments = {SELF: probe.arguments[SELF], **given}
    return Probe(target.id, arguments, ensures=(f"unaffected_by({text!r})",))


def _finding(probe: Probe, ending: Violated, target: Target) -> Finding:
    title, message = messages.effect(target, given_clause(probe), ending)
    return Finding(
        analyzer=NAME,
        rule=POSTCONDITION,
        level=Level.WARNING,
        path=target.path,
        line=target.line,
        end_line=target.line,
        symbol=target.id,
        target=target.id,
        title=title,
        message=message,
        evidence={
            "postcondition": ending.condition,
            "detail": ending.detail,
            "arguments": dict(argument_recipes(probe)),
        },
        probes=(probe,),
        criterion=Violates(ending.condition),
        input_kind=ending.condition,
    )
