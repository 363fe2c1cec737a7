"""Where a parsed file makes layers and uses them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import libcst as cst

from analyzers.assembly.disassembly.naming import Imports, is_function, is_layer, is_loss
from analyzers.assembly.disassembly.nouns import FUNCTION, LAYER, LOSS

MODULE = "<module>"
_BLANK = (
    cst.BaseParenthesizableWhitespace,
    cst.TrailingWhitespace,
    cst.EmptyLine,
    cst.Comment,
    cst.Newline,
)


@dataclass(frozen=True)
class Found:
    """A call that makes a layer or is a layer's function, and what encloses it, outermost first."""

    call: cst.Call
    api: str
    role: str
    path: tuple[cst.CSTNode, ...]
    owner: str
    fed: cst.Arg | None = None

    @property
    def style(self) -> str:
        """How its model is written: ``class`` or ``function``."""
        return "class" if any(isinstance(each, cst.ClassDef) for each in self.path) else "function"


@dataclass(frozen=True)
class Use:
    """A mention of ``self.NAME`` outside of its assignment; ``call`` where it is called there."""

    node: cst.Attribute
    call: cst.Call | None


class Finder(cst.CSTVisitor):
    """Collects the layers of a module in the order of the text, and the uses of attributes."""

    def __init__(self, imports: Imports) -> None:
        self.found: list[Found] = []
        self.uses: dict[tuple[str, str], list[Use]] = defaultdict(list)
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
            self.found.append(Found(node, api, role, tuple(self._path), owner(self._path)))
            self._closed = node
        elif is_function(api) and node.args and _is_fed(node.args[0]):
            role = LOSS if is_loss(api) else FUNCTION
            place = owner(self._path)
            self.found.append(Found(node, api, role, tuple(self._path), place, node.args[0]))

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
        self.uses[owner(self._path), node.attr.value].append(Use(node, call))


def _is_fed(argument: cst.Arg) -> bool:
    return argument.keyword is None and not argument.star


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
