"""The public callables of torch: where they are looked for, and what each is called."""

from __future__ import annotations

import ast
import inspect
import re
from dataclasses import replace
from importlib import import_module
from typing import Any, Callable, Iterator, Optional, Sequence

from ...inputs.recipes import BadRecipe, Recipe, parse
from ..libraries.library_base import FunctionCatalogue, listed_parameters
from ..relation_types import FUNCTION, LAYER, METHOD, ApiParameter

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


_OPEN = ("torch", "torch.nn.functional")
"""Where operators are that belong to no module of their own."""

_HOMES = ("torch", "torch.functional", "torch._lobpcg", "torch._lowrank")
"""Where the functions of ``torch`` itself are written."""


def list_torch_apis() -> FunctionCatalogue:
    """Return what the installed torch has."""
    made = FunctionCatalogue()
    for namespace in NAMESPACES:
        for name, kind, function in _members(namespace):
            if made.named(function) is None and is_unsafe(name):
                made.unsafe.append(f"{namespace}.{name}")
            else:
                made.add(f"{namespace}.{name}", kind, function)
    same = {name: name for name in _SAME.split()}
    for operator, name in {**_OPERATORS, **same}.items():
        method = getattr(_owner("torch.Tensor"), f"__{operator}__", None)
        if method is not None and f"torch.{name}" in made.functions:
            made.names.setdefault(method, f"torch.{name}")
    return made


def is_unsafe(name: str) -> bool:
    """Return whether an API's name is of files, devices, threads, memory or settings."""
    own = name.rpartition(".")[2]
    return not own[:1].isupper() and _UNSAFE.search(own) is not None


def _members(namespace: str) -> Iterator[tuple[str, str, Any]]:
    import torch

    owner = _owner(namespace)
    found = [(name, getattr(owner, name, None)) for name in dir(owner) if name[0] != "_"]
    found.sort(key=lambda each: (not getattr(each[1], "__doc__", None), each[0]))
    for name, member in found:
        if not callable(member) or not getattr(member, "__hash__", None):
            continue
        if namespace == "torch.Tensor":
            yield name, METHOD, member
        elif isinstance(member, type):
            is_layer = namespace == "torch.nn" and issubclass(member, torch.nn.Module)
            if is_layer and member.__module__.startswith("torch.nn."):
                yield name, LAYER, member
        elif _is_own(member, namespace):
            yield name, FUNCTION, member


def _owner(namespace: str) -> Any:
    import torch

    return torch.Tensor if namespace == "torch.Tensor" else import_module(namespace)


def _is_own(member: Any, namespace: str) -> bool:
    """Return whether a function is at home in a namespace, no service of ``torch._C`` itself."""
    kind = type(member).__name__
    if kind == "builtin_function_or_method":
        owner = getattr(member, "__self__", None)
        home = "" if owner is None else str(getattr(owner, "__name__", "?"))
        return home.startswith("torch._C._") or (owner is None and namespace in _OPEN)
    home = getattr(member, "__module__", None) or ""
    if kind != "function" or namespace == "torch":
        return kind == "function" and home in _HOMES
    told = getattr(_owner(namespace), "__all__", None)
    return home.startswith(namespace) and (told is None or member.__name__ in told)


_LEFT_OUT = frozenset(("out", "device", "pin_memory", "generator"))
_CODED = frozenset(("dtype", "layout", "memory_format", "reduction"))
"""What schemas number and Python does not."""

_PREFIXES = {"special": "special_", "linalg": "linalg_", "fft": "fft_"}

Known = Callable[[Any], Optional[Recipe]]
"""The recipe of a default, or ``None`` where there is none."""


def parameters(name: str, kind: str, function: Any, recipe: Known) -> tuple[ApiParameter, ...]:
    """Return the parameters of an API, in order; none where nothing tells of them.

    A variadic parameter has its star (``*tensors``); sizes that may be given one
    by one or as a tuple have one too, and are required (``*shape`` of ``view``).
    ``out`` and what says where a result is put are left out: they are not part
    of what is computed.
    """
    if kind == LAYER:
        return _of_layer(function, recipe)
    found = _of_signature(function, recipe)
    if not _tells(found):
        found = _of_schemas(name, kind, function, recipe) or _of_document(function, kind) or found
    return tuple(found or ())


def _tells(found: Optional[list[ApiParameter]]) -> bool:
    return found is not None and [item.name for item in found] not in (["*args"], ["self", "*args"])


def _of_signature(function: Any, recipe: Known) -> Optional[list[ApiParameter]]:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return None
    return _listed(list(signature.parameters.values()), recipe)


def _listed(found: Sequence[inspect.Parameter], recipe: Known) -> list[ApiParameter]:
    first = listed_parameters(found[:1], recipe, ())
    return first + listed_parameters(found[1:], recipe, _LEFT_OUT)


def _of_layer(function: Any, recipe: Known) -> tuple[ApiParameter, ...]:
    made = _of_signature(function, recipe)
    if not _tells(made):
        made = _of_arguments(function)
    made = made or []
    try:
        forward = list(inspect.signature(function.forward).parameters.values())[1:]
    except (TypeError, ValueError):
        return tuple(made)
    taken = {item.name for item in made}
    for item in _listed(forward, recipe):
        name = f"{item.name}_" if item.name in taken else item.name
        made.append(replace(item, name=name, is_input=True))
    return tuple(made)


