"""Runs one assembled file: loads it, makes the probe's call, trains a step."""

from __future__ import annotations

import functools
import sys
import time
import types
from collections import deque
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import (
    Any,
    Callable,
    ContextManager,
    Deque,
    Dict,
    Generator,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Set,
)

from ..protocol import api_calls
from ..protocol.argument_decoding import Unusable, evaluate_recipe
from ..runtime import execution, framework_setup, name_lookup, standins
from ..runtime.execution import PreparedTarget
from . import training_stages
from .training_stages import BACKWARD, BUILD, FORWARD, LOAD, STEP, State

_MAIN = "__main__"


class VariantModule:
    """The file of a prepared target, in whose module's place variants run for a while."""

    def __init__(self, prepared: PreparedTarget) -> None:
        self._prepared = prepared
        self.file = str(Path(prepared.root, prepared.path))
        self._own: Mapping[str, Any] = prepared.namespace

    @contextmanager
    def module(self, *, script: bool) -> Generator[types.ModuleType, None, None]:
        """Yield a module in the place of the file's own, or in that of ``__main__``."""
        name = _MAIN if script else str(self._own.get("__name__") or "_variant")
        made = types.ModuleType(name)
        made.__file__ = self.file
        made.__package__ = self._own.get("__package__") or name.rpartition(".")[0]
        if not script:
            made.__spec__ = self._own.get("__spec__")
        known = sys.modules.get(name)
        sys.modules[name] = made
        try:
            yield made
        finally:
            if known is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = known

    def load(self, text: str, module: types.ModuleType) -> None:
        """Run a text as that module; raises what it raises."""
        code = compile(text, self.file, "exec", dont_inherit=True)
        exec(code, vars(module))

    def target(self, module: types.ModuleType) -> PreparedTarget:
        """Return the target as that module has it; raises ``Unfound``."""
        own = self._prepared
        function, owner = name_lookup.find(vars(module), own.name, self.file)
        return replace(
            own,
            function=name_lookup.callable_of(function, owner),
            method=name_lookup.method_of(function, owner),
            guarded=None,
            namespace=vars(module),
        )


LEARNING_RATE = 0.01
_MOST = 1_000
Stage = Callable[[str], None]


def tensors(value: Any) -> List[Any]:
    """Return the floating-point tensors in a nesting of containers and objects."""
    import torch

    found: List[Any] = []
    waiting: Deque[Any] = deque([value])
    seen = 0
    while waiting and seen < _MOST:
        seen += 1
        each = waiting.popleft()
        if isinstance(each, torch.Tensor):
            if each.is_floating_point() or each.is_complex():
                found.append(each)
        else:
            waiting.extend(_inside(each))
    return found


def _inside(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, (list, tuple)):
        yield from value
    elif hasattr(value, "__dict__") and hasattr(value, "keys") and hasattr(value, "values"):
        yield from value.values()


def module_of(function: Any, result: Any) -> Any:
    """Return the module of a call: that whose method is called, or that which is returned."""
    import torch

    own = getattr(function, "__self__", None)
    return next((each for each in (own, result) if isinstance(each, torch.nn.Module)), None)


def all_finite(values: Sequence[Any]) -> bool:
    """Return whether tensors have neither NaN nor infinity."""
    import torch

    return all(bool(torch.isfinite(value).all()) for value in values)


def trained(module: Any, result: Any, stage: Stage) -> bool:
    """Derive the sum of a result and make one SGD step; return whether all of it is finite."""
    import torch

    outputs = [each for each in tensors(result) if each.requires_grad]
    if not outputs:
        return True
    stage(BACKWARD)
    sums = [each.sum() for each in outputs]
    loss = sums[0] if len(sums) == 1 else torch.stack([each.real for each in sums]).sum()
    (loss.real if loss.is_complex() else loss).backward()
    parameters = [each for each in module.parameters() if each.grad is not None] if module else []
    if not parameters:
        return True
    stage(STEP)
    with torch.no_grad():
        gradients = [each.grad for each in parameters]
        for each in parameters:
            each.add_(each.grad, alpha=-LEARNING_RATE)
        whole = torch.stack([gradient.sum() for gradient in gradients])
        return all_finite([whole]) or all_finite(gradients)


@contextmanager
def note_built_layers(found: Set[str]) -> Generator[None, None, None]:
    """Note the public names of the layers that are built inside."""
    torch = sys.modules.get("torch")
    if torch is None:
        yield
        return
    kinds: Set[type] = set()
    module = torch.nn.Module
    plain = module.__init__

    @functools.wraps(plain)
    def noting(self: Any, *given: Any, **more: Any) -> None:
        kinds.add(type(self))
        plain(self, *given, **more)

    module.__init__ = noting
    try:
        yield
    finally:
        module.__init__ = plain
        layers = _layers()
        found.update(layers[kind] for kind in kinds if kind in layers)


