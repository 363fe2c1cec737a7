"""Graphs that torch captures of a model and runs itself: traces, and exported programs."""

from __future__ import annotations

from typing import Any, Callable

from ..model_types import ModelUnderTest
from .exporter_output import refusing, silenced, temporary_cache
from .tensor_trees import Flattened, flatten_model
from .torch_executions import TorchExecution, run_seeded


class Traced(TorchExecution):
    """The graph of ``torch.jit.trace``, of the operators that one input met."""

    name = "jit-trace"
    exports = True

    def prepared(self, model: ModelUnderTest) -> Callable[..., Any]:
        """Return the graph as a function of the model's arguments."""
        flattened = flatten_model(model)
        with silenced(), run_seeded(), refusing(), temporary_cache():
            graph = self._captured(flattened)

        def call(*inputs: Any, **keywords: Any) -> Any:
            tensors = flattened.taken(inputs, keywords)
            with silenced(), run_seeded():
                return graph(*(each.clone() for each in tensors))

        return call

    def _captured(self, flattened: Flattened) -> Any:
        import torch

        graph: Any = torch.jit.trace(flattened.module, flattened.tensors, check_trace=False)
        return graph


class Exported(Traced):
    """The program of ``torch.export.export``, which refuses what data decides."""

    name = "export"

    def _captured(self, flattened: Flattened) -> Any:
        import torch

        program: Any = torch.export.export(flattened.module, flattened.tensors)
        return program.module()
