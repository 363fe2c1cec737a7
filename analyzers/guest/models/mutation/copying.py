"""Copies of a module that share what does not change: modules are new, tensors the same."""

from __future__ import annotations

import copy
from collections import OrderedDict
from typing import Any, Dict, Mapping

_TABLES = ("_parameters", "_buffers")
_ATOMIC = (type(None), bool, int, float, complex, str, bytes, type)
_HOLDERS = frozenset({dict, OrderedDict, set, list, tuple})
_OF_GRAPHS = frozenset({"_graph", "_tracer_cls", "_tracer_extras", "meta", "_code"})


def copied(root: Any, swaps: Mapping[Any, Any], tensors: Mapping[Any, Any]) -> Any:
    """The module tree again, with some modules or tensors (by ``id``) put in for others.

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
            self._share(old)
        for old in self._fresh:
            self._fill(old, self._memo[id(old)])
        self.root = self._memo[id(root)]

    def _share(self, old: Any) -> None:
        for table in _TABLES:
            for tensor in old.__dict__[table].values():
                if tensor is not None:
                    self._deep[id(tensor)] = self._tensors.get(id(tensor), tensor)

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
