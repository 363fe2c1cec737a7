"""Return values for the case that there is nothing to return."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence

from analyzers.cloud.source_edits import SourceText

Function = ast.FunctionDef | ast.AsyncFunctionDef

_EMPTY = {"None": "None", "list": "[]", "dict": "{}", "bool": "False", "set": "set()"}
_NEUTRAL = frozenset({"None", "False", "''", "[]", "{}", "()", "set()", "0", "0.0"})
_TEXT_FIELDS = frozenset(
    {"description", "text", "transcript", "Name", "Text", "DetectedText", "Transcript", "caption"}
)
_TEXT_METHODS = frozenset(
    {"lower", "upper", "strip", "title", "format", "join", "replace", "casefold", "capitalize"}
)
_HANDLED = frozenset(
    {"route", "get", "post", "put", "delete", "command", "event", "message", "on_message"}
    | {"message_handler", "callback_query_handler", "api_view", "websocket", "listens_for"}
)
_HANDLER_PARAMETERS = frozenset({"request", "event", "update", "ctx", "handler_input", "message"})
_FORMS = (
    (ast.JoinedStr, "str"),
    (ast.List | ast.ListComp, "list"),
    (ast.Dict | ast.DictComp, "dict"),
    (ast.Set | ast.SetComp, "set"),
    (ast.Compare, "bool"),
)
_CONSTRUCTORS = {"str": "str", "bool": "bool", "list": "list", "sorted": "list", "dict": "dict"}


def fallback(text: SourceText, function: Function, returned: Sequence[str]) -> str | None:
    """Return the value, as code, for want of anything; ``""`` for a bare ``return``.

    ``returned`` are the representations of what the function was seen to
    return.  ``None``: the function does not tell, or answers a person.
    """
    results = [node.value for node in _own(function) if isinstance(node, ast.Return)]
    valued = [arm for value in results if value is not None for arm in _arms(value)]
    if _yields(function) or not valued:
        return ""
    if None in results:
        return None
    return (
        _neutral(text, valued)
        or _default(text, function, valued)
        or _of_type(text, function, valued, returned)
    )


def _arms(value: ast.expr) -> Iterator[ast.expr]:
    """Yield the values that an expression may have: those of ``a if b else c`` both."""
    if isinstance(value, ast.IfExp):
        yield from _arms(value.body)
        yield from _arms(value.orelse)
    else:
        yield value


def default_of(text: SourceText, statement: ast.stmt) -> str | None:
    """Return the constant that a function returns at its end, as code (``""``: a bare return)."""
    match statement:
        case ast.Return(value=None):
            return ""
        case ast.Return(value=ast.expr() as value) if _is_literal(value):
            return text.segment(value)
        case ast.Return(value=ast.IfExp(orelse=value)) if _is_literal(value):
            return text.segment(value)
        case ast.If(orelse=[*_, last]):
            return default_of(text, last)
        case _:
            return None


def _own(function: Function) -> Iterator[ast.AST]:
    """Yield the nodes of a function, without those of functions in it."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if not isinstance(node, Function | ast.Lambda | ast.ClassDef):
            yield node
            waiting.extend(ast.iter_child_nodes(node))


def _yields(function: Function) -> bool:
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in _own(function))


def _neutral(text: SourceText, valued: Sequence[ast.expr]) -> str | None:
    """Return the one empty value that the function returns elsewhere, as source code."""
    written = {ast.unparse(v): text.segment(v) for v in valued if ast.unparse(v) in _NEUTRAL}
    return next(iter(written.values())) if len(written) == 1 else None


def _default(text: SourceText, function: Function, valued: Sequence[ast.expr]) -> str | None:
    """Return what is returned at the end, where every result is a constant of one type."""
    if answers_people(function) or not all(_is_literal(value) for value in valued):
        return None
    kinds = {type(v.value) for v in valued if isinstance(v, ast.Constant)}
    several = len({ast.unparse(value) for value in valued}) > 1
    return default_of(text, function.body[-1]) if len(kinds) == 1 and several else None


