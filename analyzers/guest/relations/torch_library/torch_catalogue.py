"""The public callables of torch: where they are looked for, and what each is called."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Dict, Iterator, List, Optional, Tuple

from ..relation_types import FUNCTION, LAYER, METHOD

NAMESPACES = (
    "torch.nn.functional",
    "torch.linalg",
    "torch.fft",
    "torch.special",
    "torch.signal.windows",
    "torch.sparse",
    "torch.nested",
    "torch.masked",
    "torch.func",
    "torch.autograd.functional",
    "torch.autograd",
    "torch.nn.init",
    "torch.nn.utils.rnn",
    "torch.nn.utils.parametrizations",
    "torch.nn.utils.parametrize",
    "torch.nn.utils",
    "torch.nn.attention",
    "torch.nn",
    "torch.Tensor",
    "torch",
)
"""Where the public callables are.

A callable that several have goes by the first: that is where it is documented.
"""

_UNSAFE = re.compile(
    r"^(?:set|use|register|activate|restore|manual|import)_"
    r"|(?:^|_)(?:save|load|seed|file|compile|fork|wait|memory|storage|pin|cuda|cudnn|miopen|xpu"
    r"|mtia|ipu|map|map2|printoptions|dlpack|frombuffer|ptr|record|hook|backward|stream)(?:_|$)"
)

_OPERATORS = {
    "and": "bitwise_and",
    "rand": "bitwise_and",
    "or": "bitwise_or",
    "ror": "bitwise_or",
    "xor": "bitwise_xor",
    "rxor": "bitwise_xor",
    "lshift": "bitwise_left_shift",
    "rshift": "bitwise_right_shift",
    "invert": "bitwise_not",
    "truediv": "true_divide",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "pos": "positive",
    "radd": "add",
    "rmul": "mul",
}
_SAME = "add sub rsub mul pow matmul neg abs eq ne lt le gt ge"
"""The function that an operator of tensors is, with the arguments in the same order."""


@dataclass
class TorchCatalogue:
    """The callables by canonical name, and the canonical names by callable.

    ``kinds`` and ``others`` (further public names of the same object) are by
    canonical name too; ``unsafe`` are those names that are never called.
    """

    functions: Dict[str, Any] = field(default_factory=dict)
    kinds: Dict[str, str] = field(default_factory=dict)
    others: Dict[str, List[str]] = field(default_factory=dict)
    unsafe: List[str] = field(default_factory=list)
    names: Dict[Any, str] = field(default_factory=dict)

    def canonical(self, name: str) -> str:
        """The canonical name of what is public by a name; raises ``LookupError``."""
        if name in self.functions:
            return name
        return next((known for known, others in self.others.items() if name in others), name)

    def named(self, function: Any) -> Optional[str]:
        """The canonical name of a callable that may be called, or ``None``."""
        try:
            return self.names.get(function)
        except TypeError:
            return None

    def add(self, name: str, kind: str, function: Any) -> None:
        """Take in what is public by that name."""
        known = self.names.get(function)
        if known is not None:
            self.others[known].append(name)
        elif is_unsafe(name):
            self.unsafe.append(name)
        else:
            self.functions[name], self.kinds[name] = function, kind
            self.others[name] = []
            self.names[function] = name


_OPEN = ("torch", "torch.nn.functional")
"""Where operators are that belong to no module of their own."""


def list_torch_apis() -> TorchCatalogue:
    """What the installed torch has."""
    made = TorchCatalogue()
    for namespace in NAMESPACES:
        for name, kind, function in _members(namespace):
            made.add(f"{namespace}.{name}", kind, function)
    _name_operators(made)
    return made


def is_unsafe(name: str) -> bool:
    """Whether an API is never called: it is for files, devices, threads, memory or settings.

    Told by the words of its own name: one that sets, registers, saves, loads or
    seeds, or that names a device or raw memory.
    """
    own = name.rpartition(".")[2]
    return not own[:1].isupper() and _UNSAFE.search(own) is not None


def _members(namespace: str) -> Iterator[Tuple[str, str, Any]]:
    owner = _owner(namespace)
    for name in sorted(
        dir(owner),
        key=lambda name: ((not getattr(getattr(owner, name, None), "__doc__", None)), name),
    ):
        member = None if name.startswith("_") else _member(owner, name)
        if member is None:
            continue
        if namespace == "torch.Tensor":
            yield name, METHOD, member
        elif isinstance(member, type):
            if namespace == "torch.nn" and _is_layer(member):
                yield name, LAYER, member
        elif _is_own(member, namespace):
            yield name, FUNCTION, member


def _owner(namespace: str) -> Any:
    import torch

    return torch.Tensor if namespace == "torch.Tensor" else import_module(namespace)


def _member(owner: Any, name: str) -> Any:
    found = getattr(owner, name, None)
    return found if callable(found) and getattr(found, "__hash__", None) else None


def _is_layer(member: type) -> bool:
    import torch

    return issubclass(member, torch.nn.Module) and member.__module__.startswith("torch.nn.")


def _is_own(member: Any, namespace: str) -> bool:
    """Whether a function is at home in a namespace, and none of the runtime's services.

    Operators in C++ belong to a submodule of ``torch._C`` or to nothing at all,
    services (``torch.set_num_threads``) to ``torch._C`` itself.
    """
    kind = type(member).__name__
    if kind == "builtin_function_or_method":
        owner = getattr(member, "__self__", None)
        home = "" if owner is None else str(getattr(owner, "__name__", "?"))
        return home.startswith("torch._C._") or (owner is None and namespace in _OPEN)
    home = getattr(member, "__module__", None) or ""
    return kind == "function" and home in _homes(namespace, home) and _is_told(member, namespace)


def _is_told(member: Any, namespace: str) -> bool:
    """Whether a module that says what is public says so of a function in Python."""
    told = getattr(_owner(namespace), "__all__", None)
    return namespace == "torch" or told is None or member.__name__ in told


def _homes(namespace: str, home: str) -> Tuple[str, ...]:
    if namespace == "torch":
        return "torch", "torch.functional", "torch._lobpcg", "torch._lowrank"
    return (home,) if home.startswith(namespace) else ()


def _name_operators(made: TorchCatalogue) -> None:
    """Operators of tensors (``torch.Tensor.__add__``) go by the function of that name."""
    import torch

    same = {name: name for name in _SAME.split()}
    for operator, name in {**_OPERATORS, **same}.items():
        method = getattr(torch.Tensor, f"__{operator}__", None)
        if method is not None and f"torch.{name}" in made.functions:
            made.names.setdefault(method, f"torch.{name}")
