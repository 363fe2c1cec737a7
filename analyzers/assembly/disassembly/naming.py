"""What names of a file mean: imports resolved to canonical dotted names."""

from __future__ import annotations

import re

import libcst as cst

LAYERS = ("torch.nn", "keras.layers")
FUNCTIONS = "torch.nn.functional"
_CONTAINERS = frozenset(
    [
        "Module",
        "Sequential",
        "ModuleList",
        "ModuleDict",
        "Parameter",
        "ParameterList",
        "ParameterDict",
        "Buffer",
        "DataParallel",
        "UninitializedParameter",
        "UninitializedBuffer",
        "Container",
        "Layer",
        "Input",
        "InputLayer",
        "InputSpec",
        "Wrapper",
    ]
)
_PLAIN = frozenset(
    [
        "relu",
        "sigmoid",
        "tanh",
        "softmax",
        "log_softmax",
        "selu",
        "celu",
        "rrelu",
        "prelu",
        "dropout",
    ]
)
_CANONICAL = (
    (re.compile(r"^tensorflow\.(?:python\.)?keras\."), "keras."),
    (re.compile(r"^torch\.nn\.modules\.\w+\."), "torch.nn."),
    (re.compile(r"^keras\.src\."), "keras."),
    (re.compile(r"^keras\.api\."), "keras."),
)


class Imports(cst.CSTVisitor):
    """Collects what names are bound to by imports; ``outer`` at module level only."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.outer: dict[str, str] = {}
        self._depth = 0

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:  # noqa: N802
        """Enter a function: its imports are its own."""
        del node
        self._depth += 1

    def leave_FunctionDef(self, original_node: cst.FunctionDef) -> None:  # noqa: N802
        """Leave a function."""
        del original_node
        self._depth -= 1

    def visit_Import(self, node: cst.Import) -> bool:  # noqa: N802
        """``import a.b`` binds ``a``, ``import a.b as c`` binds ``c``."""
        for alias in node.names:
            dotted = dotted_name(alias.name)
            if not dotted:
                continue
            if alias.asname is not None:
                self._bind(alias.asname.name, dotted)
            else:
                first = dotted.partition(".")[0]
                self._bound(first, first)
        return False

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:  # noqa: N802
        """``from a import b as c`` binds ``c``; relative ones bind nothing that is known."""
        if node.relative or node.module is None or isinstance(node.names, cst.ImportStar):
            return False
        package = dotted_name(node.module)
        for alias in node.names:
            dotted = f"{package}.{dotted_name(alias.name)}"
            self._bind(alias.asname.name if alias.asname else alias.name, dotted)
        return False

    def _bind(self, name: cst.BaseExpression, dotted: str) -> None:
        if isinstance(name, cst.Name):
            self._bound(name.value, dotted)

    def _bound(self, name: str, dotted: str) -> None:
        self.names[name] = dotted
        if not self._depth:
            self.outer[name] = dotted

    def resolved(self, expression: cst.BaseExpression) -> str:
        """The canonical dotted name that an expression spells; empty where none is known."""
        first, _, rest = dotted_name(expression).partition(".")
        known = self.names.get(first)
        if known is None:
            return ""
        return canonical(f"{known}.{rest}" if rest else known)


def dotted_name(expression: cst.CSTNode) -> str:
    """``a.b.c`` of an expression of names and attributes; empty for others."""
    match expression:
        case cst.Name(value=name):
            return name
        case cst.Attribute(value=value, attr=attribute):
            before = dotted_name(value)
            return f"{before}.{attribute.value}" if before else ""
        case _:
            return ""


def canonical(dotted: str) -> str:
    """The public name of what libraries also have under inner names."""
    for pattern, instead in _CANONICAL:
        dotted = pattern.sub(instead, dotted)
    return dotted


def is_layer(api: str) -> bool:
    """Whether an API makes a layer (or a loss), other than one that only holds others."""
    package, _, name = api.rpartition(".")
    return package in LAYERS and name[:1].isupper() and name not in _CONTAINERS


def is_function(api: str) -> bool:
    """Whether an API is a layer's function: the first argument is what it is fed."""
    package, _, name = api.rpartition(".")
    return package == FUNCTIONS or (package == "torch" and name in _PLAIN)


def is_loss(api: str) -> bool:
    """Whether an API is a loss, by the names that libraries give them."""
    name = api.rpartition(".")[2]
    return name.endswith(("Loss", "_loss")) or "cross_entropy" in name or name == "kl_div"
