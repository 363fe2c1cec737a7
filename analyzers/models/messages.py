"""Titles and messages of the findings of ``models``."""

from __future__ import annotations

from collections.abc import Sequence

from analyzers.inference.inference_messages import argument_recipes, join_words
from analyzers.models.relevant_executions import ExecutionUse
from analyzers.vocabulary import Departure, ExecutionResult, ModelLayer, Violated

LONGEST = 400
BRANCH = "branch"
"""The kind of a location that is no layer, but the line where an export takes one of two paths."""
_NAMES = {
    "eager": "eager torch in float32",
    "onednn-off": "torch without oneDNN",
    "decompositions": "torch's own decompositions",
    "onnxruntime": "ONNX Runtime",
    "onnxruntime-torchscript": "ONNX Runtime (exported with `dynamo=False`)",
    "jit-trace": "`torch.jit.trace`",
    "jit-script": "`torch.jit.script`",
    "export": "`torch.export`",
    "inductor": "`torch.compile`",
    "openvino": "OpenVINO",
    "cuda": "CUDA",
    "bfloat16": "bfloat16",
    "float16": "float16",
    "channels-last": "channels-last memory",
}


def named(execution: str) -> str:
    """Return what an execution is called in a sentence."""
    if execution.startswith("keras-"):
        return f"Keras on {execution.removeprefix('keras-')}"
    return _NAMES.get(execution, execution)


def title(departure: Departure, model: str) -> str:
    """Return what a model does, in a line."""
    layer = departure.layer
    where = f", from `{layer.name}` on" if layer is not None and layer.name else ""
    return f"`{model}` {_does(departure)}{where}"


def advice_title(departure: Departure, model: str) -> str:
    """Return what a small change of a model would meet, in a line."""
    execution = named(departure.execution)
    return f"A slightly modified `{model}` would produce different output with {execution}"


def _does(departure: Departure) -> str:
    execution = named(departure.execution)
    return {
        "divergence": f"gives different output with {execution}",
        "non-finite": f"gives infinite or undefined values with {execution}",
        "crash": f"fails with {execution}, but not without",
        "gradient": f"is trained another way with {execution}",
        "not-compiled": f"is left to eager execution by {execution}",
    }[departure.rule]


def message(
    departure: Departure,
    model: str,
    use: ExecutionUse | None,
    executions: Sequence[str],
    executed: ExecutionResult,
) -> str:
    """Return a paragraph a line: both results, the layer, where the project does so, the input."""
    parts = [
        _changed(departure),
        _results(departure, model),
        _layer(departure),
        _others(departure, executions),
        f"The project does so: {use}." if use is not None and use.line else "",
        _given(departure, executed),
    ]
    return "\n".join(part for part in parts if part)


def _changed(departure: Departure) -> str:
    if not departure.mutations:
        return ""
    changes = join_words([f"`{each}`" for each in departure.mutations])
    return (
        f"The model as it is does not show this; after {changes} it would"
        " (docs/models.md says what each rule changes)."
    )


def _results(departure: Departure, model: str) -> str:
    ending = departure.run.ending
    detail = ending.detail if isinstance(ending, Violated) else ""
    if departure.rule != "divergence" or not departure.expected:
        return f"`{model}`: {_words(detail)}."
    where = (
        f"With {named(departure.execution)} `{model}` gives `{departure.outcome}`, where float64"
        f" gives `{departure.expected}`"
    )
    ratio = departure.error_ratio
    if ratio is None:
        return f"{where}: {_words(detail)}."
    return f"{where}: {_times(ratio)} times the error that eager execution has itself."


def _times(ratio: float) -> str:
    short = float(f"{ratio:.3g}")
    return f"{short:,.0f}" if short >= 100 else f"{short:g}"


def _layer(departure: Departure) -> str:
    layer = departure.layer
    if layer is None:
        return ""
    if layer.kind == BRANCH:
        return f"The branch is at {layer.path}:{layer.line}." if layer.path else ""
    fed = ""
    if departure.low is not None and departure.high is not None:
        fed = f", which is fed values from {departure.low:.4g} to {departure.high:.4g}"
    alone = f" By itself, `{departure.single}` shows the same." if departure.single else ""
    return f"The first layer that departs is {_place(layer)}{fed}.{alone}"


def _place(layer: ModelLayer) -> str:
    where = f" at {layer.path}:{layer.line}" if layer.path else ""
    kind = f" ({layer.kind})" if layer.kind and layer.kind != layer.name else ""
    return f"`{layer.name or layer.kind}`{kind if layer.name else ''}{where}"


def _others(departure: Departure, executions: Sequence[str]) -> str:
    others = [named(each) for each in executions if each != departure.execution]
    return f"It is the same with {join_words(others)}." if others else ""


def _given(departure: Departure, executed: ExecutionResult) -> str:
    parts = [f"`{name} = {recipe}`" for name, recipe in argument_recipes(departure.probe).items()]
    versions = join_words([f"{name} {version}" for name, version in executed.versions])
    given = f"The model is made and called with {join_words(parts)}" if parts else "The model"
    made = f"{given} ({executed.model})" if executed.model else given
    return f"{made}; {versions}." if versions else f"{made}."


def _words(text: str) -> str:
    flat = " ".join(text.split()).rstrip(".")
    return flat if len(flat) <= LONGEST else flat[: LONGEST - 1] + "…"
