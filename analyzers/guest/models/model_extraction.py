"""The model that a call was made of, as executions compare it.

A copy in evaluation mode, float32, on the CPU, with the weights that the constructor gave it
under the seed that every run starts with.  What a constructor leaves open is filled in, the
same each time: lazy layers by one call, memory that was never written by small numbers,
running statistics that no batch has moved by ones that a normalisation can be seen in.
"""

from __future__ import annotations

import copy
import inspect
import math
from typing import Any, Dict, Iterator, Mapping, Optional, Sequence

from ..runtime import framework_setup
from .model_types import ModelUnderTest

_DEEPEST = 2
_WRAPPERS = {"OptimizedModule": "_orig_mod", "DataParallel": "module"}
_OUTSIDE = ("DistributedDataParallel", "FullyShardedDataParallel")


class NoModel(Exception):  # noqa: N818 - a fact about the call
    """There is no model that could be run; says why."""


def model_of(
    instance: Any,
    result: Any,
    inputs: Sequence[Any] = (),
    keywords: Optional[Mapping[str, Any]] = None,
) -> ModelUnderTest:
    """Return the model of a call: ``instance`` where it takes the arguments, else the result.

    ``instance`` is the ``self`` of the call, ``inputs`` and ``keywords`` its arguments; what
    a call returns, alone or in a tuple or dictionary, is a model without inputs yet.
    Raises :class:`NoModel`.
    """
    own = instance is not None and instance is not result and framework_of(instance)
    if own and accepts(instance, inputs, keywords or {}):
        return prepared(instance, inputs, keywords)
    module = module_in(result)
    if module is None:
        raise NoModel("the call neither is of a model nor gives one")
    return prepared(module)


def framework_of(value: Any) -> Optional[str]:
    """Return ``torch`` or ``keras`` for a model, by the classes that it is of."""
    names = [f"{each.__module__}.{each.__qualname__}" for each in type(value).__mro__]
    if any(
        name.startswith(("keras.src.models.model.", "keras.src.layers.layer.")) for name in names
    ):
        return "keras"
    return "torch" if "torch.nn.modules.module.Module" in names else None


def module_in(value: Any, depth: int = _DEEPEST) -> Optional[Any]:
    """Return the first model in a value: itself, or inside tuples, lists and dictionaries."""
    if framework_of(value):
        return value
    inside = value.values() if isinstance(value, dict) else value
    if depth and isinstance(value, (tuple, list, dict)):
        for each in inside:
            found = module_in(each, depth - 1)
            if found is not None:
                return found
    return None


def accepts(module: Any, inputs: Sequence[Any], keywords: Mapping[str, Any]) -> bool:
    """Return whether a model's ``forward`` (or ``call``) has parameters for such arguments."""
    function = getattr(module, "forward", None) or getattr(module, "call", None)
    try:
        inspect.signature(function).bind(*inputs, **keywords)  # type: ignore[arg-type]
    except TypeError:
        return False
    except ValueError:
        return True
    return True


def prepared(
    module: Any, inputs: Sequence[Any] = (), keywords: Optional[Mapping[str, Any]] = None
) -> ModelUnderTest:
    """Return a module and inputs, left as they are, as a model; raises :class:`NoModel`."""
    if framework_of(module) == "keras":
        return ModelUnderTest(module, tuple(inputs), dict(keywords or {}), "keras")
    own = _copied(_unwrapped(module))
    values = [_plain(each) for each in inputs]
    named = {name: _plain(each) for name, each in (keywords or {}).items()}
    if any(each.is_meta for each in _weights(own)):
        raise NoModel("its weights are on the meta device: they have no values")
    own = own.to(device="cpu").float().eval()
    materialise(own, values, named)
    _fill(own)
    return ModelUnderTest(own, tuple(values), named)


def materialise(module: Any, inputs: Sequence[Any], keywords: Mapping[str, Any]) -> None:
    """Give lazy layers their shapes by one call; raises :class:`NoModel` where it fails."""
    import torch

    if not is_lazy_module(module) or not (inputs or keywords):
        return
    framework_setup.seed()
    try:
        with torch.no_grad():
            module(*copy.deepcopy(inputs), **copy.deepcopy(dict(keywords)))
    except Exception as error:
        raise NoModel(f"its lazy layers take no shape: {type(error).__name__}: {error}") from error


def is_lazy_module(module: Any) -> bool:
    """Return whether a module has weights that take their shape with the first call."""
    from torch.nn.parameter import is_lazy

    return any(map(is_lazy, [*module.parameters(), *module.buffers()]))


def _unwrapped(module: Any) -> Any:
    name = type(module).__name__
    if name in _OUTSIDE:
        raise NoModel(f"it is wrapped in {name}, which needs other processes")
    return getattr(module, _WRAPPERS[name]) if name in _WRAPPERS else module


def _copied(module: Any) -> Any:
    """Return a copy; the module itself where it cannot be copied, which a fresh run makes anew."""
    try:
        return copy.deepcopy(module)
    except Exception:
        return module


def _plain(value: Any) -> Any:
    import torch

    if isinstance(value, torch.Tensor):
        moved = value.detach().to("cpu")
        return moved.float() if moved.is_floating_point() else moved
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_plain(each) for each in value)
    return value


def _weights(module: Any) -> Iterator[Any]:
    from torch.nn.parameter import is_lazy

    return (each for each in [*module.parameters(), *module.buffers()] if not is_lazy(each))


def _fill(module: Any) -> None:
    """Set numbers for memory that was never written, and statistics that no batch has moved."""
    import torch

    generator = torch.Generator().manual_seed(framework_setup.SEED)
    with torch.no_grad():
        for weight in module.parameters():
            if weight.is_floating_point() and not _initialised(weight):
                fan = math.prod(weight.shape[1:]) or 1
                drawn = torch.randn(weight.shape, generator=generator)
                weight.copy_(drawn / math.sqrt(fan))
        for part in module.modules():
            _fill_statistics(part, generator)


def _initialised(weight: Any) -> bool:
    from torch.nn.parameter import is_lazy

    return is_lazy(weight) or bool((weight.isfinite() & (weight.abs() < 1e8)).all())


def _fill_statistics(part: Any, generator: Any) -> None:
    import torch

    buffers: Dict[str, Any] = dict(part.named_buffers(recurse=False))
    mean, variance = buffers.get("running_mean"), buffers.get("running_var")
    if mean is None or variance is None or not _untouched(mean, variance):
        return
    mean.copy_(torch.rand(mean.shape, generator=generator) * 0.2 - 0.1)
    variance.copy_(torch.rand(variance.shape, generator=generator) + 0.5)


def _untouched(mean: Any, variance: Any) -> bool:
    from torch.nn.parameter import is_lazy

    if is_lazy(mean) or is_lazy(variance):
        return False
    return bool((mean == 0).all()) and bool((variance == 1).all())
