"""The calls of the frameworks: their parameters, legal values and conditions (frameworks.toml)."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from .abstract_values import LayerChain, LibraryLayer

KERAS = "keras."
_LAYERS = ("torch.nn.", "keras.layers.")
_RENAMED = {
    "tensorflow.keras": "keras",
    "tensorflow.python.keras": "keras",
    "tf.keras": "keras",
    "numpy.typing": "numpy.typing",
    "torch.nn.modules": "torch.nn",
}
_ALIASES = {"np": "numpy", "nn": "torch.nn", "F": "torch.nn.functional", "jnp": "jax.numpy"}


@dataclass(frozen=True, slots=True)
class Signature:
    """The parameters of a call: ``defaults`` in order, ``...`` where there is none.

    ``valid`` are constraints in the words of aN by parameter.
    """

    name: str
    defaults: Mapping[str, Any]
    valid: Mapping[str, str]
    requires: tuple[str, ...]

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of one call by parameter, without defaults."""
        return {**dict(zip(self.defaults, args, strict=False)), **kwargs}


def canonical(name: str) -> str:
    """A library's name as the table spells it."""
    first, dot, rest = name.partition(".")
    if not dot and first in _ALIASES:
        return _ALIASES[first]
    for old, new in _RENAMED.items():
        if name == old or name.startswith(f"{old}."):
            return new + name[len(old) :]
    return name if not dot or first not in _ALIASES else f"{_ALIASES[first]}.{rest}"


@cache
def signatures() -> Mapping[str, Signature]:
    """All calls that are described, by full names."""
    folder = resources.files("analyzers.inference")
    text = folder.joinpath("frameworks.toml").read_text("utf-8")
    table = tomllib.loads(text)
    kinds = table["kinds"]
    found: dict[str, Signature] = {}
    for call in table["call"]:
        valid = {key: kinds.get(word, word) for key, word in call.get("valid", {}).items()}
        defaults = _defaults(call["takes"])
        for name in call["of"]:
            found[name] = Signature(name, defaults, valid, tuple(call.get("requires", ())))
    return found


def _defaults(takes: str) -> dict[str, Any]:
    spec = ast.parse(f"lambda {takes}: 0", mode="eval").body
    assert isinstance(spec, ast.Lambda)
    args = spec.args.args
    found: dict[str, Any] = {each.arg: ... for each in args}
    for each, default in zip(reversed(args), reversed(spec.args.defaults), strict=False):
        found[each.arg] = ast.literal_eval(default)
    return found


def layer_of(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any | None:  # noqa: PLR0911 - one for each kind of value
    """Return what the constructor of a layer makes; ``None`` where it is none."""
    prefix = next((each for each in _LAYERS if name.startswith(each)), None)
    word = name.removeprefix(prefix or "")
    if prefix is None or "." in word:
        return None
    if word == "Sequential":
        items = args[0] if len(args) == 1 and isinstance(args[0], list | dict) else args
        return LayerChain(items.values() if isinstance(items, dict) else items)
    if word == "ModuleList":
        return list(args[0]) if args and isinstance(args[0], list | tuple) else []
    if word == "ModuleDict":
        return dict(args[0]) if args and isinstance(args[0], dict) else {}
    if word == "Parameter":
        return args[0] if args else None
    signature = signatures().get(name)
    if signature is None:
        return None
    bound = {key: value for key, value in signature.defaults.items() if value is not ...}
    named = word if prefix == _LAYERS[0] else f"keras.{word}"
    return LibraryLayer(named, bound | signature.bind(args, kwargs), (tuple(args), kwargs))
