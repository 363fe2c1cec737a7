"""Template matching (DeepREL, section 4.2): prose, method calls and examples of a documentation."""

from __future__ import annotations

import ast
import re
from typing import Iterator, Optional, Sequence, Union

from ..api_candidates import ApiNames, unmarked
from ..relation_types import LibraryApi
from .parameter_matching import bare

MOST_CHARACTERS = 400
_OPENING = re.compile(r"(?<![\w.])[A-Za-z_][\w.]*\(")
_PROMPT = re.compile(r"^\s*(?:>>>|\.\.\.)\s?(.*)$")


def templates_in_documentation(
    source: LibraryApi, apis: Union[Sequence[LibraryApi], ApiNames]
) -> list[tuple[str, str]]:
    """Return pairs of target and template in the documentation's order, each once."""
    names = apis if isinstance(apis, ApiNames) else ApiNames(apis)
    own = {bare(item.name): bare(item.name) for item in source.parameters}
    prose, code = _parted(source.doc)
    writer = _Writer(source, names)
    openings = [match.start() for match in _OPENING.finditer(prose)]
    calls = [_call(_balanced(prose[at : at + MOST_CHARACTERS])) for at in openings]
    found = [writer.template(call, own) for call in calls if call is not None]
    found += writer.of_example(code)
    return list(dict.fromkeys(item for item in found if item is not None))


def _parted(doc: str) -> tuple[str, str]:
    prose: list[str] = []
    code: list[str] = []
    for line in doc.splitlines():
        match = _PROMPT.match(line)
        if match is None:
            prose.append(line)
        else:
            code.append(match.group(1))
    return unmarked("\n".join(prose)), "\n".join(code)


def _balanced(text: str) -> str:
    depth = 0
    for index, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if depth == 0 and character in ")]}":
            return text[: index + 1]
    return ""


def _call(text: str) -> Optional[ast.Call]:
    try:
        node = ast.parse(" ".join(text.split()), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return node if isinstance(node, ast.Call) else None


class _Writer:
    def __init__(self, source: LibraryApi, names: ApiNames) -> None:
        self._source = source
        self._names = names

    def template(self, call: ast.Call, known: dict[str, str]) -> Optional[tuple[str, str]]:
        rewriter = _Rewriter(known, self._names, self._source.name)
        try:
            rewritten = rewriter.call(call)
        except _Unknown:
            return None
        made = rewritten.func
        target = ast.unparse(made.func if isinstance(made, ast.Call) else made)
        return (target, ast.unparse(rewritten)) if rewriter.used else None

    def of_example(self, code: str) -> list[Optional[tuple[str, str]]]:
        calls = [node for node in _walked(code) if isinstance(node, ast.Call)]
        found: list[Optional[tuple[str, str]]] = []
        for own in calls:
            if self._names.resolved(_dotted(own.func), self._source.name) == self._source.name:
                known = self._bound(own)
                found += [self.template(other, known) for other in calls if other is not own]
        return found

    def _bound(self, call: ast.Call) -> dict[str, str]:
        """Return parameters by the text of what an example's call gives them."""
        outer = [item for item in self._source.parameters if not item.is_input]
        given = zip((bare(item.name) for item in outer), call.args)
        pairs = [(ast.unparse(node), name) for name, node in given]
        pairs += [(ast.unparse(item.value), item.arg) for item in call.keywords if item.arg]
        texts = [text for text, _ in pairs]
        return {text: name for text, name in pairs if texts.count(text) == 1}


class _Unknown(Exception):  # noqa: N818 - not a failure
    """An expression that the parameters do not make."""


class _Rewriter:
    def __init__(self, known: dict[str, str], names: ApiNames, near: str) -> None:
        self._known = known
        self._names = names
        self._near = near
        self.used: list[str] = []

    def call(self, node: ast.Call) -> ast.Call:
        if isinstance(node.func, ast.Call):
            function: ast.expr = self.call(node.func)
            return ast.Call(function, [self.value(item) for item in node.args], [])
        method = self._method(node.func)
        dotted = method or self._names.resolved(_dotted(node.func), self._near)
        if dotted is None or dotted == self._near:
            raise _Unknown
        arguments = [self.value(item) for item in node.args]
        if method and isinstance(node.func, ast.Attribute):
            arguments.insert(0, self.value(node.func.value))
        if any(item.arg is None for item in node.keywords):
            raise _Unknown
        keywords = [ast.keyword(item.arg, self.value(item.value)) for item in node.keywords]
        return ast.Call(ast.parse(dotted, mode="eval").body, arguments, keywords)

    def _method(self, node: ast.expr) -> Optional[str]:
        if not isinstance(node, ast.Attribute):
            return None
        is_known = ast.unparse(node.value) in self._known or isinstance(node.value, ast.Call)
        return self._names.resolved(f"torch.Tensor.{node.attr}") if is_known else None

    def value(self, node: ast.expr) -> ast.expr:
        text = ast.unparse(node)
        if text in self._known:
            self.used.append(self._known[text])
            return ast.Name(self._known[text])
        if isinstance(node, ast.Starred):
            return ast.Starred(self.value(node.value))
        if isinstance(node, (ast.Tuple, ast.List)):
            return type(node)([self.value(item) for item in node.elts])
        if isinstance(node, ast.Call):
            return self.call(node)
        return self._plain(node)

    def _plain(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in self._known:
            return ast.Attribute(self.value(node.value), node.attr)
        inside = node.operand if isinstance(node, ast.UnaryOp) else node
        if isinstance(inside, ast.Constant):
            return node
        if _dotted(node).split(".")[0] == "torch":
            return node
        raise _Unknown


def _walked(code: str) -> Iterator[ast.AST]:
    """Yield the nodes of an example, statement by statement: one that is no Python is left out."""
    try:
        yield from ast.walk(ast.parse(code))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        for line in code.splitlines():
            call = _call(line.partition(" = ")[2] or line)
            if call is not None:
                yield from ast.walk(call)


def _dotted(node: ast.expr) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""
