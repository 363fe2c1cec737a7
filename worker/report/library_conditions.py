"""The postcondition ``executes`` as what a test by itself can ask, with torch and ONNX Runtime."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from analyzers.guest.inputs.exploration.postconditions import MODEL_WORDS
from analyzers.guest.inputs.recipes import BadRecipe, Recipe, names, parse
from analyzers.relations.library_names import harmless_template
from analyzers.relations.relation_findings import TESTABLE, agreement, is_function
from analyzers.vocabulary import Probe
from worker.report.asserted_conditions import AssertedCondition, UnsupportedCondition

_TEMPLATES = ("value", "reference")


@dataclass(frozen=True, slots=True)
class Comparison:
    """The other side of a comparison with a library call."""

    api: str
    relation: str
    template: str = ""
    names: tuple[str, ...] = ()

    @property
    def exact(self) -> bool:
        """Return whether a result's dtype is compared."""
        return self.relation != "float64"

    @property
    def imports(self) -> tuple[str, ...]:
        """The import lines that comparing needs."""
        lines = ["import torch", "from torch.overrides import TorchFunctionMode"]
        if self.relation == "decomposition":
            lines.insert(1, "from torch._decomp import decomposition_table")
            lines.append("from torch.utils._python_dispatch import TorchDispatchMode")
        return tuple(lines)


def comparison(condition: str) -> Comparison | None:
    """Parse ``agrees(…)``, ``None`` of another condition; raise ``UnsupportedCondition``."""
    said = agreement(condition)
    if said is None:
        return None
    api, relation, related = said
    if relation not in TESTABLE:
        raise UnsupportedCondition(f"what {relation} says cannot be asked")
    if not is_function(api):
        raise UnsupportedCondition(f"{api} is no function of torch")
    if relation not in _TEMPLATES:
        return Comparison(api, relation)
    try:
        used, tree = names(parse(related)), ast.parse(related, mode="eval")
    except (BadRecipe, SyntaxError, ValueError, RecursionError) as error:
        raise UnsupportedCondition(str(error)) from error
    parameters = tuple(sorted(name for name in used if "." not in name))
    others = [name for name in used if "." in name and not name.startswith("torch.")]
    if others or not isinstance(tree.body, ast.Call) or not harmless_template(related):
        raise UnsupportedCondition(f"{related} is no call that only computes")
    if not parameters:
        raise UnsupportedCondition(f"{related} is no call of torch's")
    return Comparison(api, relation, *(ast.unparse(tree), parameters))


FORWARDS = ("forward", "call", "__call__")
_RULES = ("divergence", "non-finite", "crash")


@dataclass(frozen=True, slots=True)
class ExecutionCondition:
    """The condition of an ``executes(…)``: its oracle, execution and inputs."""

    rule: str
    execution: str
    inputs: str = ""
    mutations: str = ""


def execution_condition(condition: str) -> ExecutionCondition | None:
    """Parse ``executes(…)``, ``None`` of another condition; raise ``UnsupportedCondition``."""
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
        return ExecutionCondition(*map(_text, body.args), **words)
    except TypeError as error:
        raise UnsupportedCondition(str(error)) from error


def inputs_of(condition: str) -> Recipe | None:
    """Return the recipe of the inputs for a model, or ``None``; raise ``UnsupportedCondition``."""
    said = execution_condition(condition)
    try:
        return parse(said.inputs) if said is not None and said.inputs else None
    except BadRecipe as error:
        raise UnsupportedCondition(str(error)) from error


def execution(condition: str, function: str, probe: Probe) -> AssertedCondition | None:
    """Assert ``executes(…)`` of a call, ``None`` of another; raise ``UnsupportedCondition``."""
    said = execution_condition(condition)
    if said is None:
        return None
    last = function.rpartition(".")[2]
    if said.rule not in _RULES or said.execution not in _RUN:
        raise UnsupportedCondition(
            f"what {said.execution} comes to cannot be asked by a test of its own"
        )
    if said.mutations:
        raise UnsupportedCondition("a mutant is made by the mutator alone")
    if last in FORWARDS and not said.inputs:
        names = [name for name in probe.arguments if name != "self"]
        given = ", ".join(f"before[{name!r}]" for name in names)
        model, inputs = "before['self']", f"({given}{',' if len(names) == 1 else ''})"
    elif "." not in function and said.inputs:
        model, inputs = "result", said.inputs
    else:
        raise UnsupportedCondition("the model is neither called nor returned")
    call = f"executes({said.rule!r}, {said.execution!r}, {model}, {inputs})"
    return AssertedCondition(call, (_EXECUTES_HELPER, _RUN[said.execution]))


