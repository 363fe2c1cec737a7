"""ONNX Runtime on what torch's exporters make of a model."""

from __future__ import annotations

import io
from importlib import import_module
from typing import Any, Callable, List, Optional, Set, Tuple

from ...runtime.framework_setup import is_installed
from ..model_types import ModelUnderTest, Unsupported
from .exporter_output import refusing, silenced, temporary_cache
from .tensor_trees import Flattened, flatten_model
from .torch_executions import EPS32, run_seeded


def missing(*packages: str) -> Optional[str]:
    """Return which of these is not installed; ``None`` where all are."""
    lacking = next((name for name in packages if not is_installed(name)), None)
    return None if lacking is None else f"{lacking} is not installed"


OPSET = 17
_QUIET = 4
_WARM: Set[str] = set()


class OnnxRuntime:
    """ONNX Runtime on the graph of ``torch.onnx.export(dynamo=True)``."""

    name = "onnxruntime"
    eps = EPS32
    framework = "torch"
    foreign = True
    exports = True
    _needs: Tuple[str, ...] = ("onnxruntime", "onnx", "onnxscript")

    def unavailable(self) -> Optional[str]:
        """Return what is not installed."""
        return missing(*self._needs)

    def prepared(self, model: ModelUnderTest) -> Callable[..., Any]:
        """Return a session on the exported graph, on one thread."""
        flattened = flatten_model(model)
        graph = self.exported(flattened)
        with silenced(), refusing():
            made = session(graph)
        names = [each.name for each in made.get_inputs()]

        def call(*inputs: Any, **keywords: Any) -> Any:
            tensors = flattened.taken(inputs, keywords)
            feed = dict(zip(_names(tensors), tensors))
            return made.run(None, {name: feed[name].numpy() for name in names})

        return call

    def exported(self, flattened: Flattened) -> bytes:
        """Return the exported model; raises :class:`Unsupported` where the exporter refuses."""
        with silenced(), run_seeded(), refusing(), temporary_cache():
            return self._exported(flattened.module, flattened.tensors)

    def warm(self) -> None:
        """Load what it needs, and let the exporter fill its tables: once for all models."""
        if self.name not in _WARM:
            _WARM.add(self.name)
            import torch

            for name in self._needs:
                import_module(name)
            self.exported(
                flatten_model(ModelUnderTest(torch.nn.Identity().eval(), (torch.zeros(1),)))
            )

    def _exported(self, module: Any, tensors: Tuple[Any, ...]) -> bytes:
        import torch

        program = torch.onnx.export(
            module, tensors, dynamo=True, verbose=False, input_names=_names(tensors)
        )
        if program is None:
            raise Unsupported("the exporter gives nothing")
        return bytes(program.model_proto.SerializeToString())


class OnnxRuntimeTorchScript(OnnxRuntime):
    """ONNX Runtime on the graph of ``torch.onnx.export(dynamo=False)``."""

    name = "onnxruntime-torchscript"
    _needs = ("onnxruntime", "onnx")

    def _exported(self, module: Any, tensors: Tuple[Any, ...]) -> bytes:
        import torch

        file: Any = io.BytesIO()
        torch.onnx.export(
            module,
            tensors,
            file,
            dynamo=False,
            input_names=_names(tensors),
            opset_version=OPSET,
            do_constant_folding=False,
        )
        return bytes(file.getvalue())


def session(graph: bytes) -> Any:
    """Return a session of ONNX Runtime on the CPU, on one thread, that logs nothing."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = _QUIET
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])


def _names(tensors: Tuple[Any, ...]) -> List[str]:
    return [f"tensor_{number}" for number in range(len(tensors))]


_SETTINGS = {
    "INFERENCE_PRECISION_HINT": "f32",
    "INFERENCE_NUM_THREADS": "1",
    "NUM_STREAMS": "1",
}


class OpenVino(OnnxRuntime):
    """OpenVINO's CPU plugin in float32, on the graph that ONNX Runtime gets."""

    name = "openvino"
    _needs = ("openvino", "onnx", "onnxscript")

    def prepared(self, model: ModelUnderTest) -> Callable[..., Any]:
        """Return the compiled network, on one thread."""
        openvino: Any = import_module("openvino")
        flattened = flatten_model(model)
        with silenced():
            core = openvino.Core()
            network = core.read_model(self.exported(flattened))
            compiled = core.compile_model(network, "CPU", _SETTINGS)

        def call(*inputs: Any, **keywords: Any) -> Any:
            tensors = [tensor.numpy() for tensor in flattened.taken(inputs, keywords)]
            found = compiled(tensors)
            return [found[each] for each in compiled.outputs]

        return call
