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
from worker.report.report_templates import helper

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
_GRADIENT = "gradient"
_RULES = ("divergence", "non-finite", "crash", _GRADIENT)
_EXECUTIONS = frozenset(
    {"onnxruntime", "onnxruntime-torchscript", "inductor", "onednn-off", "jit-trace", "jit-script"}
    | {"export", "eager", "bfloat16", "float16", "channels-last"}
)
"""Executions that a test can make by itself (``templates/reproducer/helpers``)."""
_DERIVED = frozenset({"onednn-off", "channels-last"})
"""Those of them under which a backward pass runs as a forward pass does."""


@dataclass(frozen=True, slots=True)
class ExecutionCondition:
    """The condition of an ``executes(…)``: its oracle, execution and inputs."""

    rule: str
    execution: str
    inputs: str = ""
    mutations: str = ""
    other: str = ""


_CHANGES = {
    "negated": "-x",
    "lowered": "-x.abs() - 1.0",
    "raised": "x.abs() + 1.0",
    "enlarged": "x * 100.0",
    "reduced": "x * 1e-3",
}
"""The change of each floating tensor that an ``executes(…, other=…)`` names."""


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
    known = _DERIVED if said.rule == _GRADIENT else _EXECUTIONS
    if said.rule not in _RULES or said.execution not in known:
        raise UnsupportedCondition(
            f"what {said.execution} comes to cannot be asked by a test of its own"
        )
    if said.other and said.other not in {*_CHANGES, "zeroed"}:
        raise UnsupportedCondition(f"no change of inputs is called {said.other}")
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
    change = ""
    if said.other == "zeroed":
        change = ", lambda x: x * 0"
    elif said.other:
        change = f", lambda x: {_CHANGES[said.other]} if is_float(x) else x"
    needed = [helper("executes"), helper(f"run-{said.execution}")]
    if said.rule == _GRADIENT:
        model = f"derivative({model})"
        needed.append(helper("derivative"))
    call = f"executes({said.rule!r}, {said.execution!r}, {model}, {inputs}{change})"
    return AssertedCondition(call, tuple(needed))


def is_of_models(condition: str) -> bool:
    """Return whether a condition has a word about models, which a plain test knows nothing of."""
    return any(f"{word}(" in condition for word in MODEL_WORDS)


def _text(node: ast.expr) -> str:
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        raise UnsupportedCondition("executes takes texts")
    return node.value


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
        return AssertedCondition(f"trains({steps}, {model}, ({given}))", (helper("trains"),))
    if last == "__init__" and inputs:
        return AssertedCondition(f"trains({steps}, result, {inputs})", (helper("trains"),))
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
