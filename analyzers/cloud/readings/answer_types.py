"""The types of expressions that follow from one request, by the SDK's own schema."""

from __future__ import annotations

import ast
from collections.abc import Collection

from analyzers.catalogue import Api
from analyzers.catalogue.canonical_answers import answer_type, fields_of
from analyzers.cloud.source_edits import SourceText, assigned, scope_of

_MOST_STEPS = 8


def asked_field(node: ast.AST, api: Api) -> tuple[ast.expr, str] | None:
    """Return what a field is asked of, and its name."""
    match node:
        case ast.Attribute(value=owner, attr=name) if not api.provider.startswith("aws."):
            return owner, name
        case ast.Subscript(value=owner, slice=ast.Constant(value=str(name)), ctx=ast.Load()):
            return owner, name
        case ast.Call(
            func=ast.Attribute(value=owner, attr="get"), args=[ast.Constant(value=str(name)), *_]
        ):
            return owner, name
        case _:
            return None


class AnswerTypes:
    """The types of expressions that follow from one request."""

    def __init__(self, text: SourceText, call: ast.Call, api: Api) -> None:
        self._text = text
        self._call = call
        self._api = api
        self._scope = scope_of(text, call)

    def is_method(self, names: Collection[str]) -> bool:
        """Return whether the request is a call of a method of one of these names."""
        return isinstance(self._call.func, ast.Attribute) and self._call.func.attr in names

    def of(self, node: ast.expr, depth: int = 0) -> str:
        """Return the message type of an expression, or nothing."""
        inner: ast.expr | None = None
        match node:
            case ast.Call() if node is self._call:
                return answer_type(self._api)
            case ast.Await(value=inner) | ast.Subscript(value=inner, slice=ast.Constant(int())):
                pass
            case ast.Name(id=name):
                values = assigned(self._scope, name)
                inner = values[0] if len(values) == 1 else None
            case _:
                asked = asked_field(node, self._api)
                owner = self.of(asked[0], depth + 1) if asked and depth < _MOST_STEPS else ""
                return fields_of(owner).get(asked[1], "") if asked else ""
        return self.of(inner, depth + 1) if inner is not None and depth < _MOST_STEPS else ""
