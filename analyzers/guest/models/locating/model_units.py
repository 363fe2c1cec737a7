"""A model that gives what its units give, one after another: one export shows them all."""

from __future__ import annotations

import copy
import functools
import inspect
import math
import os
import sysconfig
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain, repeat
from pathlib import Path
from types import FrameType
from typing import Any, Callable, Dict, Generator, List, Optional, Sequence, Tuple, Type

from ..executions.execution_registry import EAGER, EXECUTIONS, FLOAT64, execution_of
from ..executions.tensor_trees import as_numpy, copy_tensors, map_tensors, tensor_leaves
from ..executions.torch_executions import run_seeded, widened, widening
from ..judging.error_measures import Noise, departs_by, error, scale, unit, worst
from ..judging.execution_oracles import departs, judge
from ..judging.isolated_runs import run_in_process, run_isolated
from ..model_types import (
    RATIO,
    ExecutionOutcome,
    ExecutionOutcomes,
    ExecutionVerdict,
    LayerLocation,
    ModelUnderTest,
)

_GUEST = f"{Path(__file__).resolve().parents[2]}{os.sep}"
_LIBRARIES = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
_STANDARD = sysconfig.get_paths()["stdlib"]


def project_line(root: str) -> Tuple[str, int]:
    """Return path and line of the innermost frame of the project's code, or ``("", 0)``."""
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
        """Return whether it only looks at its input in another way."""
        return self.function is not None and self.api.rsplit(".", 1)[-1] in _VIEWS.split()

    def place(self, source: str = "") -> LayerLocation:
        """Return where it is."""
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
        """Return what a unit is fed, as it is before the unit may change it."""
        return (copy_tensors(tuple(args)), copy_tensors(dict(kwargs))) if self.keeps else ((), {})

    def add(self, unit: ModelUnit) -> None:
        """Take a unit that has given its output."""
        if tensor_leaves(unit.output) and not unit.is_view:
            self.units.append(unit)


def record_units(model: ModelUnderTest, root: str = "") -> List[ModelUnit]:
    """Return the units of a run of a model in double precision; raises what the run raises."""
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


def is_layer(module: Any) -> bool:
    """Return whether a module is one of torch's own that does something itself."""
    kind = type(module)
    return kind.__module__.startswith("torch.nn.") and kind.__name__ not in _CONTAINERS.split()


def _hooks(tape: Tape, name: str, part: Any) -> Tuple[Callable[..., None], Callable[..., None]]:
    if not is_layer(part):  # no unit: the functions that it calls are

        def passed(*_: Any) -> None:
            tape.inside.pop()

        return lambda *_: tape.inside.append(name), passed
    api = f"torch.nn.{type(part).__name__}"

    def entering(_: Any, args: Any, kwargs: Any) -> None:
        if tape.layer is None:
            path, line = project_line(tape.root)
            tape.layer = ModelUnit(name, api, None, *tape.fed(args, kwargs), path=path, line=line)

    def leaving(_: Any, __: Any, ___: Any, output: Any) -> None:
        if tape.layer is not None and tape.layer.name == name:
            tape.layer.output = copy_tensors(output)
            tape.add(tape.layer)
            tape.layer = None

    return entering, leaving


@functools.cache
def _mode() -> Type[Any]:
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
                unit = ModelUnit(name, api, func, *given, copy_tensors(output), path, line)
                tape.add(unit)
            return result

    return Taping


_WITNESSES = ("onednn-off", "decompositions")
SECONDS = 60.0
_NEAR = (RATIO - 2.0) * 2.0**-23


def unit_model(model: ModelUnderTest, unit: ModelUnit) -> ModelUnderTest:
    """Return the layer or function that a unit is, fed what it was fed, in single precision."""
    module = model.module.get_submodule(unit.name) if unit.function is None else None
    made = _applied()(unit.function) if module is None else module
    given = map_tensors((unit.args, dict(unit.kwargs)), narrowed)
    return ModelUnderTest(made, tuple(given[0]), given[1])


def narrowed(tensor: Any) -> Any:
    """Return a tensor in single precision; integers stay as they are."""
    import torch

    if tensor.is_complex():
        return tensor.to(torch.complex64)
    return tensor.float() if tensor.is_floating_point() else tensor


