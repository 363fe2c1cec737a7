"""OpenVINO on what torch's exporter makes of a model."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Callable

from ..nouns import Model
from .flat import flat
from .onnx_runtime import OnnxRuntime
from .quiet import quiet

_SETTINGS = {
    "INFERENCE_PRECISION_HINT": "f32",
    "INFERENCE_NUM_THREADS": "1",
    "NUM_STREAMS": "1",
}


class OpenVino(OnnxRuntime):
    """OpenVINO's CPU plugin in float32, on the graph that ONNX Runtime gets."""

    name = "openvino"
    _needs = ("openvino", "onnx", "onnxscript")

    def prepared(self, model: Model) -> Callable[..., Any]:
        """The compiled network, on one thread."""
        openvino: Any = import_module("openvino")
        flattened = flat(model)
        with quiet():
            core = openvino.Core()
            network = core.read_model(self.exported(flattened))
            compiled = core.compile_model(network, "CPU", _SETTINGS)

        def call(*inputs: Any, **keywords: Any) -> Any:
            tensors = [tensor.numpy() for tensor in flattened.taken(inputs, keywords)]
            found = compiled(tensors)
            return [found[each] for each in compiled.outputs]

        return call
