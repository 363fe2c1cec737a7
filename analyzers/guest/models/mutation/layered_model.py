"""A model whose every step is a layer, where torch.fx can tell its steps."""

from __future__ import annotations

import copy
from collections import OrderedDict
from functools import partial
from typing import (
    Any,
    Callable,
    Dict,
    Mapping,
    Optional,
    Tuple,
)

from ..model_types import ModelUnderTest

_TABLES = ("_parameters", "_buffers")
_ATOMIC = (type(None), bool, int, float, complex, str, bytes, type)
_HOLDERS = frozenset({dict, OrderedDict, set, list, tuple})
_OF_GRAPHS = frozenset({"_graph", "_tracer_cls", "_tracer_extras", "meta", "_code"})


def copy_sharing_tensors(root: Any, swaps: Mapping[Any, Any], tensors: Mapping[Any, Any]) -> Any:
    """Return the module tree again, with some modules or tensors (by ``id``) put in for others.

    Every module below ``root`` is a new object; parameters and buffers that are not in
    ``tensors`` are shared, also where plain lists of a module hold them.  What
    ``swaps`` puts in is not copied.  The original is left as it was.
    """
    return _Copy(root, swaps, tensors).root


class _Copy:
    def __init__(self, root: Any, swaps: Mapping[Any, Any], tensors: Mapping[Any, Any]) -> None:
        self._tensors = tensors
        self._memo: Dict[int, Any] = dict(swaps)
        self._fresh = [old for old in root.modules() if id(old) not in self._memo]
        for old in self._fresh:
            self._memo[id(old)] = object.__new__(type(old))
        self._deep = dict(self._memo)
        for old in self._fresh:
            for table in _TABLES:
                for tensor in old.__dict__[table].values():
                    if tensor is not None:
                        self._deep[id(tensor)] = self._tensors.get(id(tensor), tensor)
        for old in self._fresh:
            self._fill(old, self._memo[id(old)])
        self.root = self._memo[id(root)]

    def _fill(self, old: Any, new: Any) -> None:
        shared = _OF_GRAPHS if "_graph" in old.__dict__ else frozenset()
        target = new.__dict__
        for name, value in old.__dict__.items():
            if isinstance(value, _ATOMIC) or name in shared:
                target[name] = value
            elif name == "_modules":
                target[name] = {
                    key: None if child is None else self._memo[id(child)]
                    for key, child in value.items()
                }
            elif name in _TABLES:
                target[name] = {key: self._tensors.get(id(it), it) for key, it in value.items()}
            elif type(value) in _HOLDERS and not value:
                target[name] = type(value)()
            else:
                target[name] = self._copied(value)

    def _copied(self, value: Any) -> Any:
        import torch

        if isinstance(value, torch.Tensor):
            return self._tensors.get(id(value), value)
        if isinstance(value, tuple) and all(isinstance(each, _ATOMIC) for each in value):
            return value
        try:
            return copy.deepcopy(value, self._deep)
        except Exception:
            return value


_PLAIN: Mapping[str, str] = {
    "relu": "ReLU",
    "relu6": "ReLU6",
    "elu": "ELU",
    "selu": "SELU",
    "celu": "CELU",
    "leaky_relu": "LeakyReLU",
    "rrelu": "RReLU",
    "hardtanh": "Hardtanh",
    "hardswish": "Hardswish",
    "hardsigmoid": "Hardsigmoid",
    "silu": "SiLU",
    "mish": "Mish",
    "softsign": "Softsign",
    "tanhshrink": "Tanhshrink",
    "tanh": "Tanh",
    "sigmoid": "Sigmoid",
    "gelu": "GELU",
    "softplus": "Softplus",
    "logsigmoid": "LogSigmoid",
    "softshrink": "Softshrink",
    "softmax": "Softmax",
    "log_softmax": "LogSoftmax",
}
"""Functions of torch.nn.functional, torch and tensors, and the layers that they are."""
_DROPPED = frozenset({"inplace", "_stacklevel", "training"})