def _of_type(
    text: SourceText, function: Function, valued: Sequence[ast.expr], returned: Sequence[str]
) -> str | None:
    """Return the empty value of the type that all results have."""
    kinds = {_kind(value, function) for value in valued}
    said = any(isinstance(v, ast.Constant | ast.JoinedStr) for v in valued)
    if said or answers_people(function):
        return None
    if function.returns is not None:
        return _written(text, _annotated(ast.unparse(function.returns)))
    seen = {_kind(_parsed(value), function) for value in returned}
    if seen and None in kinds:
        kinds = (kinds - {None}) | seen
    return _written(text, kinds.pop()) if len(kinds) == 1 else None


def _annotated(annotation: str) -> str | None:
    annotation = annotation.strip("'\"")
    if annotation.startswith(("Optional[", "typing.Optional[")) or "None" in annotation.split(
        " | "
    ):
        return "None"
    return annotation.partition("[")[0].rpartition(".")[2].lower()


def _written(text: SourceText, kind: str | None) -> str | None:
    """Return the empty value of a type, as code; ``None`` where it has none."""
    return quote_of(text) * 2 if kind == "str" else _EMPTY.get(kind or "")


def quote_of(text: SourceText) -> str:
    """Return the quote that the author uses most."""
    strings = [
        text.segment(node)[:1]
        for node in ast.walk(text.tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    counts = Counter(quote for quote in strings if quote in ("'", '"'))
    return counts.most_common(1)[0][0] if counts else '"'


def _is_literal(node: ast.expr) -> bool:
    empty = isinstance(node, ast.List | ast.Tuple | ast.Dict) and not any(
        ast.iter_child_nodes(node)
    )
    return isinstance(node, ast.Constant) or empty or ast.unparse(node) in _NEUTRAL


def _kind(node: ast.expr | None, function: Function) -> str | None:
    """Return the type of an expression's value, by name, as far as its form tells."""
    match node:
        case ast.Constant(value=value):
            return "None" if value is None else type(value).__name__
        case ast.Attribute(attr=name) | ast.Subscript(slice=ast.Constant(value=str() as name)):
            return "str" if name in _TEXT_FIELDS else None
        case ast.Name(id=name):
            return _kind_of_name(name, function)
        case ast.Call(func=ast.Attribute(attr=name)) | ast.Call(func=ast.Name(id=name)):
            return "str" if name in _TEXT_METHODS else _CONSTRUCTORS.get(name)
        case ast.BinOp(left=left, right=right):
            sides = [side for side in (left, right) if not isinstance(side, ast.Name)]
            return "str" if "str" in (_kind(side, function) for side in sides) else None
        case _:
            return next((kind for form, kind in _FORMS if isinstance(node, form)), None)


def _kind_of_name(name: str, function: Function) -> str | None:
    values = [
        node.value
        for node in _own(function)
        if isinstance(node, ast.Assign)
        and any(isinstance(target, ast.Name) and target.id == name for target in node.targets)
    ]
    simple = len(values) == 1 and not any(
        isinstance(node, ast.Name) and node.id == name for node in ast.walk(values[0])
    )
    return _kind(values[0], function) if simple else None


def _parsed(representation: str) -> ast.expr | None:
    try:
        return ast.parse(representation, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def answers_people(function: Function) -> bool:
    """Return whether a framework calls the function and shows people what it returns."""
    decorators = [node for each in function.decorator_list for node in ast.walk(each)]
    named = {node.attr for node in decorators if isinstance(node, ast.Attribute)}
    named |= {node.id for node in decorators if isinstance(node, ast.Name)}
    parameters = [*function.args.posonlyargs, *function.args.args]
    return bool(named & _HANDLED) or any(p.arg in _HANDLER_PARAMETERS for p in parameters[:2])