def _of_schemas(name: str, kind: str, function: Any, recipe: Known) -> Optional[list[ApiParameter]]:
    """Return the names of an operator's overloads together; what any does without is optional."""
    import torch

    core: Any = getattr(torch, "_C")  # noqa: B009 - there is no public way
    *_, namespace, own = name.split(".")
    known = str(getattr(function, "__name__", own))
    for operator in dict.fromkeys((known, _PREFIXES.get(namespace, "") + own, own)):
        overloads = [
            [
                item
                for at, item in enumerate(schema.arguments)
                if not at or (item.name not in _LEFT_OUT and item.name != "layout")
            ]
            for schema in core._jit_get_schemas_for_operator(f"aten::{operator}")
            if not any(map(_is_left_out, schema.arguments))
        ]
        overloads = [item for item in overloads if item]
        if overloads:
            return _starred(_merged(overloads, kind, recipe), kind, function)
    return None


def _starred(found: list[ApiParameter], kind: str, function: Any) -> list[ApiParameter]:
    at = int(kind == METHOD)
    documented = _STARRED.match(getattr(function, "__doc__", None) or "")
    if documented is None or len(found) <= at or found[at].keyword_only:
        return found
    sizes = replace(found[at], name=f"*{found[at].name}", required=True, default=None)
    return [*found[:at], sizes, *found[at + 1 :]]


def _is_left_out(item: Any) -> bool:
    """Return whether an overload writes into what it is given here, or names a dimension."""
    named = item.name in ("dim", "dims", "names") and "str" in str(item.type)
    return bool(item.is_out or named)


def _merged(overloads: list[list[Any]], kind: str, recipe: Known) -> list[ApiParameter]:
    needed = min(len([0 for item in found if not item.has_default_value()]) for found in overloads)
    positional = [[item for item in found if not item.kwarg_only] for found in overloads]
    _, _, richest = max(
        zip(map(len, positional), map(len, overloads), positional), key=lambda each: each[:2]
    )
    only = {item.name: item for found in overloads for item in found if item.kwarg_only}
    plain = {item.name: item for found in positional for item in found}
    taken = [item for item in richest if item.name not in only]
    made = [
        _said(item, kind, recipe, required=at < needed and not item.has_default_value())
        for at, item in enumerate(taken)
    ]
    known = {item.name for item in taken}
    more = [item for name, item in only.items() if name not in known]
    return made + [_said(plain.get(item.name, item), kind, recipe, only=True) for item in more]


def _said(
    item: Any, kind: str, recipe: Known, *, required: bool = False, only: bool = False
) -> ApiParameter:
    name = "input" if item.name == "self" and kind != METHOD else item.name
    default = item.default_value if item.has_default_value() else ...
    coded = item.name in _CODED and default is not None
    known = None if default is ... or coded else recipe(default)
    return ApiParameter(name, required, only, known)


_HEAD = re.compile(r"^\s*(?:\.\.\s+\w+::\s*)?[\w.]+\((.*)\)\s*(?:->.*)?$")

_STARRED = re.compile(r"\s*(?:\.\.\s+\w+::\s*)?[\w.]+\(\*\w")

_ARGUMENT = re.compile(r"^ {8}(\w+)(?: \([^)]*\))?:", re.MULTILINE)


def _of_document(function: Any, kind: str) -> Optional[list[ApiParameter]]:
    """Those of the first line of a documentation: ``put_(index, source, accumulate=False)``."""
    text = (getattr(function, "__doc__", None) or "").strip()
    for line in text.splitlines()[:3]:
        head = _HEAD.match(line)
        if head:
            read = _read(head.group(1).replace("[", "").replace("]", ""))
            if read is not None:
                own = [ApiParameter("self", True)] if kind == METHOD else []
                return own + [item for item in read if item.name not in _LEFT_OUT]
    return None


def _read(inside: str) -> Optional[list[ApiParameter]]:
    try:
        told = ast.parse(f"def told({inside}): ...").body[0]
    except SyntaxError:
        return None
    if not isinstance(told, ast.FunctionDef):
        return None
    taken = told.args
    plain = taken.posonlyargs + taken.args
    bare: list[Optional[ast.expr]] = [None] * (len(plain) - len(taken.defaults))
    made = [_told(item, default, False) for item, default in zip(plain, [*bare, *taken.defaults])]
    if taken.vararg:
        made.append(ApiParameter(f"*{taken.vararg.arg}", False))
    made += [_told(item, at, True) for item, at in zip(taken.kwonlyargs, taken.kw_defaults)]
    return made


def _of_arguments(function: Any) -> list[ApiParameter]:
    """Return those of the section ``Args:`` of a class; what has a default says so."""
    _, _, section = (getattr(function, "__doc__", None) or "").partition("Args:")
    told = _ARGUMENT.split(section.partition("\n\n")[0])
    return [
        ApiParameter(name, "default" not in text.lower())
        for name, text in zip(told[1::2], told[2::2])
        if name not in _LEFT_OUT
    ]


def _told(item: ast.arg, default: Optional[ast.expr], only: bool) -> ApiParameter:
    if default is None:
        return ApiParameter(item.arg, True, only)
    try:
        return ApiParameter(item.arg, False, only, parse(ast.unparse(default)))
    except BadRecipe:
        return ApiParameter(item.arg, False, only)
