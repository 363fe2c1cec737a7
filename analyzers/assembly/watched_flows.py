"""Values of a usual call that reach a layer by ways that are not read.

Keys of dictionaries, merges of them, fields of configurations, and functions of the project that
build the layer: each number of the call is exchanged for another one, and where a layer of what
is made then has that number, it is handed on.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from analyzers.assembly.layer_tables import LayerApi, LayerParameter
from analyzers.assembly.model_probes import CallProber
from analyzers.assembly.parameter_flow import Function, ParameterFlow, layers_of
from analyzers.inference.shape_interpreter.project_modules import defaults_of
from analyzers.vocabulary import Probe, RecipeArgument, Returned, Run

MOST_VALUES, MOST_PARAMETERS = 12, 60
_OTHER = "0.0123457"
_HAS = (
    "any(type(each).__module__.startswith('torch.nn.') and type(each).__name__ == {name!r}"
    " and getattr(each, {parameter!r}, None) == {value} for each in result.modules())"
)
_HAS_ANY = (
    "any(type(each).__module__.startswith('torch.nn.') and {value} in vars(each).values()"
    " for each in result.modules())"
)
_Value = tuple[str, str, str]
Running = Callable[[Sequence[Probe]], Sequence[Run] | None]


def watched_flows(
    read: Sequence[ParameterFlow],
    function: Function,
    trier: CallProber,
    layers: Mapping[str, LayerApi],
) -> Iterator[ParameterFlow]:
    """Yield the values, other than those ``read``, that become parameters of layers unchanged."""
    text = trier.bench.source(trier.target.path)
    tree = ast.parse(text)
    known = {(each.given, each.attribute) for each in read}
    calls = layers_of(tree, text, layers)
    apis = {each.api.name: each.api for each in calls}
    asked = [(a, p) for a in apis.values() for p in a.parameters if _is_taken_blindly(p)]
    values = (each for each in _values(function, trier, tree) if each[:2] not in known)
    helpers = {each.name: each for each in tree.body if isinstance(each, ast.FunctionDef)}
    names = [each.id for each in ast.walk(function) if isinstance(each, ast.Name)]
    parts = (function, *(helpers[name] for name in names if name in helpers))
    near = [each for part in parts for each in layers_of(part, text, layers)]
    for given, name, access in list(values)[:MOST_VALUES] if asked else ():
        first = ParameterFlow(given, name, calls[0], asked[0][1], access)
        if not _holds(_HAS_ANY.format(value=_OTHER), first, trier, trier.bench.run):
            continue
        for api, parameter in asked[:MOST_PARAMETERS]:
            built = next(each for each in (*near, *calls) if each.api is api)
            flow = replace(first, built=built, parameter=parameter)
            if is_handed_on(flow, trier, trier.bench.run):
                yield flow


def _is_taken_blindly(parameter: LayerParameter) -> bool:
    return "float" in parameter.kinds and not parameter.checked


def is_handed_on(flow: ParameterFlow, trier: CallProber, run: Running) -> bool:
    """Return whether a value of the usual call reaches such a layer where ``run`` runs it."""
    name = flow.built.api.name.rpartition(".")[2]
    condition = _HAS.format(name=name, parameter=flow.parameter.name, value=_OTHER)
    return _holds(condition, flow, trier, run)


def _holds(condition: str, flow: ParameterFlow, trier: CallProber, run: Running) -> bool:
    probe = trier.with_value(flow, _OTHER, condition)
    runs = (None if probe is None else run([probe])) or ()
    return any(isinstance(each.ending, Returned) for each in runs)


def _values(function: Function, trier: CallProber, tree: ast.Module) -> Iterator[_Value]:
    """Yield the numbers that the usual call gives: the parameter, the field, how it is read."""
    given = trier.usual.arguments
    for name, default in defaults_of(function.args).items():
        if name not in given and _number(default) is not None:
            yield name, "", name
    for name, argument in given.items():
        if not isinstance(argument, RecipeArgument):
            continue
        made = ast.parse(argument.recipe, mode="eval").body
        if _number(made) is not None:
            yield name, "", name
        elif isinstance(made, ast.Dict):
            own = dict(_entries(made))
            for key, number in {**_written(tree), **own}.items():
                read = f"{name}[{key!r}]" if key in own else f"{name}.get({key!r}, {number!r})"
                yield name, key, read
        elif isinstance(made, ast.Call) and isinstance(made.func, ast.Name):
            fields = {**_fields(tree, made.func.id), **_keywords(made)}
            for field in fields:
                yield name, field, f"{name}.{field}"


def _number(node: ast.expr | None) -> float | None:
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, float) else None


def _entries(node: ast.Dict) -> Iterator[tuple[str, float]]:
    for key, value in zip(node.keys, node.values, strict=True):
        number = _number(value)
        if isinstance(key, ast.Constant) and isinstance(key.value, str) and number is not None:
            yield key.value, number


def _written(tree: ast.Module) -> dict[str, float]:
    """Return the numbers that a file gives to keys: in dictionaries, and where one is lacking."""
    found: dict[str, float] = {}
    for node in ast.walk(tree):
        key: str | None = None
        usual: ast.expr | None = None
        match node:
            case ast.Dict():
                found.update(_entries(node))
            case ast.Call(args=[_, usual]):
                key = _key_read(node)
            case ast.BoolOp(op=ast.Or(), values=[read, usual]):
                key = _key_read(read)
            case ast.IfExp(body=read, orelse=usual):
                key = _key_read(read)
            case _:
                continue
        number = _number(usual)
        if key is not None and number is not None:
            found[key] = number
    return found


def _key_read(node: ast.expr) -> str | None:
    """Return the key that an expression reads: ``cfg.get("eps")``, ``cfg["eps"]``."""
    match node:
        case ast.Call(
            func=ast.Attribute(attr="get" | "pop" | "setdefault"),
            args=[ast.Constant(value=str(key)), *_],
        ):
            return key
        case ast.Subscript(slice=ast.Constant(value=str(key))):
            return key
        case _:
            return None


def _keywords(call: ast.Call) -> dict[str, float]:
    pairs = ((each.arg, _number(each.value)) for each in call.keywords)
    return {name: number for name, number in pairs if name is not None and number is not None}


def _fields(tree: ast.Module, name: str) -> dict[str, float]:
    classes = (e for e in ast.walk(tree) if isinstance(e, ast.ClassDef) and e.name == name)
    body = (each for node in classes for each in node.body)
    pairs = ((each.target, _number(each.value)) for each in body if isinstance(each, ast.AnnAssign))
    return {ast.unparse(target): number for target, number in pairs if number is not None}
