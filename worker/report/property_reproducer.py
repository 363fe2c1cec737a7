"""A finding about valid inputs as a pytest file: a Hypothesis test with its smallest example.

It works without Hypothesis too, where the example alone runs.  Inputs are made
by the text of the makers that their recipes call; nothing of ours is imported.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from analyzers.criteria import DEATH
from analyzers.guest.annotations.annotation_reader import definitions
from analyzers.guest.annotations.constraints import Constraint
from analyzers.guest.annotations.syntax import AnnotationError, parse
from analyzers.guest.inputs import recipes
from analyzers.guest.inputs.exploration import postconditions
from analyzers.guest.inputs.maker_source import source_of
from analyzers.guest.inputs.makers import MAKERS
from analyzers.vocabulary import (
    Argument,
    Crashes,
    Criterion,
    Finding,
    LiteralArgument,
    Probe,
    RecipeArgument,
    Violates,
)
from worker.report.asserted_conditions import (
    UnsupportedCondition,
    asserted_condition,
    earlier_call,
)
from worker.report.library_conditions import (
    Comparison,
    comparison,
    execution,
    inputs_of,
    inputs_of_training,
    is_of_models,
    training,
)
from worker.report.report_templates import fill
from worker.report.reproducer_calls import printable

TEMPLATE = "example.py.j2"
_FUTURE = "from __future__ import annotations"
_NUMBERS = frozenset({"inf", "nan"})
_LOADING = {
    "drawn": True,
    "whole_module": False,
    "answered": False,
    "roots": frozenset[str](),
    "django": False,
    "run_name": "under_test",
}
_MUTABLE = (ast.List, ast.Dict, ast.Set)
_SEEDED = (
    "random.seed(0)",
    'if "numpy" in sys.modules:',
    '    sys.modules["numpy"].random.seed(0)',
    'if "torch" in sys.modules:',
    '    sys.modules["torch"].manual_seed(0)',
)
_MODULES = ("importlib.machinery", "importlib.util", "inspect", "itertools", "random", "sys")
_BY_NAME = (
    "from pathlib import Path",
    "from types import FunctionType, MethodType",
    "from unittest.mock import MagicMock",
)


GUARDED = "assembly/unchecked-boundary"
"""The rule of values that are refused where the defect is mended."""


def is_drawn(finding: Finding) -> bool:
    """Return whether a finding is about inputs that are literals and recipes alone."""
    arguments = [each for probe in finding.probes for each in probe.arguments.values()]
    asks = any(probe.script for probe in finding.probes)
    plain = (
        all(isinstance(each, LiteralArgument | RecipeArgument) for each in arguments) and not asks
    )
    made = any(isinstance(each, RecipeArgument) for each in arguments)
    broken = isinstance(finding.criterion, Violates)
    ours = made or finding.rule.startswith("property/")
    return plain and (broken or (ours and isinstance(finding.criterion, Crashes)))


def needs_makers(finding: Finding) -> bool:
    """Return whether recipes of a finding are more than literals."""
    found = _recipes(finding)
    return any(recipes.makers(each) or recipes.names(each) for each in found)


def example_test(
    finding: Finding, sources: Mapping[str, str], test_name: str, variables: Sequence[str]
) -> str | None:
    """Return a test that fails where ``finding`` stands, or ``None`` if a test cannot ask it."""
    path, _, function = finding.target.partition("::")
    criterion = finding.criterion
    alone = "<" not in function and not function.startswith("__main__") and path.endswith(".py")
    if not alone or not all(key.isidentifier() for p in finding.probes for key in p.arguments):
        return None
    try:
        compared = _comparison(criterion)
        asked = _condition(finding, sources.get(path, ""), function, compared)
        fed = _fed(criterion)
    except UnsupportedCondition:
        return None
    made = [*_recipes(finding), *([] if fed is None else [fed])]
    makers = {name for recipe in made for name in recipes.makers(recipe)}
    exception = criterion.exception if isinstance(criterion, Crashes) else ""
    source = source_of(sorted(makers)).replace(_FUTURE, "").strip() if makers else ""
    cases = [_case(probe) for probe in finding.probes]
    return fill(
        TEMPLATE,
        imports=_imports(finding, cases, death=exception == DEATH, envs=bool(variables)),
        compared_imports=compared.imports if compared else (),
        agreement=compared,
        target_path=path,
        target_function=function,
        guarded=finding.rule == GUARDED,
        cases=cases,
        strategies=_strategies(finding),
        test_name=test_name,
        death=exception == DEATH,
        ends="it dies" if exception == DEATH else f"raises {printable(exception)}",
        violated=f"{criterion.condition} does not hold" if isinstance(criterion, Violates) else "",
        makers=source,
        seeded=_SEEDED,
        seeds_first=_is_execution(criterion) or fed is not None,
        variables=variables,
        **asked,
        **_LOADING,
    )


def _recipes(finding: Finding) -> list[recipes.Recipe]:
    arguments = [each for probe in finding.probes for each in probe.arguments.values()]
    return [recipes.parse(each.recipe) for each in arguments if isinstance(each, RecipeArgument)]


def _comparison(criterion: Criterion) -> Comparison | None:
    return comparison(criterion.condition) if isinstance(criterion, Violates) else None


def _fed(criterion: Criterion) -> recipes.Recipe | None:
    if not isinstance(criterion, Violates):
        return None
    condition = criterion.condition
    return inputs_of(condition) or inputs_of_training(condition) or _earlier(condition)


def _earlier(condition: str) -> recipes.Recipe | None:
    """Return the recipe of the arguments of a call before, if a condition speaks of one."""
    try:
        values = earlier_call(ast.parse(condition, mode="eval").body).values()
    except SyntaxError:
        return None
    found = recipes.parse(f"[{', '.join(map(ast.unparse, values))}]") if values else None
    if found is not None and recipes.names(found):
        raise UnsupportedCondition("the call before needs names of the code")
    return found


def _condition(
    finding: Finding, source: str, function: str, compared: Comparison | None
) -> dict[str, object]:
    criterion = finding.criterion
    if not isinstance(criterion, Violates) or compared is not None:
        return {"condition": "", "helpers": ()}
    said = (each for probe in finding.probes for each in probe.ensures)
    whole = next((each for each in said if postconditions.plain(each) == criterion.condition), None)
    if is_of_models(criterion.condition):
        asks = (criterion.condition, function, finding.probes[0])
        of_model = execution(*asks) or training(*asks)
        if of_model is None:
            raise UnsupportedCondition("a test by itself knows no words about models")
        return {"condition": of_model.expression, "helpers": of_model.helpers}
    asked = asserted_condition(whole or criterion.condition, _parameters(source, function))
    return {"condition": asked.expression, "helpers": asked.helpers}


def _parameters(source: str, function: str) -> list[str]:
    try:
        found = dict(definitions(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError):
        return []
    spec = found[function].args if function in found else None
    if spec is None:
        return []
    named = [*spec.posonlyargs, *spec.args, *spec.kwonlyargs]
    return [each.arg for each in (*named, spec.vararg, spec.kwarg) if each is not None]


# ------------------------------------------------------------------ the inputs


def _case(probe: Probe) -> list[tuple[str, str]]:
    return [(name, _value(argument)) for name, argument in probe.arguments.items()]


def _value(argument: Argument) -> str:
    """A constant as it is; what is made, or could be changed, by a function of the tested file."""
    source = (
        argument.recipe
        if isinstance(argument, RecipeArgument)
        else getattr(argument, "source", "None")
    )
    tree = ast.parse(source, mode="eval").body
    parts = list(ast.walk(tree))
    if not any(isinstance(part, (ast.Call, ast.Name, *_MUTABLE)) for part in parts):
        return source
    return f"lambda code: {ast.unparse(_Named().visit(tree))}"


class _Named(ast.NodeTransformer):
    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in MAKERS or node.id in _NUMBERS:
            return node
        return ast.Attribute(ast.Name("code"), node.id, ast.Load())


def _strategies(finding: Finding) -> list[tuple[str, str]]:
    said = finding.evidence.get("annotations")
    constraints = said if isinstance(said, Mapping) else {}
    found: list[tuple[str, str]] = []
    for name in finding.probes[0].arguments if finding.probes else ():
        term = constraints.get(name)
        text = term.get("constraint") if isinstance(term, Mapping) else term
        drawn = _drawn(text) if isinstance(text, str) else None
        found.append((name, drawn or f"st.just(SMALLEST[0][{name!r}])"))
    return found


def _drawn(text: str) -> str | None:
    try:
        constraint = parse(text)
    except (AnnotationError, RecursionError, MemoryError):
        return None
    if constraint.kind == "bools":
        return "st.booleans()"
    if constraint.kind == "ints" and not constraint.value("multiple_of"):
        return f"st.integers({_bounds(constraint)})"
    if constraint.kind == "floats" and not constraint.value("exclude_min"):
        ends = ", ".join(
            filter(None, [_bounds(constraint), "allow_nan=False, allow_infinity=False"])
        )
        return f"st.floats({ends})"
    return None


def _is_execution(criterion: Criterion) -> bool:
    return isinstance(criterion, Violates) and is_of_models(criterion.condition)


def _bounds(constraint: Constraint) -> str:
    ends = [
        (name, constraint.value(end)) for name, end in (("min_value", "min"), ("max_value", "max"))
    ]
    return ", ".join(f"{name}={end!r}" for name, end in ends if isinstance(end, int | float))


def _imports(
    finding: Finding, cases: Sequence[Sequence[tuple[str, str]]], *, death: bool, envs: bool
) -> list[str]:
    broken = isinstance(finding.criterion, Violates)
    modules = {"asyncio", *_MODULES}
    modules |= {"copy", "re"} if broken and _comparison(finding.criterion) else set()
    modules |= {"copy"} if broken and _is_execution(finding.criterion) else set()
    modules |= {"subprocess"} if death else set()
    modules |= set() if broken else {"linecache", "re", "traceback"}
    modules |= {"os"} if envs else set()
    written = " ".join(value for case in cases for _, value in case)
    numbers = sorted(name for name in _NUMBERS if name in written)
    others = [f"from math import {', '.join(numbers)}"] if numbers else []
    return [*(f"import {name}" for name in sorted(modules)), *others, *_BY_NAME]
