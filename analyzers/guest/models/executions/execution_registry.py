"""Every way to run a model that there is."""

from __future__ import annotations

from typing import Dict, Tuple

from ..keras.keras_executions import KERAS
from ..model_types import Execution, ModelUnderTest
from .captured_graphs import Exported, Scripted, Traced
from .onnx_executions import OnnxRuntime, OnnxRuntimeTorchScript, OpenVino
from .torch_executions import (
    BFLOAT16,
    FLOAT16,
    ChannelsLast,
    Cuda,
    Decomposed,
    Float64,
    Inductor,
    OnednnOff,
    TorchExecution,
)

EAGER, FLOAT64 = "eager", "float64"
"""The executions of every model: as its author runs it, and the reference."""

_TORCH: Tuple[Execution, ...] = (
    TorchExecution(),
    Float64(),
    OnednnOff(),
    Decomposed(),
    OnnxRuntime(),
    OnnxRuntimeTorchScript(),
    Traced(),
    Scripted(),
    Exported(),
    Inductor(),
    OpenVino(),
    Cuda(),
    BFLOAT16,
    FLOAT16,
    ChannelsLast(),
)

EXECUTIONS: Dict[str, Execution] = {each.name: each for each in (*_TORCH, *KERAS)}
"""By name.  Those of another framework have its name before theirs: ``keras-jax``."""


def register(*executions: Execution) -> None:
    """Add executions, as those of another framework do."""
    EXECUTIONS.update({each.name: each for each in executions})


def execution_of(name: str, model: ModelUnderTest) -> Execution:
    """Return the execution of a name for a model of its framework; raises ``KeyError``."""
    if model.framework != "torch" and name in (EAGER, FLOAT64):
        return EXECUTIONS[f"{model.framework}-{name}"]
    return EXECUTIONS[name]
