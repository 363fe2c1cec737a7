"""What a model does, unit by unit: its layers, and the functions called between them.

A unit is a layer of ``torch.nn`` or a call of a torch function outside of one; what it is fed
is what the run feeds it, so that a run in double precision gives each unit the reference's
inputs.  Nothing is traced: any model that runs can be taped.
"""

from __future__ import annotations

import copy
import functools
import inspect
import os
import sysconfig
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, Callable, Dict, Generator, List, Optional, Tuple, Type

from ..executions.tensor_trees import map_tensors, tensor_leaves
from ..executions.torch_precisions import run_seeded, widened, widening
from ..model_types import LayerLocation, ModelUnderTest

_GUEST = f"{Path(__file__).resolve().parents[2]}{os.sep}"
_LIBRARIES = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
_STANDARD = sysconfig.get_paths()["stdlib"]


def project_line(root: str) -> Tuple[str, int]:
    """The innermost frame of code of the project at ``root``: its path from there, and line.

    Without a root any code that belongs to no library is the project's, and its path is the
    whole one.  ``("", 0)`` where there is none.
    """
    frame: Optional[FrameType] = inspect.currentframe()
    while frame is not None:
        path = frame.f_code.co_filename
        if _is_project(path, root):
            return (os.path.relpath(path, root) if root else path), frame.f_lineno
        frame = frame.f_back
    return "", 0


def _is_project(path: str, root: str) -> bool:
    inside = path.startswith(root.rstrip(os.sep) + os.sep) if root else not path.startswith("<")
    if not inside or path.startswith((_GUEST, _STANDARD)):
        return False
    return not any(each in path for each in _LIBRARIES)


_CONTAINERS = (
    "Sequential ModuleList ModuleDict ParameterList ParameterDict Module Container "
    "Transformer TransformerEncoder TransformerDecoder"
)
_VIEWS = (
    "view reshape permute transpose size detach contiguous expand clone flatten squeeze "
    "unsqueeze chunk split unbind __get__ __getitem__"
)


@dataclass
class ModelUnit:
    """A layer (``function`` is ``None``) or a call of a function, with what it took and gave.

    ``name`` is the layer's in the model, or that of the module which calls the function and
    the function's; ``api`` the full name of the class or function.
    """

    name: str
    api: str
    function: Optional[Callable[..., Any]]
    args: Tuple[Any, ...]
    kwargs: Dict[str, Any]
    output: Any = None
    path: str = ""
    line: int = 0

    @property
    def is_view(self) -> bool:
        """Whether it only looks at its input in another way."""
        return self.function is not None and self.api.rsplit(".", 1)[-1] in _VIEWS.split()

    def place(self, source: str = "") -> LayerLocation:
        """Where it is."""
        return LayerLocation(self.name, self.api.rsplit(".", 1)[-1], self.path, self.line, source)


@dataclass
class Tape:
    """The units of one run; ``inside`` are the modules being called, outermost first."""

    root: str = ""
    units: List[ModelUnit] = field(default_factory=list)
    inside: List[str] = field(default_factory=list)
    layer: Optional[ModelUnit] = None
    keeps: bool = True

    def fed(self, args: Any, kwargs: Any) -> Tuple[Tuple[Any, ...], Dict[str, Any]]:
        """What a unit is fed, as it is before the unit may change it."""
        return (_copied(tuple(args)), _copied(dict(kwargs))) if self.keeps else ((), {})

    def add(self, unit: ModelUnit) -> None:
        """Take a unit that has given its output."""
        if tensor_leaves(unit.output) and not unit.is_view:
            self.units.append(unit)


def record_units(model: ModelUnderTest, root: str = "") -> List[ModelUnit]:
    """The units of a run of a model in double precision; raises what the run raises."""
    module = copy.deepcopy(model.module).double()
    tape = Tape(root)
    given = map_tensors((tuple(model.inputs), dict(model.keywords)), widened)
    with run_seeded(), widening(), recording_units(module, tape):
        module(*given[0], **given[1])
    return tape.units


@contextmanager
def recording_units(module: Any, tape: Tape) -> Generator[None, None, None]:
    """Let a tape take the units of a module's calls."""
    handles = []
    for name, part in module.named_modules():
        entering, leaving = _hooks(tape, name, part)
        handles.append(part.register_forward_pre_hook(entering, with_kwargs=True))
        handles.append(part.register_forward_hook(leaving, with_kwargs=True, always_call=True))
    try:
        with _mode()(tape):
            yield
    finally:
        for handle in handles:
            handle.remove()


def _copied(value: Any) -> Any:
    return map_tensors(value, lambda tensor: tensor.detach().clone())


def is_layer(module: Any) -> bool:
    """Whether a module is one of torch's own that does something itself."""
    kind = type(module)
    return kind.__module__.startswith("torch.nn.") and kind.__name__ not in _CONTAINERS.split()


def _hooks(tape: Tape, name: str, part: Any) -> Tuple[Callable[..., None], Callable[..., None]]:
    if not is_layer(part):
        return _passing(tape, name)

    api = f"torch.nn.{type(part).__name__}"

    def entering(_: Any, args: Any, kwargs: Any) -> None:
        if tape.layer is None:
            path, line = project_line(tape.root)
            tape.layer = ModelUnit(name, api, None, *tape.fed(args, kwargs), path=path, line=line)

    def leaving(_: Any, __: Any, ___: Any, output: Any) -> None:
        if tape.layer is not None and tape.layer.name == name:
            tape.layer.output = _copied(output)
            tape.add(tape.layer)
            tape.layer = None

    return entering, leaving


def _passing(tape: Tape, name: str) -> Tuple[Callable[..., None], Callable[..., None]]:
    """Hooks of a module that is no unit: the functions that it calls are."""

    def entering(*_: Any) -> None:
        tape.inside.append(name)

    def leaving(*_: Any) -> None:
        tape.inside.pop()

    return entering, leaving


@functools.cache
def _mode() -> Type[Any]:
    """The mode's class, made where torch is at hand."""
    import torch
    from torch.overrides import TorchFunctionMode, resolve_name

    class Taping(TorchFunctionMode):  # type: ignore[misc]
        def __init__(self, tape: Tape) -> None:
            super().__init__()
            self.tape = tape

        def __torch_function__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            kwargs, tape = kwargs or {}, self.tape
            if tape.layer is not None or not tensor_leaves((args, kwargs)):
                return func(*args, **kwargs)
            given = tape.fed(args, kwargs)
            result = func(*args, **kwargs)
            output = args[0] if result is None and args else result
            if isinstance(output, (torch.Tensor, tuple, list)):
                api = resolve_name(func) or getattr(func, "__name__", "")
                caller = next((each for each in reversed(tape.inside) if each), "")
                name = ".".join(filter(None, (caller, api.rsplit(".", 1)[-1])))
                path, line = project_line(tape.root)
                unit = ModelUnit(name, api, func, *given, _copied(output), path, line)
                tape.add(unit)
            return result

    return Taping