def verdict_of(model: ModelUnderTest, execution: str) -> Optional[ExecutionVerdict]:
    """Return the oracles' verdict on an execution, guarded where it must be."""
    return _verdict(model, execution, outcomes_of(model, execution))


def _verdict(
    model: ModelUnderTest, execution: str, outcomes: ExecutionOutcomes
) -> Optional[ExecutionVerdict]:
    found = judge(model, outcomes, RATIO)
    return next((each for each in found if each.execution == execution), None)


def compared(
    model: ModelUnderTest, execution: str, expected: Any
) -> Tuple[Optional[ExecutionVerdict], Optional[float]]:
    """Return the oracles' verdict on an execution, and its error ratio, infinite for no number.

    ``expected`` is what double precision gives: none is run where the execution gives what
    eager gives, but for one of ``RATIO`` roundings.
    """
    near = _near_eager(model, execution)
    if near is not None:
        return None, _ratio(model, execution, {**near, FLOAT64: _returned(expected)})
    outcomes = outcomes_of(model, execution)
    verdict = _verdict(model, execution, outcomes)
    if verdict is None:
        return None, _ratio(model, execution, outcomes)
    return verdict, math.inf if verdict.error_ratio is None else verdict.error_ratio


def _ratio(model: ModelUnderTest, execution: str, outcomes: ExecutionOutcomes) -> Optional[float]:
    found = worst(execution, outcomes[execution], outcomes)
    if found is not None and found.ratio >= RATIO:
        floor = Noise(model, outcomes[FLOAT64]).floor(unit(execution))
        found = worst(execution, outcomes[execution], outcomes, floor)
    return None if found is None else found.ratio


def _near_eager(model: ModelUnderTest, execution: str) -> Optional[ExecutionOutcomes]:
    if execution == EAGER or is_foreign(execution):
        return None
    try:
        found = {name: _outcome(model, name) for name in (EAGER, execution)}
    except Exception:
        return None
    one, other = (each.outputs for each in found.values())
    return found if len(one) == len(other) and all(map(_is_near, one, other)) else None


def _outcome(model: ModelUnderTest, execution: str) -> ExecutionOutcome:
    run = execution_of(execution, model).prepared(model)
    return _returned(run(*model.inputs, **model.keywords))


def _returned(output: Any) -> ExecutionOutcome:
    return ExecutionOutcome(RETURNED, tuple(as_numpy(each) for each in tensor_leaves(output)))


def _is_near(one: Any, other: Any) -> bool:
    import numpy

    if one.shape != other.shape or one.dtype.kind != "f" or not numpy.isfinite(one).all():
        return numpy.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    return bool(numpy.isfinite(other).all()) and error(other, one) < _NEAR * scale(one)


def outcomes_of(model: ModelUnderTest, execution: str) -> ExecutionOutcomes:
    """Return what an execution comes to beside the reference and eager."""
    if is_foreign(execution):
        return run_isolated(model, [execution], SECONDS)
    return run_in_process(model, [execution, *(_WITNESSES if execution == EAGER else ())])


def is_foreign(execution: str) -> bool:
    """Return whether an execution exports or compiles, which takes seconds for each model."""
    return bool(getattr(EXECUTIONS.get(execution), "foreign", False))


def bounds(unit: ModelUnit) -> Tuple[Optional[float], Optional[float]]:
    """Return the least and greatest finite number that a unit is fed."""
    found: List[Any] = [each for each in tensor_leaves((unit.args, unit.kwargs)) if each.numel()]
    finite: Sequence[Any] = [each[each.isfinite()] for each in found if each.is_floating_point()]
    finite = [each for each in finite if each.numel()]
    if not finite:
        return None, None
    return min(float(each.min()) for each in finite), max(float(each.max()) for each in finite)


@functools.cache
def _applied() -> Type[Any]:
    import torch

    class Applied(torch.nn.Module):  # type: ignore[misc]
        def __init__(self, function: Any) -> None:
            super().__init__()
            self.function = function
            self.train(False)

        def forward(self, *args: Any, **kwargs: Any) -> Any:
            found = self.function(*args, **kwargs)
            return args[0] if found is None else found

    return Applied


