"""What the statements of training code are for: model, data, loss, optimizer, loop, evaluation."""

from __future__ import annotations

import libcst as cst

from analyzers.assembly.disassembly.finding import Finder
from analyzers.assembly.disassembly.naming import Imports, is_layer, is_loss
from analyzers.assembly.disassembly.nouns import Part
from analyzers.assembly.disassembly.places import Places

_DATA = ("torch.utils.data.", "torchvision.datasets.", "keras.datasets.", "keras.utils.")
_OPTIMIZERS = ("torch.optim.", "keras.optimizers.")
_UNTRAINED = frozenset(
    {
        "torch.no_grad",
        "torch.inference_mode",
        "torch.autograd.inference_mode",
        "torch.autograd.no_grad",
    }
)


class _Parts(cst.CSTVisitor):
    def __init__(self, imports: Imports, places: Places, models: frozenset[str]) -> None:
        self.parts: list[Part] = []
        self._imports = imports
        self._places = places
        self._models = models
        self._statement: cst.CSTNode | None = None
        self._loops: list[cst.CSTNode] = []

    def visit_ClassDef(self, node: cst.ClassDef) -> None:  # noqa: N802
        if node.name.value in self._models:
            self._add("model", node)

    def visit_SimpleStatementLine(self, node: cst.SimpleStatementLine) -> None:  # noqa: N802
        self._statement = node

    def visit_For(self, node: cst.For) -> None:  # noqa: N802
        self._loops.append(node)

    def leave_For(self, original_node: cst.For) -> None:  # noqa: N802
        del original_node
        self._loops.pop()

    def visit_While(self, node: cst.While) -> None:  # noqa: N802
        self._loops.append(node)

    def leave_While(self, original_node: cst.While) -> None:  # noqa: N802
        del original_node
        self._loops.pop()

    def visit_With(self, node: cst.With) -> None:  # noqa: N802
        for item in node.items:
            match item.item:
                case cst.Call(func=func) if self._imports.resolved(func) in _UNTRAINED:
                    self._add("evaluation", node)
                case _:
                    pass

    def visit_Call(self, node: cst.Call) -> None:  # noqa: N802
        match node.func:
            case cst.Attribute(attr=cst.Name(value="backward")) if self._loops:
                self._add("loop", self._loops[0])
            case cst.Attribute(attr=cst.Name(value="eval")) if not node.args:
                self._add("evaluation", self._statement)
            case func:
                kind = self._kind(self._imports.resolved(func), func)
                if kind:
                    self._add(kind, self._statement)

    def _kind(self, api: str, func: cst.BaseExpression) -> str:
        match func:
            case cst.Name(value=name) if name in self._models:
                return "model"
            case _:
                pass
        if api.startswith(_DATA):
            return "data"
        if api.startswith(_OPTIMIZERS):
            return "optimizer"
        return "loss" if is_loss(api) and (is_layer(api) or ".functional." in api) else ""

    def _add(self, kind: str, node: cst.CSTNode | None) -> None:
        if node is None:
            return
        part = Part(kind, *self._places.lines(node))
        if part not in self.parts:
            self.parts.append(part)


def parts(imports: Imports, places: Places, finder: Finder) -> tuple[Part, ...]:
    """The parts of a module's training code, in the order of the text."""
    owners = {each.owner.rpartition(".")[2] for each in finder.found if each.style == "class"}
    reader = _Parts(imports, places, frozenset(owners))
    places.module.visit(reader)
    return tuple(sorted(reader.parts, key=lambda each: (each.line, each.end_line)))