def with_functions_as_layers(model: ModelUnderTest) -> ModelUnderTest:
    """Return the model with activations that it calls as functions as layers, and one for each use.

    Only where torch.fx traces it and the traced model gives the very same outputs; else
    the model, with layers that work in place made to work beside it if that gives the same.
    Otherwise the model itself.  Names of layers stay; a second use of one is ``name#2``.
    """
    before = _given(model.module, model)
    for made in (_traced, _beside):
        module = _tried(made, model)
        if module is not None and _equal(_tried(partial(_given, module), model), before):
            return ModelUnderTest(module, model.inputs, model.keywords, model.framework)
    return model


def _tried(function: Callable[[ModelUnderTest], Any], model: ModelUnderTest) -> Any:
    try:
        return function(model)
    except Exception:
        return None


def _given(module: Any, model: ModelUnderTest) -> Any:
    import torch

    inputs, keywords = copy.deepcopy((model.inputs, dict(model.keywords)))
    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return module(*inputs, **keywords)


def _equal(one: Any, other: Any) -> bool:
    import torch

    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        same = one.shape == other.shape and one.dtype == other.dtype
        return same and bool(torch.equal(torch.nan_to_num(one), torch.nan_to_num(other)))
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_equal(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(_equal, one, other))
    alike = one is not None and type(one) is type(other)
    return alike and (one == other or not isinstance(one, (int, float, str)))


def _beside(model: ModelUnderTest) -> Any:
    module = copy_sharing_tensors(model.module, {}, {})
    for each in module.modules():
        if getattr(each, "inplace", None) is True:
            each.inplace = False
    return module


def _traced(model: ModelUnderTest) -> Any:
    from torch import fx

    module = _beside(model)
    arguments = _defaults(module, model)
    graph = fx.Tracer().trace(module, concrete_args=arguments)
    made = fx.GraphModule(module, graph).eval()
    seen: Dict[str, int] = {}
    for node in list(graph.nodes):
        if node.op == "call_module":
            _apart(made, node, seen)
        elif node.op in ("call_function", "call_method"):
            _as_layer(made, node, seen)
    made.delete_all_unused_submodules()
    made.recompile()
    return made


def _defaults(module: Any, model: ModelUnderTest) -> Optional[Dict[str, Any]]:
    import inspect

    signature = inspect.signature(module.forward)
    bound = signature.bind(*model.inputs, **model.keywords)
    left = {
        name: parameter.default
        for name, parameter in signature.parameters.items()
        if name not in bound.arguments and parameter.default is not parameter.empty
    }
    return left or None


def _apart(module: Any, node: Any, seen: Dict[str, int]) -> None:
    target = node.target
    seen[target] = seen.get(target, 0) + 1
    if seen[target] > 1:
        name = f"{target}#{seen[target]}"
        module.add_submodule(name, copy_sharing_tensors(module.get_submodule(target), {}, {}))
        node.target = name


def _as_layer(module: Any, node: Any, seen: Dict[str, int]) -> None:
    layer = _activation(node)
    if layer is None:
        return
    name = _free(module, layer[0].lower(), seen)
    module.add_submodule(name, layer[1])
    with node.graph.inserting_before(node):
        new = node.graph.call_module(name, (node.args[0],))
    node.replace_all_uses_with(new)
    node.graph.erase_node(node)


def _free(module: Any, kind: str, seen: Dict[str, int]) -> str:
    while True:
        seen[f"{kind}#"] = seen.get(f"{kind}#", 0) + 1
        name = f"{kind}#{seen[f'{kind}#']}"
        if not hasattr(module, name):
            return name


def _activation(node: Any) -> Optional[Tuple[str, Any]]:
    import torch

    name = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")
    name = name[:-1] if name.endswith("_") and not name.endswith("__") else name
    if name not in _PLAIN or not node.args or not _of_torch(node.target):
        return None
    kind = getattr(torch.nn, _PLAIN[name])
    keywords = {key: value for key, value in node.kwargs.items() if key not in _DROPPED}
    if any(isinstance(value, torch.fx.Node) for value in [*node.args[1:], *keywords.values()]):
        return None
    arguments = [value for value in node.args[1:] if not isinstance(value, bool)]
    try:
        return name, kind(*arguments, **keywords).eval()
    except TypeError:
        return None


def _of_torch(target: Any) -> bool:
    if isinstance(target, str):
        return True
    return str(getattr(target, "__module__", "torch") or "torch").startswith("torch")