RETURNED = "returned"


def with_unit_outputs(
    model: ModelUnderTest, names: Sequence[str] = (), only: Optional[int] = None
) -> ModelUnderTest:
    """Return the model that gives the outputs of the named units in order, or of one."""
    made = _class()(model.module, tuple(names), only)
    return ModelUnderTest(made, model.inputs, model.keywords, model.framework)


def errors_of_units(model: ModelUnderTest, execution: str) -> Dict[int, float]:
    """Return the error ratios of units up to the first whose output departs; empty for none.

    They are of a run of the whole, else of halved prefixes, which are not of all units.
    """
    probe = with_unit_outputs(model)
    run_in_process(probe, [])
    names, counts = probe.module.ran, probe.module.sizes
    if not counts:
        return {}
    departs_there, ratios = _up_to_first(with_unit_outputs(model, names), execution)
    if departs_there:
        return _by_unit(counts, ratios)
    return _halved(model, execution, names) if is_foreign(execution) else {}


def _halved(model: ModelUnderTest, execution: str, names: Sequence[str]) -> Dict[int, float]:
    low, high, middle = 0, len(names) - 1, len(names) - 1
    found: Dict[int, float] = {}
    while low < high or middle not in found:
        departs_there, ratios = _up_to_first(with_unit_outputs(model, names, middle), execution)
        found[middle] = max(ratios, default=0.0)
        if departs_there:
            high = middle
        elif middle == len(names) - 1:
            return {}
        else:
            low = middle + 1
        middle = (low + high) // 2
    return {place: ratio for place, ratio in found.items() if place <= low}


def _aligned(units: List[ModelUnit], names: Sequence[str]) -> List[ModelUnit]:
    if not names:
        return units
    left, found = list(reversed(names)), []
    for each in units:
        if left and left[-1] == each.name:
            left.pop()
            found.append(each)
    return found


def _by_unit(counts: Tuple[int, ...], ratios: Sequence[float]) -> Dict[int, float]:
    """Return the largest ratio of each unit's outputs; empty for more ratios than outputs."""
    if len(ratios) > sum(counts):
        return {}
    owners = chain.from_iterable(repeat(index, count) for index, count in enumerate(counts))
    found: Dict[int, float] = {}
    for owner, ratio in zip(owners, ratios):
        found[owner] = max(ratio, found.get(owner, 0.0))
    return found


def _up_to_first(model: ModelUnderTest, execution: str) -> Tuple[bool, List[float]]:
    """Return whether an output departs, and the error ratios of the outputs up to the first."""
    found, ratios = outcomes_of(model, execution), []
    if any(found[name].status != RETURNED for name in (EAGER, FLOAT64, execution)):
        return False, []
    lengths = {len(found[name].outputs) for name in (EAGER, FLOAT64, execution)}
    if len(lengths) != 1:
        return False, []
    floors = Noise(model, found[FLOAT64]).floor(unit(execution))
    for index, floor in enumerate(floors):
        ratio = departs_by(execution, index, floor, found)
        odd = ratio < RATIO and departs(execution, model, index, found)
        ratios.append(math.inf if odd else ratio)
        if ratios[-1] >= RATIO:
            return True, ratios
    return False, ratios


@functools.cache
def _class() -> Type[Any]:
    import torch

    class Tapped(torch.nn.Module):  # type: ignore[misc]
        def __init__(self, module: Any, names: Tuple[str, ...], only: Optional[int]) -> None:
            super().__init__()
            self.module = module
            self.names = names
            self.only = only
            self.ran: Tuple[str, ...] = ()
            self.sizes: Tuple[int, ...] = ()
            self.train(False)

        def forward(self, *inputs: Any, **keywords: Any) -> Any:
            tape = Tape(keeps=False)
            with recording_units(self.module, tape):
                self.module(*inputs, **keywords)
            units = _aligned(tape.units, self.names)
            self.ran = tuple(each.name for each in units)
            found = [tuple(tensor_leaves(each.output)) for each in units]
            self.sizes = tuple(len(each) for each in found)
            chosen = found if self.only is None else found[self.only : self.only + 1]
            return tuple(tensor for each in chosen for tensor in each)

    return Tapped
