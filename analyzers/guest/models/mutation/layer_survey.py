"""What the layers of a model take and give, seen in one run."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Sequence, Set, Tuple

from ..model_types import ModelUnderTest
from .mutation_grammar import is_writable_name
from .neuron_rules import weights
from .new_layers import ACTIVATIONS, MutationInapplicable, is_removed

Shape = Tuple[int, ...]
_CONTAINERS = ("Sequential", "ModuleList", "ModuleDict")


@dataclass(frozen=True)
class SurveyedLayer:
    """A layer of a model: what one run saw of it.

    ``given`` and ``gives`` are the shapes of its one input and its one output where each
    is one float tensor and the same at every call, else ``None``.  ``whole`` says that the
    layer may be taken out or have others put beside it: it is not a part of a layer of
    torch.nn, which may use its weights without calling it.  ``weights`` names the
    weights that rules for neurons change.
    """

    name: str
    kind: str
    given: Optional[Shape]
    gives: Optional[Shape]
    whole: bool
    weights: Tuple[str, ...] = ()

    @property
    def keeps(self) -> bool:
        """Whether output and input have one shape."""
        return self.whole and self.gives is not None and self.given == self.gives

    @property
    def activates(self) -> bool:
        """Whether it is an activation function."""
        return self.keeps and self.kind in ACTIVATIONS


def survey_layers(model: ModelUnderTest) -> List[SurveyedLayer]:
    """The layers that one run of the model reaches, in the order of their names' first call.

    Raises :class:`Inapplicable` where the model does not run.
    """
    import torch

    seen: Dict[str, List[Tuple[Optional[Shape], Optional[Shape]]]] = {}
    names = {name: module for name, module in model.module.named_modules() if name}
    hooks = [
        module.register_forward_hook(_recorder(name, seen), with_kwargs=True)
        for name, module in names.items()
        if is_writable_name(name)
    ]
    inputs, keywords = copy.deepcopy((model.inputs, dict(model.keywords)))
    try:
        with torch.no_grad():
            model.module(*inputs, **keywords)
    except Exception as error:
        raise MutationInapplicable(f"the model does not run: {error}") from error
    finally:
        for hook in hooks:
            hook.remove()
    parts = _parts(names)
    layers = [_layer(name, names[name], calls, name not in parts) for name, calls in seen.items()]
    return [*layers, *_unseen(model.module, names, seen)]


def _recorder(
    name: str, seen: Dict[str, List[Tuple[Optional[Shape], Optional[Shape]]]]
) -> Callable[..., None]:
    def record(_module: Any, arguments: Any, keywords: Any, output: Any) -> None:
        given = arguments[0] if len(arguments) == 1 and not keywords else None
        seen.setdefault(name, []).append((_shape(given), _shape(output)))

    return record


def _shape(value: Any) -> Optional[Shape]:
    import torch

    plain = isinstance(value, torch.Tensor) and value.is_floating_point() and not value.is_nested
    return tuple(value.shape) if plain and value.layout == torch.strided else None


def _parts(names: Dict[str, Any]) -> Set[str]:
    """The modules inside layers of torch.nn that are no mere containers."""
    closed = {
        name
        for name, module in names.items()
        if type(module).__module__.startswith("torch.nn.")
        and type(module).__name__ not in _CONTAINERS
    }
    return {name for name in names if any(above in closed for above in _above(name))}


def _above(name: str) -> Sequence[str]:
    parts = name.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts))]


def _layer(
    name: str, module: Any, calls: List[Tuple[Optional[Shape], Optional[Shape]]], whole: bool
) -> SurveyedLayer:
    given, gives = calls[0] if len(set(calls)) == 1 else (None, None)
    whole = whole and not is_removed(module)
    return SurveyedLayer(name, type(module).__name__, given, gives, whole, tuple(weights(module)))


def _unseen(root: Any, names: Dict[str, Any], seen: Dict[str, Any]) -> List[SurveyedLayer]:
    """Modules whose weights are used though they are not called themselves."""
    unseen = [(name, module) for name, module in names.items() if name not in seen]
    layers = [
        SurveyedLayer(
            name, type(module).__name__, None, None, whole=False, weights=tuple(weights(module))
        )
        for name, module in [(".", root), *unseen]
        if is_writable_name(name)
    ]
    return [layer for layer in layers if layer.weights]
