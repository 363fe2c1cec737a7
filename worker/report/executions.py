"""The postcondition ``executes`` as what a test by itself can ask, with torch and ONNX Runtime."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from analyzers.guest.exploring.model_words import MODEL_WORDS
from analyzers.guest.generation.recipes import BadRecipe, Recipe, parse
from analyzers.vocabulary import Probe
from worker.report.promises import Promise, Unspoken

FORWARDS = ("forward", "call", "__call__")
_RULES = ("divergence", "non-finite", "crash")


@dataclass(frozen=True, slots=True)
class Asked:
    """What an ``executes(…)`` asks: of which oracle and execution, with which inputs."""

    rule: str
    execution: str
    inputs: str = ""
    mutations: str = ""


def asked(condition: str) -> Asked | None:
    """What a condition asks of executions, ``None`` of another; raises ``Unspoken``."""
    try:
        body = ast.parse(condition, mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        return None
    if not isinstance(body, ast.Call) or not isinstance(body.func, ast.Name):
        return None
    if body.func.id != "executes":
        return None
    words = {each.arg or "": _text(each.value) for each in body.keywords}
    try:
        return Asked(*map(_text, body.args), **words)
    except TypeError as error:
        raise Unspoken(str(error)) from error


def inputs_of(condition: str) -> Recipe | None:
    """The recipe of the inputs that a condition gives a model; ``None`` where it gives none.

    Raises ``Unspoken`` for what is no recipe.
    """
    said = asked(condition)
    try:
        return parse(said.inputs) if said is not None and said.inputs else None
    except BadRecipe as error:
        raise Unspoken(str(error)) from error


def execution(condition: str, function: str, probe: Probe) -> Promise | None:
    """A condition ``executes(…)`` of one call, ``None`` of another; raises ``Unspoken``."""
    said = asked(condition)
    if said is None:
        return None
    last = function.rpartition(".")[2]
    if said.rule not in _RULES or said.execution not in _RUN:
        raise Unspoken(f"what {said.execution} comes to cannot be asked by a test of its own")
    if said.mutations:
        raise Unspoken("a mutant is made by the mutator alone")
    if last in FORWARDS and not said.inputs:
        names = [name for name in probe.arguments if name != "self"]
        given = ", ".join(f"before[{name!r}]" for name in names)
        model, inputs = "before['self']", f"({given}{',' if len(names) == 1 else ''})"
    elif "." not in function and said.inputs:
        model, inputs = "result", said.inputs
    else:
        raise Unspoken("the model is neither called nor returned")
    call = f"executes({said.rule!r}, {said.execution!r}, {model}, {inputs})"
    return Promise(call, (_HELPER, _RUN[said.execution]))


def is_of_models(condition: str) -> bool:
    """Whether a condition has a word about models, which a plain test knows nothing of."""
    return any(f"{word}(" in condition for word in MODEL_WORDS)


def _text(node: ast.expr) -> str:
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        raise Unspoken("executes takes texts")
    return node.value


_HELPER = '''\
def executes(rule, execution, model, inputs):
    """Whether an execution of a model gives what float64 gives, but for what eager is off, too."""
    import torch

    model = copy.deepcopy(model).cpu().float().eval()
    wide = [each.double() if is_float(each) else each for each in inputs]
    with torch.no_grad():
        torch.set_default_dtype(torch.float64)
        try:
            reference = numbers(copy.deepcopy(model).double()(*copy.deepcopy(wide)))
        finally:
            torch.set_default_dtype(torch.float32)
        eager = numbers(model(*copy.deepcopy(inputs)))
        try:
            found = numbers(run(model, inputs))
        except Exception as error:
            assert rule != "crash", f"eager returns, {execution} raises {error!r}"
            raise
    return all(map(agree, found, eager, reference)) and len(found) == len(reference)


def agree(found, eager, reference):
    """Whether what was found is finite where float64 is, and off it by less than 20 times eager."""
    if found.shape != reference.shape or not found.isfinite()[reference.isfinite()].all():
        return False
    known = reference.isfinite() & eager.isfinite()
    if not known.any():
        return True
    found, eager, reference = found[known], eager[known], reference[known]
    rounding = 2.0**-23 * reference.abs().max()
    allowed = 20 * max((eager - reference).abs().max(), rounding)
    return bool((found - reference).abs().max() < allowed)


def is_float(value):
    return hasattr(value, "is_floating_point") and value.is_floating_point()


def numbers(value):
    """The tensors in a result, in order, in double precision."""
    import torch

    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [tensor for each in value for tensor in numbers(each)]
    if value is None or isinstance(value, (bool, int, float, str)):
        return []
    return [torch.as_tensor(value).detach().double()]'''

_SESSION = """\
    session = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])
    tensors = [each for each in inputs if hasattr(each, "numpy")]
    names = [each.name for each in session.get_inputs()]
    return session.run(None, {name: each.numpy() for name, each in zip(names, tensors)})"""
_RUN = {
    "onnxruntime": f'''\
def run(model, inputs):
    """ONNX Runtime, on what ``torch.onnx.export`` makes of the model."""
    import onnxruntime
    import torch

    program = torch.onnx.export(model, tuple(inputs), dynamo=True, verbose=False)
    graph = program.model_proto.SerializeToString()
{_SESSION}''',
    "onnxruntime-torchscript": f'''\
def run(model, inputs):
    """ONNX Runtime, on what ``torch.onnx.export(dynamo=False)`` makes of the model."""
    import io

    import onnxruntime
    import torch

    file = io.BytesIO()
    torch.onnx.export(model, tuple(inputs), file, dynamo=False)
    graph = file.getvalue()
{_SESSION}''',
    "inductor": '''\
def run(model, inputs):
    """The model, compiled."""
    import torch

    return torch.compile(model)(*inputs)''',
    "onednn-off": '''\
def run(model, inputs):
    """The model without oneDNN."""
    import torch

    with torch.backends.mkldnn.flags(enabled=False):
        return model(*inputs)''',
}
