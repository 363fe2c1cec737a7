"""Executions of torch models: eager, float64, other kernels, precisions and devices, inductor."""

from __future__ import annotations

import copy
import functools
import shutil
from contextlib import contextmanager, nullcontext
from importlib import import_module
from typing import Any, Callable, ContextManager, Generator, Optional, Type

from ...runtime.framework_setup import decomposition_mode
from ..model_types import ModelUnderTest, Uncompiled, Unsupported
from .exporter_output import silenced, temporary_cache
from .tensor_trees import copy_tensors, map_tensors, tensor_leaves

EPS32 = 2.0**-23
EPS64 = 2.0**-52


class TorchExecution:
    """A way to run a torch model in this process: eager, unless a subclass changes something."""

    name = "eager"
    eps = EPS32
    framework = "torch"
    foreign = False

    def unavailable(self) -> Optional[str]:
        """Return why this execution is unavailable; ``None`` where it is not."""
        return None

    def module(self, model: ModelUnderTest) -> Any:
        """Return the module to run: the model's own, or a changed copy."""
        return model.module

    def tensor(self, tensor: Any) -> Any:
        """Return a tensor of the arguments as the module takes it."""
        return tensor

    def running(self) -> ContextManager[Any]:
        """Return the context of each call."""
        return nullcontext()

    def prepared(self, model: ModelUnderTest) -> Callable[..., Any]:
        """Return the model as a function of its arguments."""
        run = run_without_gradients(self.module(model))

        def call(*inputs: Any, **keywords: Any) -> Any:
            with self.running():
                return run(*map_tensors(inputs, self.tensor), **map_tensors(keywords, self.tensor))

        return call


def run_without_gradients(module: Any, seed: int = 0) -> Callable[..., Any]:
    """Return a module's call without gradients, on copies of the tensors that it is given."""

    def call(*inputs: Any, **keywords: Any) -> Any:
        with run_seeded(seed):
            return module(*copy_tensors(inputs), **copy_tensors(keywords))

    return call


@contextmanager
def run_seeded(seed: int = 0) -> Generator[None, None, None]:
    """Run without gradients and with the same random numbers at each call."""
    import torch

    state = torch.random.get_rng_state()
    torch.default_generator.manual_seed(seed)
    try:
        with torch.no_grad():
            yield
    finally:
        torch.random.set_rng_state(state)


class Float64(TorchExecution):
    """Parameters, inputs and every ``float32`` that the model itself asks for in float64."""

    name = "float64"
    eps = EPS64

    def module(self, model: ModelUnderTest) -> Any:
        """Return a copy in double precision."""
        return copy.deepcopy(model.module).double()

    def tensor(self, tensor: Any) -> Any:
        """Return a copy in double precision."""
        return widened(tensor)

    def running(self) -> ContextManager[Any]:
        """Make float64 the default."""
        return widening()


def widened(tensor: Any) -> Any:
    """Return a copy of a tensor in double precision; integers stay as they are."""
    import torch

    if tensor.is_complex():
        return tensor.detach().to(torch.complex128, copy=True)
    return tensor.detach().double() if tensor.is_floating_point() else tensor.detach().clone()


@contextmanager
def widening() -> Generator[None, None, None]:
    """Make float64 of each float32 that is asked for inside."""
    import torch

    default = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with _mode()():
            yield
    finally:
        torch.set_default_dtype(default)


