"""Names of a file: imports resolved to canonical dotted names."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass

import libcst as cst

from analyzers.assembly.disassembly.blocks import FUNCTION, LAYER, LOSS

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

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        """Enter a function: its imports are its own."""
        del node
        self._depth += 1

    def leave_FunctionDef(self, original_node: cst.FunctionDef) -> None:
        """Leave a function."""
        del original_node
        self._depth -= 1

    def visit_Import(self, node: cst.Import) -> bool:
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

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:
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
        """Return the canonical dotted name that an expression spells; empty where none is known."""
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
    """Return the public name of what libraries also have under inner names."""
    for pattern, instead in _CANONICAL:
        dotted = pattern.sub(instead, dotted)
    return dotted


def is_layer(api: str) -> bool:
    """Return whether an API makes a layer (or a loss), other than one that only holds others."""
    package, _, name = api.rpartition(".")
    return package in LAYERS and name[:1].isupper() and name not in _CONTAINERS


def is_function(api: str) -> bool:
    """Return whether an API is a layer's function: the first argument is what it is fed."""
    package, _, name = api.rpartition(".")
    return package == FUNCTIONS or (package == "torch" and name in _PLAIN)


def is_loss(api: str) -> bool:
    """Return whether an API is a loss, by the names that libraries give them."""
    name = api.rpartition(".")[2]
    return name.endswith(("Loss", "_loss")) or "cross_entropy" in name or name == "kl_div"


MODULE = "<module>"
_BLANK = (
    cst.BaseParenthesizableWhitespace,
    cst.TrailingWhitespace,
    cst.EmptyLine,
    cst.Comment,
    cst.Newline,
)


@dataclass(frozen=True)
class FoundLayer:
    """A call that makes a layer or is a layer's function, and what encloses it, outermost first."""

    call: cst.Call
    api: str
    role: str
    path: tuple[cst.CSTNode, ...]
    owner: str
    fed: cst.Arg | None = None

    @property
    def style(self) -> str:
        """Return how its model is written: ``class`` or ``function``."""
        return "class" if any(isinstance(each, cst.ClassDef) for each in self.path) else "function"


@dataclass(frozen=True)
class AttributeUse:
    """A mention of ``self.NAME`` outside of its assignment; ``call`` where it is called there."""

    node: cst.Attribute
    call: cst.Call | None


class LayerFinder(cst.CSTVisitor):
    """Collects the layers of a module in the order of the text, and the uses of attributes."""

    def __init__(self, imports: Imports) -> None:
        self.found: list[FoundLayer] = []
        self.uses: dict[tuple[str, str], list[AttributeUse]] = defaultdict(list)
        self._imports = imports
        self._path: list[cst.CSTNode] = []
        self._closed: cst.Call | None = None

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Look at calls and attributes; blanks are passed over."""
        if isinstance(node, _BLANK):
            self._path.append(node)
            return False
        if isinstance(node, cst.Call):
            self._call(node)
        elif isinstance(node, cst.Attribute):
            self._attribute(node)
        self._path.append(node)
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        """Go on outside of a node."""
        self._path.pop()
        if original_node is self._closed:
            self._closed = None

    def _call(self, node: cst.Call) -> None:
        if self._closed is not None:
            return
        api = self._imports.resolved(node.func)
        if is_layer(api):
            role = LOSS if is_loss(api) else LAYER
            self.found.append(FoundLayer(node, api, role, tuple(self._path), owner(self._path)))
            self._closed = node
        elif is_function(api) and node.args and not (node.args[0].keyword or node.args[0].star):
            role = LOSS if is_loss(api) else FUNCTION
            place = owner(self._path)
            self.found.append(FoundLayer(node, api, role, tuple(self._path), place, node.args[0]))

    def _attribute(self, node: cst.Attribute) -> None:
        match node.value:
            case cst.Name(value="self"):
                pass
            case _:
                return
        parent = self._path[-1]
        if isinstance(parent, cst.AssignTarget | cst.AnnAssign) and parent.target is node:
            return
        call = parent if isinstance(parent, cst.Call) and parent.func is node else None
        self.uses[owner(self._path), node.attr.value].append(AttributeUse(node, call))


def owner(path: list[cst.CSTNode]) -> str:
    """Whose code a place is: of the innermost class, else of the outermost function."""
    names, last_class = list[str](), 0
    for each in path:
        if isinstance(each, cst.ClassDef):
            names.append(each.name.value)
            last_class = len(names)
        elif isinstance(each, cst.FunctionDef):
            names += [each.name.value, "<locals>"]
    if last_class:
        return ".".join(names[:last_class])
    return names[0] if names else MODULE
