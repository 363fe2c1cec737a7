"""ONNX Runtime on what torch's exporters make of a model."""

from __future__ import annotations

import io
from importlib import import_module
from typing import Any, Callable, Optional, Tuple

from ..nouns import Model, Unsupported
from .eager import EPS32, seeded
from .flat import flat, tensors_of
from .installed import missing
from .quiet import quiet
from .refusals import refusing

OPSET = 17
_QUIET = 4


class OnnxRuntime:
    """ONNX Runtime on the graph of ``torch.onnx.export(dynamo=True)``."""

    name = "onnxruntime"
    eps = EPS32
    framework = "torch"
    foreign = True
    _needs: Tuple[str, ...] = ("onnxruntime", "onnx", "onnxscript")

    def unavailable(self) -> Optional[str]:
        """What is not installed."""
        return missing(*self._needs)

    def prepared(self, model: Model) -> Callable[..., Any]:
        """A session on the exported graph, on one thread."""
        graph = self.exported(model)
        with quiet(), refusing():
            return running(session(graph))

    def exported(self, model: Model) -> bytes:
        """The model as ONNX says it; raises :class:`Unsupported` where the exporter refuses."""
        with quiet(), seeded(), refusing():
            module, tensors = flat(model)
            return self._exported(module, tensors)

    def warm(self) -> None:
        """Load what it needs, once for all models."""
        with quiet():
            for name in ("torch.onnx", *self._needs):
                import_module(name)

    def _exported(self, module: Any, tensors: Tuple[Any, ...]) -> bytes:
        import torch

        program = torch.onnx.export(module, tensors, dynamo=True, verbose=False)
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
            module, tensors, file, dynamo=False, opset_version=OPSET, do_constant_folding=False
        )
        return bytes(file.getvalue())


def session(graph: bytes) -> Any:
    """A session of ONNX Runtime on the CPU, on one thread, that logs nothing."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = _QUIET
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])


def running(made: Any) -> Callable[..., Any]:
    """A session as a function of the model's inputs; inputs that the graph dropped are left out."""
    names = [each.name for each in made.get_inputs()]

    def call(*inputs: Any, **keywords: Any) -> Any:
        tensors = tensors_of(inputs, keywords)
        feed = {name: tensor.numpy() for name, tensor in zip(names, tensors)}
        return made.run(None, feed)

    return call
