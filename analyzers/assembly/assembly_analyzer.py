"""Model code under the values that its configuration allows (MoCo, tied to a change).

The blocks are the layers that a changed function builds.  Boundary checking gives a
parameter a value just outside of its legal range: one that nothing refuses, and that
a project's configuration can set, is a finding with a guard.  Random generation gives a
parameter another legal value: one that the layer takes and the code around it does not
follow is a finding, too.  A model whose forward is changed is trained and made again.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from analyzers.assembly import (
    assembly_findings,
    input_shapes,
    layer_tables,
    messages,
    value_settings,
)
from analyzers.assembly.assembly_findings import (
    NAME,
    FixedSizeLayer,
    UncheckedValue,
    gravest,
    unchecked_finding,
)
from analyzers.assembly.assembly_findings import fixed_size_finding as brittle_finding
from analyzers.assembly.input_shapes import inputs
from analyzers.assembly.layer_tables import LayerApi, LayerParameter
from analyzers.assembly.model_probes import (
    CallProber,
    unstable_findings,
    unstable_findings_of_made,
    usual_call,
)
from analyzers.assembly.parameter_flow import (
    BuiltLayer,
    Function,
    ParameterFlow,
    flows,
    function_of,
    hands_on,
    layers_of,
    names_of,
)
from analyzers.assembly.value_settings import settings
from analyzers.assembly.watched_flows import is_handed_on, watched_flows
from analyzers.inference.exploration import is_explorable, not_installed
from analyzers.inference.shape_interpreter.project_modules import defaults_of
from analyzers.ports import Executor
from analyzers.vocabulary import Reason, Skipped, Target, Verdict

MOST = 3
_CONSTRUCTOR = "__init__"
_UNSEEN = "nothing to be seen"
_ROOM = "torch.nn."
_RULED_OUT = "it computes with a value that its documentation rules out"
Layers = Mapping[str, LayerApi]
Load = Callable[[str], Layers]


class AssemblyAnalyzer:
    """Finds hyper-parameters that break a model, or are taken though they are illegal."""

    name = NAME

    def __init__(self, load: Load = layer_tables.load) -> None:
        self._load = load

    def examine(self, target: Target, bench: Executor) -> Iterator[Verdict]:
        """Yield the verdicts on one target."""
        if not is_explorable(target, bench):
            return
        text = bench.source(target.path)
        function = function_of(text, target.function)
        if function is None or "torch" not in text:
            return
        if target.function.endswith((".forward", ".__call__")):
            yield from unstable_findings(target, bench)
            return
        if not _builds(function, text):
            return
        layers = self._layers(target, bench)
        missing = not_installed("torch", bench)
        if missing is not None:
            yield Skipped(NAME, target.id, f"its layers were not tried: {missing}")
            return
        built = layers_of(function, text, layers)
        yield from _examined(function, built, layers, target, bench)

    def _layers(self, target: Target, bench: Executor) -> Layers:
        recorded = bench.record(target, ())
        is_torch = recorded is not None and recorded.library == "torch"
        return self._load(recorded.version) if recorded is not None and is_torch else {}


def _builds(function: Function, text: str) -> bool:
    """Return whether a function builds layers, or calls one of its file that does."""
    known = names_of(text)
    helpers = {e.name: e for e in ast.parse(text).body if isinstance(e, ast.FunctionDef)}
    called = [node.func for node in ast.walk(function) if isinstance(node, ast.Call)]
    named = (each.id for each in called if isinstance(each, ast.Name))
    helping = (helpers[name] for name in named if name in helpers)
    inside = (n.func for each in helping for n in ast.walk(each) if isinstance(n, ast.Call))
    return any(known.public(each).startswith(_ROOM) for each in (*called, *inside))


def _examined(
    function: Function,
    built: tuple[BuiltLayer, ...],
    layers: Layers,
    target: Target,
    bench: Executor,
) -> Iterator[Verdict]:
    usual = usual_call(function, target, bench)
    if usual is None:
        return
    trier = CallProber(target, bench, usual)
    found = list(flows(function, built))
    candidates = inputs(function, built, bench.source(target.path))
    given = next((x for x in candidates if trier.holds(called(x))), None)
    if target.reason is Reason.CHANGED:
        watched = watched_flows(found, function, trier, layers)
        yield from _boundaries([*found, *watched], given, function, trier, layers)
    if given is not None and target.reason is Reason.CHANGED:
        yield from _shapes(found, given, (function, built), trier)
    if given is not None and function.name == _CONSTRUCTOR:
        yield from unstable_findings_of_made(trier, given)


def called(given: str) -> str:
    """Return the condition that the model gives finite values for an input."""
    return f"finite(result({given}))"


def _boundaries(
    found: list[ParameterFlow],
    given: str | None,
    function: Function,
    trier: CallProber,
    layers: Layers,
) -> Iterator[Verdict]:
    taken = [each for flow in found for each in _taken(flow, given, function, trier)]
    target, bench = trier.target, trier.bench
    text = bench.source(target.path)
    for each in gravest(taken, MOST):
        suggestion = assembly_findings.guard(each.flow, each.condition, function, target.path, text)
        absent = not _is_handed_on_base(each.flow, trier, layers)
        yield replace(unchecked_finding(each, target, suggestion), absent_on_base=absent)


def _is_handed_on_base(flow: ParameterFlow, trier: CallProber, layers: Layers) -> bool:
    target, bench = trier.target, trier.bench
    if flow.access:
        return is_handed_on(flow, trier, bench.run_on_base)
    there = bench.base(target.path)
    function = None if there is None else function_of(there[1], target.function)
    if there is None or function is None:
        return True
    return hands_on(flow, function, layers_of(function, there[1], layers))


def _taken(
    flow: ParameterFlow, given: str | None, function: Function, trier: CallProber
) -> Iterator[UncheckedValue]:
    condition = assembly_findings.condition_of(flow.parameter, flow.source)
    if flow.parameter.checked or condition is None:
        return
    texts = {path: trier.bench.source(path) for path in trier.bench.paths()}
    place = value_settings.position(function, flow.given)
    first, _, last = trier.target.function.rpartition(".")
    owner = (first if last == _CONSTRUCTOR else last).rpartition(".")[2]
    wanted = value_settings.FunctionParameter(owner, flow.given, place)
    places = settings(wanted, texts, field=flow.attribute)
    if flow.access and not places:
        places = settings(wanted, texts)
    if not places or not trier.holds(condition):
        return
    for value, consequence in _illegal(flow.parameter):
        probe = trier.with_value(flow, value, condition)
        if probe is not None and trier.broken(probe) is not None:
            seen = _seen(flow, value, given, trier)
            yield UncheckedValue(flow, value, condition, probe, places, seen, consequence)
            return


def _illegal(parameter: LayerParameter) -> Iterator[tuple[str, str]]:
    ends = (parameter.low, parameter.high)
    is_documented = parameter.said_by == "documentation" and None not in ends
    for edge in parameter.edges:
        if edge.refused:
            continue
        if edge.consequence not in {"", _UNSEEN}:
            yield edge.value, edge.consequence
        elif is_documented:
            yield edge.value, _RULED_OUT
    if not parameter.edges and parameter.consequence not in {"", _UNSEEN}:
        low, high = parameter.low, parameter.high
        yield repr(low - 1 if low is not None else (high or 0) + 1), parameter.consequence


def _seen(flow: ParameterFlow, value: str, given: str | None, trier: CallProber) -> str:
    probe = None if given is None else trier.with_value(flow, value, called(given))
    detail = None if probe is None else trier.broken(probe)
    if detail is None:
        return ""
    return messages.first_line(detail) if "raised" in detail else "NaN or infinity"


def _shapes(
    found: list[ParameterFlow],
    given: str,
    built: tuple[Function, tuple[BuiltLayer, ...]],
    trier: CallProber,
) -> Iterator[Verdict]:
    """Legal values that a layer takes, and another layer does not follow: one for that layer."""
    told: set[int] = set()
    for flow in found:
        same = [each for each in found if each.source == flow.source]
        if flow.attribute or not all(map(input_shapes.is_free, same)):
            continue
        broken = _brittle(flow, given, built, trier)
        if broken is not None and id(broken.layer) not in told:
            told.add(id(broken.layer))
            yield brittle_finding(broken, trier.target)


def _brittle(
    flow: ParameterFlow,
    given: str,
    built: tuple[Function, tuple[BuiltLayer, ...]],
    trier: CallProber,
) -> FixedSizeLayer | None:
    function, layers = built
    default = defaults_of(function.args).get(flow.given)
    if not isinstance(default, ast.Constant) or type(default.value) is not int:
        return None
    condition = called(given)
    values = input_shapes.other_legal_values(flow, default.value)
    probes = [trier.with_value(flow, str(value), condition) for value in values]
    runs = [(p, trier.broken(p) or "") for p in probes if p is not None]
    sizes = [input_shapes.expected_size(detail) for _, detail in runs]
    found = [
        None if size is None else input_shapes.built_for(size, flow.given, function, layers)
        for size in sizes
    ]
    layer = found[0] if len(runs) > 1 and all(each is found[0] for each in found) else None
    if layer is None:
        return None
    probe, detail = runs[0]
    said = messages.first_line(detail)
    return FixedSizeLayer(flow, default.value, values, layer, probe, condition, said)