@functools.cache
def _mode() -> Type[Any]:
    import torch
    from torch.overrides import TorchFunctionMode

    wider = {torch.float32: torch.float64, torch.complex64: torch.complex128}
    float_, type_ = torch.Tensor.float, torch.Tensor.type

    def of(value: Any) -> Any:
        return wider.get(value, value) if isinstance(value, torch.dtype) else value

    class Widening(TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            if func is float_:
                return args[0].double()
            if func is type_ and args[1:] in (("torch.FloatTensor",), (torch.FloatTensor,)):
                return args[0].double()
            changed = {name: of(value) for name, value in (kwargs or {}).items()}
            return func(*map(of, args), **changed)

    return Widening


def _device() -> str:
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def _no_gpu() -> Optional[str]:
    import torch

    return None if torch.cuda.is_available() else "no GPU is here"


class LowPrecision(TorchExecution):
    """The model and its inputs in ``bfloat16`` or ``float16``: ``model.half()``.

    It runs on the GPU where there is one, else on the processor, whose kernels for these
    dtypes round as those of GPUs do; a model that needs a kernel which torch lacks there
    is left out.
    """

    def __init__(self, name: str, eps: float) -> None:
        self.name = name
        self.eps = eps

    def module(self, model: ModelUnderTest) -> Any:
        """Return a copy in the dtype."""
        import torch

        return copy.deepcopy(model.module).to(_device(), getattr(torch, self.name))

    def tensor(self, tensor: Any) -> Any:
        """Return the tensor, in the dtype where it is floating."""
        import torch

        narrow = tensor.is_floating_point()
        return tensor.to(_device(), getattr(torch, self.name) if narrow else tensor.dtype)

    @contextmanager
    def running(self) -> Generator[None, None, None]:
        """Leave out what has no kernel for the dtype."""
        try:
            yield
        except RuntimeError as error:
            if "not implemented for" in str(error) or "not supported" in str(error):
                raise Unsupported(str(error)) from error
            raise


BFLOAT16 = LowPrecision("bfloat16", 2.0**-7)
FLOAT16 = LowPrecision("float16", 2.0**-10)

_IMAGES = 4


class ChannelsLast(TorchExecution):
    """The model with its images and weights in ``torch.channels_last``."""

    name = "channels-last"

    def module(self, model: ModelUnderTest) -> Any:
        """Return a copy in that format; raises :class:`Unsupported` without images."""
        if not any(each.dim() == _IMAGES for each in tensor_leaves((model.inputs, model.keywords))):
            raise Unsupported("it takes no images")
        module = copy.deepcopy(model.module)
        for weight in (*module.parameters(), *module.buffers()):
            weight.data = self.tensor(weight.data)
        return module

    def tensor(self, tensor: Any) -> Any:
        """Return an image in that format."""
        import torch

        images = tensor.dim() == _IMAGES
        return tensor.contiguous(memory_format=torch.channels_last) if images else tensor


class OnednnOff(TorchExecution):
    """The model with oneDNN switched off."""

    name = "onednn-off"

    def unavailable(self) -> Optional[str]:
        """Return that this torch was built without oneDNN, if so."""
        import torch

        return None if torch.backends.mkldnn.is_available() else "torch was built without oneDNN"

    @contextmanager
    def running(self) -> Generator[None, None, None]:
        """Switch oneDNN off alone: ``torch.backends.mkldnn.flags`` also sets TF32, and warns."""
        switches: Any = import_module("torch._C")
        before = switches._get_mkldnn_enabled()
        switches._set_mkldnn_enabled(False)
        try:
            yield
        finally:
            switches._set_mkldnn_enabled(before)


class Decomposed(TorchExecution):
    """The model with every operator that has one replaced by its decomposition."""

    name = "decompositions"

    def running(self) -> ContextManager[Any]:
        """Return the mode that decomposes operators."""
        mode: ContextManager[Any] = decomposition_mode()()
        return mode


class Cuda(TorchExecution):
    """The model on the GPU in float32, without the shorter floats of its tensor cores."""

    name = "cuda"

    def unavailable(self) -> Optional[str]:
        """Return that there is no GPU, if so."""
        return _no_gpu()

    def module(self, model: ModelUnderTest) -> Any:
        """Return a copy on the GPU."""
        return copy.deepcopy(model.module).cuda()

    def tensor(self, tensor: Any) -> Any:
        """Return the tensor on the GPU."""
        return tensor.cuda()

    def running(self) -> ContextManager[Any]:
        """Return the context without TF32."""
        import torch

        flags: ContextManager[Any] = torch.backends.cudnn.flags(enabled=True, allow_tf32=False)
        return flags


_COMPILERS = ("g++", "clang++", "c++")
_ABOUT = "Developer debug context:"
_LONGEST = 800


class Inductor(TorchExecution):
    """``torch.compile`` of the model; raises :class:`Uncompiled` for what is left to eager."""

    name = "inductor"
    foreign = True
    seconds = 180.0

    def unavailable(self) -> Optional[str]:
        """Return the C++ compiler that it needs, where there is none."""
        found = any(shutil.which(name) for name in _COMPILERS)
        return None if found else "no C++ compiler is installed"

    def prepared(self, model: ModelUnderTest) -> Callable[..., Any]:
        """Return the compiled model, having run once."""
        import torch
        import torch._dynamo as dynamo
        from torch._dynamo.utils import counters
        from torch._inductor import config

        dynamo.reset()
        counters.clear()
        run = run_without_gradients(torch.compile(model.module))
        with (
            silenced(),
            temporary_cache(),
            config.patch(compile_threads=1, force_disable_caches=True),
        ):
            run(*model.inputs, **model.keywords)
        left = left_to_eager(counters)
        if left:
            raise Uncompiled(left)

        def call(*inputs: Any, **keywords: Any) -> Any:
            with silenced(), temporary_cache():
                return run(*inputs, **keywords)

        return call


def left_to_eager(counters: Any) -> Optional[str]:
    """Return what Dynamo's counters say was not compiled; ``None`` where all was."""
    frames = counters["frames"]
    skipped = frames["total"] - frames["ok"]
    if not counters["stats"]["unique_graphs"]:
        found = ["nothing was compiled: all of it runs eagerly"]
    elif counters["graph_break"] or counters["resumes"] or skipped > 0:
        found = [f"a part runs eagerly ({counters['stats']['unique_graphs']} graphs compiled)"]
    else:
        return None
    for reason in (*counters["graph_break"], *counters["unimplemented"]):
        if _graph_break_reason(reason) not in found:
            found.append(_graph_break_reason(reason))
    return "; ".join(found)[:_LONGEST]


def _graph_break_reason(reason: Any) -> str:
    lines = [line.strip() for line in str(reason).splitlines() if line.strip()]
    about = [line[len(_ABOUT) :].strip() for line in lines if line.startswith(_ABOUT)]
    return " ".join([*lines[:1], *(f"({each})" for each in about[:1] if each)])
