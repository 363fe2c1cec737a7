"""Findings of inputs whose result on head differs from that on base."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from analyzers.criteria import DEATH, is_crash, refusal_of
from analyzers.drivers.repeated_calls import AGAIN
from analyzers.inference.function_contracts import FunctionContract
from analyzers.inference.inference_messages import argument_recipes, given_clause
from analyzers.ports import Executor
from analyzers.properties import messages
from analyzers.properties.base_search import ComparedRun
from analyzers.properties.call_relations import BrokenRelation, broken_call_relations
from analyzers.properties.call_variants import SELF
from analyzers.properties.changed_results import (
    NON_FINITE,
    STRUCTURE,
    ResultDifference,
    result_difference,
)
from analyzers.properties.failure_shrinking import returning_on_base, smallest_failure
from analyzers.properties.gradient_comparison import LOST, gradient_differences
from analyzers.properties.property_findings import failure_finding, is_at_change
from analyzers.properties.result_relations import broken_relations
from analyzers.vocabulary import (
    Contract,
    Crashes,
    Criterion,
    ExplorationResult,
    Failure,
    Finding,
    JsonObject,
    Level,
    Probe,
    Raised,
    Returned,
    Run,
    RunOutcome,
    Target,
    Violated,
    Violates,
)

NAME = "properties"
CHANGED, NON_FINITE_RULE = "behaviour/changed", "model/non-finite"
PROMISE = "property/changed"
MOST_EXAMPLES, MOST_REPEATED = 3, 20
_SHORT_FLOATS = re.compile(r"not implemented for '\w*(?:Half|BFloat16|Float8\w*)'")


@dataclass(frozen=True, slots=True)
class ChangedInput:
    """An input that returns on both revisions, with the difference of its results."""

    probe: Probe
    difference: ResultDifference

    guessed: bool = False

    @property
    def size(self) -> int:
        """Return the length of the input as it is written."""
        return _size(self.probe)


def changed_findings(
    target: Target, passing: Sequence[Probe], compared: Sequence[ComparedRun], bench: Executor
) -> Iterator[Finding]:
    """Yield the findings of inputs of a changed function that return something else than on base.

    ``passing`` are inputs that return on head, ``compared`` runs that were made on both
    revisions.  A result that is not the same twice on either revision says nothing.
    """
    runs = returning_on_base([replace(probe, observed=True) for probe in passing], bench)
    yield from _changed_findings(target, [*compared, *runs], bench)


def _changed_findings(
    target: Target, runs: Sequence[ComparedRun], bench: Executor
) -> Iterator[Finding]:
    differing, inputs = _differing(runs)
    if not differing:
        differing = [
            ChangedInput(run.probe, difference, run.guessed)
            for run, difference in gradient_differences(runs, bench)
        ]
    changed = _confirmed(differing, bench)
    yield from _non_finite_findings(target, changed, inputs)
    others = [each for each in changed if each.difference.kind != NON_FINITE]
    relations = list(broken_call_relations(runs, bench))
    if others:
        lost = all(each.difference.kind == LOST for each in others)
        broken = [*broken_relations(runs), *(each.says for each in relations)]
        broken += [messages.GRADIENT_LOST] if lost else []
        yield _changed(target, others, inputs, list(dict.fromkeys(broken)), bench)
    if not changed:
        yield from _relation_findings(target, relations, bench)


def is_different(run: ComparedRun) -> bool:
    """Return whether head does not return what base returns."""
    base, head = _observation(run.base), _observation(run.head)
    return head is None or (base is not None and result_difference(base, head) is not None)


def is_other_structure(run: ComparedRun) -> bool:
    """Return whether head returns a result of another type, shape or dtype than base."""
    base, head = _observation(run.base), _observation(run.head)
    found = None if base is None or head is None else result_difference(base, head)
    return found is not None and found.kind in STRUCTURE


def changed_result_findings(
    target: Target, runs: Sequence[ComparedRun], bench: Executor
) -> Iterator[Finding]:
    """Yield the findings of other results of programs, which no condition on calls is about."""
    differing, inputs = _differing(runs)
    changed = _confirmed(differing, bench)
    yield from _non_finite_findings(target, changed, inputs)
    others = [each for each in changed if each.difference.kind != NON_FINITE]
    if others:
        yield _changed(target, others, inputs, [], bench)


def _differing(runs: Sequence[ComparedRun]) -> tuple[list[ChangedInput], int]:
    """Return the inputs that return something else than on base, and how many return on both."""
    pairs = [(run, _observation(run.base), _observation(run.head)) for run in runs]
    both = [(run, base, head) for run, base, head in pairs if base and head]
    found = [
        ChangedInput(run.probe, difference, run.guessed)
        for run, base, head in both
        if (difference := result_difference(base, head)) is not None
    ]
    return found, len(both)


def _relation_findings(
    target: Target, relations: Sequence[BrokenRelation], bench: Executor
) -> Iterator[Finding]:
    """Yield a warning on each relation between calls that base keeps and head breaks."""
    for each in relations:
        if isinstance(bench.run([each.probe])[0].ending, Violated):
            given = given_clause(each.probe)
            evidence: JsonObject = {
                "property": each.probe.ensures[0],
                "base": f"holds for {each.inputs} inputs",
                "head": each.ending.detail,
                "inputs": each.inputs,
                "changed": 1,
                "examples": [],
                "arguments": dict(argument_recipes(each.probe)),
            }
            yield comparison_finding(
                target,
                PROMISE,
                Level.WARNING,
                messages.broken_relation(target, given, each.says, each.ending),
                (each.probe, Violates(each.probe.ensures[0]), "relation"),
                evidence,
            )


def _confirmed(differing: Sequence[ChangedInput], bench: Executor) -> list[ChangedInput]:
    """Return the inputs of each kind of difference of which some show it again.

    The smallest are run again, and stand first; those that do not show it are left out.
    """

    def key(each: ChangedInput) -> tuple[str, str]:
        return each.difference.kind, each.difference.place

    ordered = sorted(sorted(differing, key=lambda each: (each.guessed, each.size)), key=key)
    groups = [list(group) for _, group in groupby(ordered, key)]
    repeated = _repeated([each for group in groups for each in group[:MOST_REPEATED]], bench)
    shown = {key(each) for each in repeated}
    rest = [each for group in groups for each in group[MOST_REPEATED:] if key(each) in shown]
    return [*repeated, *rest]


def failures_on_head(compared: Sequence[ComparedRun], bench: Executor) -> list[Failure]:
    """Return the failures of inputs that base takes, with the smallest input of each.

    Those at lines that the change does not touch have one cause: what the change makes of
    the same inputs.
    """
    groups: dict[object, list[ComparedRun]] = {}
    for each in compared:
        if is_crash(each.head.ending):
            groups.setdefault(_cause(each.head.ending, bench), []).append(each)
    found: list[Failure] = []
    for group in groups.values():
        first = min(group, key=lambda each: (each.guessed, _size(each.probe)))
        probe = replace(first.probe, observed=False)
        found.append(Failure(probe, first.head, seen=len(group)))
    return found


def refusal_findings(target: Target, compared: Sequence[ComparedRun]) -> Iterator[Finding]:
    """Yield a notice of each refusal, by the code itself, of inputs that base takes."""
    groups: dict[tuple[str, str, str], list[ComparedRun]] = {}
    for each in compared:
        refusal = refusal_of(each.head.ending)
        if refusal is not None and not each.guessed:
            groups.setdefault(refusal, []).append(each)
    for refusal, group in groups.items():
        first = min(group, key=lambda each: _size(each.probe))
        title, message = messages.refused_inputs(
            len(group), len(compared), given_clause(first.probe), first.head.ending
        )
        yield comparison_finding(
            target,
            CHANGED,
            Level.NOTICE,
            (title, message),
            (replace(first.probe, observed=False), Crashes(*refusal, refused=True), "refusal"),
            {
                "inputs": len(compared),
                "changed": len(group),
                "examples": [],
                "arguments": dict(argument_recipes(first.probe)),
            },
        )


def lacks_kernel(ending: RunOutcome) -> bool:
    """Return whether the processor has no kernel for short floats, which another device may have.

    For booleans and integers that base takes no device has one.
    """
    return isinstance(ending, Raised) and _SHORT_FLOATS.search(ending.message) is not None


def _cause(ending: RunOutcome, bench: Executor) -> tuple[str, str, int]:
    if isinstance(ending, Raised) and lacks_kernel(ending):
        return ending.message, ending.path, ending.line
    if not isinstance(ending, Raised):
        return DEATH, "", 0
    if not is_at_change(ending, bench):
        return "", "", 0
    return ending.exception, ending.path, ending.line


def new_failure(
    failure: Failure, compared: Sequence[ComparedRun], target: Target, bench: Executor
) -> Finding:
    """Return the finding of a failure of an input that base takes.

    It is a warning where the input has a value whose kind nothing in the code names, and a
    notice where head then fails because of a kind, or where another device may not fail.
    """
    explored = ExplorationResult(executions=len(compared), passed=len(compared) - failure.seen)
    terms = FunctionContract(Contract(), {})
    probe = replace(failure.probe, observed=True)
    guessed = all(each.guessed for each in compared if each.probe == probe)
    failure = smallest_failure(failure, target, bench)
    found = failure_finding(failure, terms, explored, target, bench, returns_on_base=True)
    ending = failure.run.ending
    if lacks_kernel(ending):
        return replace(found, level=Level.NOTICE)
    if not guessed:
        return found
    kind = isinstance(ending, Raised) and ending.exception in ("AttributeError", "TypeError")
    return replace(found, level=Level.NOTICE if kind else Level.WARNING)


def _size(probe: Probe) -> int:
    if probe.program is not None:
        return 10_000 * probe.program.edits + len(probe.program.source)
    return sum(map(len, argument_recipes(probe).values()))


def _observation(run: Run) -> JsonObject | None:
    return run.ending.observation if isinstance(run.ending, Returned) else None


def _repeated(changed: Sequence[ChangedInput], bench: Executor) -> list[ChangedInput]:
    """Return the inputs whose condition holds on base and not on head when they run again."""
    probes = [_conditional(each) for each in changed]
    heads, bases = bench.run(probes), bench.run_on_base(probes) if probes else ()
    return [
        each
        for each, head, base in zip(changed, heads, bases or (), strict=False)
        if not isinstance(head.ending, Returned) and isinstance(base.ending, Returned)
    ]


def _conditional(changed: ChangedInput) -> Probe:
    return replace(changed.probe, observed=False, ensures=(changed.difference.condition,))


def _changed(
    target: Target,
    changed: Sequence[ChangedInput],
    inputs: int,
    broken: Sequence[str],
    bench: Executor,
) -> Finding:
    """Return the finding of results that differ: the smallest input of the most telling kind."""
    ordered = sorted(changed, key=lambda each: (not _is_structural(each, target), each.size))
    first = ordered[0]
    structural = _is_structural(first, target)
    told = _is_private(target) or is_announced(target, bench)
    announced = not structural or told
    promise = broken[0] if broken and not structural and not is_announced(target, bench) else ""
    sides = {"base": first.difference.before, "head": first.difference.after}
    kept = {"property": promise, **sides} if promise else {}
    title, message = messages.changed_results(
        len(changed),
        inputs,
        given_clause(first.probe),
        first.difference,
        announced=announced,
        broken=broken,
    )
    return comparison_finding(
        target,
        PROMISE if promise else CHANGED,
        Level.NOTICE if announced and not promise else Level.WARNING,
        (title, message),
        _shown(first),
        {
            **kept,
            "inputs": inputs,
            "changed": len(changed),
            "examples": [_example(each) for each in ordered[:MOST_EXAMPLES]],
            "groups": list(_groups(ordered, inputs)),
            "arguments": dict(argument_recipes(first.probe)),
        },
    )


def _is_structural(changed: ChangedInput, target: Target) -> bool:
    """Return whether callers see another structure.

    What a call leaves in its instance, such as a cache, is the instance's own matter; what a
    constructor makes is in its checkpoints.  What an inner call of a program returns is between
    it and the project's code that calls it.
    """
    first = re.split(r"[.\[]", changed.difference.place, maxsplit=1)[0]
    own = first == SELF and not target.function.endswith("__init__")
    inner = changed.probe.program is not None and first == AGAIN
    own = own or inner
    return changed.difference.kind in STRUCTURE and not (changed.guessed or own)


def _groups(changed: Sequence[ChangedInput], inputs: int) -> Iterator[JsonObject]:
    """Yield the differences by kind and place, as they stand in evidence."""

    def key(each: ChangedInput) -> tuple[str, str]:
        return each.difference.kind, each.difference.place

    for (kind, place), group in groupby(sorted(changed, key=key), key):
        members = sorted(group, key=lambda each: each.size)
        first = members[0].difference
        yield {
            "things": f"{kind} of `{place}`",
            "of": inputs,
            "count": len(members),
            "before": first.before,
            "after": first.after,
            "says": messages.changed_group(
                kind,
                place,
                len(members),
                inputs,
                max(each.difference.amount for each in members),
            ),
        }


def _example(changed: ChangedInput) -> JsonObject:
    return {
        "description": given_clause(changed.probe).rstrip(" ,:"),
        "before": changed.difference.before,
        "after": changed.difference.after,
    }


def _non_finite_findings(
    target: Target, found: Sequence[ChangedInput], inputs: int
) -> Iterator[Finding]:
    changed = [each for each in found if each.difference.kind == NON_FINITE]
    if not changed:
        return
    first = min(changed, key=lambda each: (each.guessed, each.size))
    said = messages.new_non_finite(
        len(changed), inputs, given_clause(first.probe), first.difference
    )
    level = Level.WARNING if first.guessed else Level.FAILURE
    yield _non_finite_finding(target, level, said, _shown(first), (len(changed), inputs))


def nan_finding(target: Target, probe: Probe) -> Finding:
    """Return the warning of an example that gives NaN with values that the project documents."""
    (condition,) = probe.ensures
    said = messages.documented_nan(target, given_clause(probe), condition)
    shown = probe, Violates(condition), NON_FINITE
    return _non_finite_finding(target, Level.WARNING, said, shown, (1, 1))


def _non_finite_finding(
    target: Target,
    level: Level,
    said: tuple[str, str],
    shown: tuple[Probe, Criterion, str],
    counts: tuple[int, int],
) -> Finding:
    return comparison_finding(
        target,
        NON_FINITE_RULE,
        level,
        said,
        shown,
        {
            "executions": ["eager"],
            "error_ratio": None,
            "first_layer": "",
            "mutations": [],
            "arguments": dict(argument_recipes(shown[0])),
            "inputs": counts[1],
            "changed": counts[0],
        },
    )


def comparison_finding(
    target: Target,
    rule: str,
    level: Level,
    said: tuple[str, str],
    shown: tuple[Probe, Criterion, str],
    evidence: JsonObject,
) -> Finding:
    """Return the finding of a probe for which a criterion holds, and of its kind."""
    probe, criterion, kind = shown
    return Finding(
        analyzer=NAME,
        rule=rule,
        level=level,
        path=target.path,
        line=target.line,
        end_line=target.line,
        symbol=target.id,
        target=target.id,
        title=said[0],
        message=said[1],
        evidence=evidence,
        probes=(probe,),
        criterion=criterion,
        input_kind=kind,
    )


def _shown(changed: ChangedInput) -> tuple[Probe, Criterion, str]:
    difference = changed.difference
    return _conditional(changed), Violates(difference.condition), difference.kind


def _is_private(target: Target) -> bool:
    parts = target.function.split(".")
    return any(part.startswith("_") and not part.endswith("__") for part in parts)


def is_announced(target: Target, bench: Executor) -> bool:
    """Return whether the change edits the docstring, or a test that names the function."""
    there = bench.base(target.path)
    ours = _docstring(bench.source(target.path), target.function)
    if there is not None and ours and ours != _docstring(there[1], target.function):
        return True
    name = target.function.rpartition(".")[2]
    tests = [path for path in bench.paths() if path.endswith(".py") and "test" in path]
    return any(name in bench.source(path) and _is_edited(path, bench) for path in tests)


def _is_edited(path: str, bench: Executor) -> bool:
    there = bench.base(path)
    return there is None or there[1] != bench.source(path)


def _docstring(source: str, function: str) -> str | None:
    try:
        node: ast.AST = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return None
    for part in function.split("."):
        inner = (
            each
            for each in ast.iter_child_nodes(node)
            if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            and each.name == part
        )
        found = next(inner, None)
        if found is None:
            return None
        node = found
    known = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return ast.get_docstring(node) if isinstance(node, known) else None
