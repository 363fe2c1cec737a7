"""Programs that torch makes of a model and runs itself: traces, scripts, exported programs."""

from __future__ import annotations

from typing import Any, Callable

from ..model_types import ModelUnderTest, Unsupported
from .exporter_output import error_summary, refusing, silenced, temporary_cache
from .tensor_trees import Flattened, flatten_model
from .torch_executions import TorchExecution, run_seeded, run_without_gradients


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


class Scripted(TorchExecution):
    """The program of ``torch.jit.script``, which keeps branches and has a language of its own."""

    name = "jit-script"

    def prepared(self, model: ModelUnderTest) -> Callable[..., Any]:
        """Return the compiled model; raises :class:`Unsupported` for what does not compile."""
        import torch

        with silenced():
            try:
                run = run_without_gradients(torch.jit.script(model.module))
            except Exception as error:
                raise Unsupported(error_summary(error)) from error

        def call(*inputs: Any, **keywords: Any) -> Any:
            with silenced():
                return run(*inputs, **keywords)

        return call