def note_called_functions(found: Set[str]) -> ContextManager[Any]:
    """Note the public names of the functions of ``torch.nn`` that are called inside."""
    if "torch" not in sys.modules:
        return nullcontext()
    mode: ContextManager[Any] = _mode_class()(_functions(), found)
    return mode


@functools.cache
def _mode_class() -> Any:
    from torch.overrides import TorchFunctionMode

    class Noting(TorchFunctionMode):  # type: ignore[misc]
        def __init__(self, names: Dict[Any, str], found: Set[str]) -> None:
            super().__init__()
            self._names = names
            self._found = found

        def __torch_function__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            del types
            name = self._names.get(func)
            if name is not None:
                self._found.add(name)
            return func(*args, **kwargs) if kwargs else func(*args)

    return Noting


@functools.cache
def _layers() -> Dict[type, str]:
    import torch

    return {
        kind: f"torch.nn.{name}"
        for name, kind in vars(torch.nn).items()
        if isinstance(kind, type) and issubclass(kind, torch.nn.Module)
    }


@functools.cache
def _functions() -> Dict[Callable[..., Any], str]:
    import torch

    return {
        each: f"torch.nn.functional.{name}"
        for name, each in vars(torch.nn.functional).items()
        if callable(each) and not name.startswith("_") and not isinstance(each, type)
    }


_TENSOR = "tensor("


class VariantRunner:
    """Runs texts in a file's place, calling ``probe`` if given; ``train`` derives and steps."""

    def __init__(
        self, prepared: PreparedTarget, probe: Optional[Mapping[str, Any]], *, train: bool
    ) -> None:
        self._place = VariantModule(prepared)
        self._probe = probe
        self._train = train
        self._made: Dict[str, Any] = {}

    def run(self, text: str, told: Stage) -> State:
        """Return the state that a text comes to; ``told`` hears each stage when it begins."""
        now = LOAD

        def stage(name: str) -> None:
            nonlocal now
            now = name
            told(name)

        stage(LOAD)
        framework_setup.seed()
        standins.forget()
        api_calls.set_supplier(api_calls.EmptyAnswers())
        began = time.perf_counter()
        apis: Set[str] = set()
        with note_built_layers(apis):
            try:
                found = self._tried(text, stage, apis)
            except Unusable as unusable:
                found = _unmade(unusable, now, self._place.file)
            except BaseException as error:
                found = training_stages.raised(error, now, self._place.file)
        spent = round(time.perf_counter() - began, 6)
        return {**found, "apis": sorted(apis), "seconds": spent}

    def _tried(self, text: str, stage: Stage, apis: Set[str]) -> State:
        probe = self._probe
        if probe is None:
            return self._script(text, stage, apis)
        with self._place.module(script=False) as module:
            self._place.load(text, module)
            stage(BUILD)
            given = {place: self._value(each) for place, each in probe["arguments"].items()}
            bound = self._place.target(module).bind(given)
            function = bound.function()
            if not isinstance(function, type):
                stage(FORWARD)
            with note_called_functions(apis), bound.world:
                value = function(*bound.args, **bound.kwargs)
                result = execution.consume(value, thoroughly=bound.repeats)
            finite = all_finite(tensors(result))
            if self._train:
                finite = trained(module_of(function, result), result, stage) and finite
        return training_stages.state(training_stages.RAN, finite=finite)

    def _script(self, text: str, stage: Stage, apis: Set[str]) -> State:
        with (
            self._place.module(script=True) as module,
            training_stages.watch_stages(stage) as seen,
            note_called_functions(apis),
        ):
            try:
                self._place.load(text, module)
            except SystemExit as left:
                if left.code not in (None, 0):
                    raise
        return training_stages.state(training_stages.RAN, finite=seen.finite)

    def _value(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        recipe = given.get("recipe")
        if not isinstance(recipe, str) or not recipe.startswith(_TENSOR):
            return given
        if recipe not in self._made:
            self._made[recipe] = evaluate_recipe("argument", recipe, {})
        return {"kind": "value", "value": self._made[recipe].detach().clone()}


def _unmade(unusable: Unusable, stage: str, file: str) -> State:
    found = training_stages.raised(unusable.__cause__ or unusable, stage, file)
    if unusable.__cause__ is not None and found["line"]:
        return found
    return training_stages.state(
        training_stages.NOT_RUN, stage, detail=str(unusable)[: training_stages.LONGEST]
    )