def is_of_models(condition: str) -> bool:
    """Return whether a condition has a word about models, which a plain test knows nothing of."""
    return any(f"{word}(" in condition for word in MODEL_WORDS)


def _text(node: ast.expr) -> str:
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        raise UnsupportedCondition("executes takes texts")
    return node.value


_EXECUTES_HELPER = '''\
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

_CALLS = ("forward", "__call__")


def training(condition: str, function: str, probe: Probe) -> AssertedCondition | None:
    """Assert ``trains(…)`` of a call, ``None`` of another; raise ``UnsupportedCondition``."""
    said = _asked(condition)
    if said is None:
        return None
    steps, inputs = said
    last = function.rpartition(".")[2]
    if last in _CALLS and not inputs:
        names = [name for name in probe.arguments if name != "self"]
        model, given = "before['self']", "".join(f"before[{name!r}], " for name in names)
        return AssertedCondition(f"trains({steps}, {model}, ({given}))", (_TRAINS_HELPER,))
    if last == "__init__" and inputs:
        return AssertedCondition(f"trains({steps}, result, {inputs})", (_TRAINS_HELPER,))
    raise UnsupportedCondition("the model is neither called nor made")


def inputs_of_training(condition: str) -> Recipe | None:
    """Return the recipe of a model's training inputs; raise ``UnsupportedCondition``."""
    said = _asked(condition)
    try:
        return parse(said[1]) if said is not None and said[1] else None
    except BadRecipe as error:
        raise UnsupportedCondition(str(error)) from error


def _asked(condition: str) -> tuple[int, str] | None:
    """Return steps and inputs of ``trains(STEPS, inputs="")``; raise ``UnsupportedCondition``."""
    try:
        body = ast.parse(condition, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    if not isinstance(body, ast.Call) or not isinstance(body.func, ast.Name):
        return None
    if body.func.id != "trains":
        return None
    match [*body.args, *(each.value for each in body.keywords if each.arg == "inputs")]:
        case [ast.Constant(value=int() as steps)]:
            return steps, ""
        case [ast.Constant(value=int() as steps), ast.Constant(value=str() as inputs)]:
            return steps, inputs
        case _:
            raise UnsupportedCondition("trains takes a number of steps, and the text of its inputs")


_TRAINS_HELPER = '''\
def trains(steps, model, inputs):
    """Whether a model stays finite over some steps of plain gradient descent, short ones."""
    import torch

    model = copy.deepcopy(model).train()
    try:
        outputs(model, inputs)
    except Exception:
        model.eval()
    weights = [each for each in model.parameters() if each.requires_grad]
    for _ in range(steps):
        loss = loss_of(outputs(model, inputs))
        found = torch.autograd.grad(loss, weights, allow_unused=True)
        pairs = [(weight, slope) for weight, slope in zip(weights, found) if slope is not None]
        if not are_finite([loss, *(slope for _, slope in pairs)]):
            return False
        descend(pairs)
    if any(each.isnan().any() for each in model.buffers()):
        return False
    trained = are_finite(outputs(model, inputs))
    return trained and are_finite(outputs(model.eval(), inputs))


def outputs(model, inputs):
    """The tensors of numbers that a model gives, in order."""
    import torch

    torch.manual_seed(0)
    return numbers(model(*copy.deepcopy(inputs)))


def numbers(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [tensor for each in value for tensor in numbers(each)]
    is_number = hasattr(value, "is_floating_point") and value.is_floating_point()
    return [value] if is_number else []


def loss_of(found):
    """Cross entropy of rows of scores against their own places, else the mean square."""
    import torch

    found = [each for each in found if each.requires_grad and each.numel()]
    if len(found) == 1 and found[0].dim() == 2 and found[0].shape[1] > 1:
        rows, classes = found[0].shape
        return torch.nn.functional.cross_entropy(found[0], torch.arange(rows) % classes)
    return sum(each.square().mean() for each in found)


def descend(pairs):
    """A step against the slopes, no longer than a thousandth of the weights' length."""
    import torch

    length = sum(float(weight.detach().double().square().sum()) for weight, _ in pairs) ** 0.5
    slope = sum(float(each.double().square().sum()) for _, each in pairs) ** 0.5
    rate = min(1e-2, 1e-3 * max(length, 1e-3) / slope) if slope else 0.0
    with torch.no_grad():
        for weight, each in pairs:
            weight.sub_((each.double() * rate).to(weight.dtype))


def are_finite(tensors):
    return all(bool(each.isfinite().all()) for each in tensors)'''
