"""Calls that give a value which their author does not write down there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

Function = ast.FunctionDef | ast.AsyncFunctionDef
_PARTS = (ast.UnaryOp, ast.BinOp, ast.IfExp, ast.BoolOp)
_SELF = frozenset({"self", "cls"})


@dataclass(frozen=True, slots=True)
class FunctionParameter:
    """A parameter of ``owner``, with its ``position`` (``None`` where it needs a keyword)."""

    owner: str
    name: str
    position: int | None = None


@dataclass(frozen=True, slots=True)
class SuppliedValue:
    """A call that gives a parameter a ``value`` from elsewhere, or its caller's own ``of``."""

    line: int
    says: str
    value: ast.expr
    of: FunctionParameter | None = None


def supplied_values(tree: ast.Module, wanted: FunctionParameter) -> Iterator[SuppliedValue]:
    """Yield the calls in a file that give a parameter a value from elsewhere."""
    constants = _constants(tree)
    for node, around, owner in _calls(tree, None, ""):
        if last_name(node.func) != wanted.owner:
            continue
        value, says = _value(node, wanted)
        if value is None or _is_closed(value, constants):
            continue
        yield SuppliedValue(node.lineno, says, value, _parameter(value, around, owner, tree))


def last_name(node: ast.AST) -> str:
    """Return the last name of a value: ``eps`` of ``a.eps``, ``c["eps"]``, ``c.get("eps")``."""
    if isinstance(node, ast.Attribute):
        return node.attr
    key = node.slice if isinstance(node, ast.Subscript) else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
        key = node.args[0] if node.func.attr == "get" else None
    if isinstance(key, ast.Constant):
        return str(key.value)
    return getattr(node, "id", "")


def position(function: Function, name: str) -> int | None:
    """Return the place of a parameter among those of a function that need no keyword."""
    plain = [*function.args.posonlyargs, *function.args.args]
    names = [each.arg for each in plain if each.arg not in _SELF]
    return names.index(name) if name in names else None


Around = tuple[ast.Call, Function | None, str]


def _calls(node: ast.AST, around: Function | None, owner: str) -> Iterator[Around]:
    for inside in ast.iter_child_nodes(node):
        if isinstance(inside, ast.Call):
            yield inside, around, owner
        if isinstance(inside, ast.ClassDef):
            yield from _calls(inside, None, inside.name)
        elif isinstance(inside, Function):
            name = owner if inside.name == "__init__" else inside.name
            yield from _calls(inside, inside, name)
        else:
            yield from _calls(inside, around, owner)


def _value(call: ast.Call, wanted: FunctionParameter) -> tuple[ast.expr | None, str]:
    for each in call.keywords:
        if each.arg in {None, wanted.name}:
            stars = "**" if each.arg is None else f"{each.arg}="
            return each.value, f"{wanted.owner}({stars}{ast.unparse(each.value)})"
    place = wanted.position
    hidden = any(isinstance(each, ast.Starred) for each in call.args)
    if place is None or hidden or place >= len(call.args):
        return None, ""
    return call.args[place], ast.unparse(call)


def _constants(tree: ast.Module) -> frozenset[str]:
    assigned: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree):
        targets = node.targets if isinstance(node, ast.Assign) else []
        for target in targets:
            if isinstance(target, ast.Name) and isinstance(node, ast.Assign):
                assigned.setdefault(target.id, []).append(node.value)
    return frozenset(
        name
        for name, values in assigned.items()
        if len(values) == 1 and _is_closed(values[0], frozenset())
    )


def _is_closed(value: ast.expr, constants: frozenset[str]) -> bool:
    if isinstance(value, ast.Name):
        return value.id in constants
    if isinstance(value, _PARTS):
        parts = [each for each in ast.iter_child_nodes(value) if isinstance(each, ast.expr)]
        if isinstance(value, ast.IfExp):
            parts = [value.body, value.orelse]
        return all(_is_closed(each, constants) for each in parts)
    if isinstance(value, ast.Dict):
        return all(_is_closed(each, constants) for each in value.values)
    return isinstance(value, ast.Constant)


def _parameter(
    value: ast.expr, around: Function | None, owner: str, tree: ast.Module
) -> FunctionParameter | None:
    if around is None or not isinstance(value, ast.Name) or _is_entered(around, tree):
        return None
    own = around.args
    names = {each.arg for each in (*own.posonlyargs, *own.args, *own.kwonlyargs)}
    if value.id not in names:
        return None
    return FunctionParameter(owner, value.id, position(around, value.id))


def _is_entered(function: Function, tree: ast.Module) -> bool:
    if function.decorator_list:
        return True
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    handed = (each for call in calls for each in call.args)
    return any(isinstance(each, ast.Name) and each.id == function.name for each in handed)


_PLAIN_TYPES = frozenset({"float", "int", "str"})
_CONFIGURATIONS = frozenset(
    {"dataclass", "NamedTuple", "BaseModel", "BaseSettings", "TypedDict", "PretrainedConfig"}
)
_DEPTH = 4
_LONGEST = 120
_DOCUMENTS = (".toml", ".yaml", ".yml", ".json", ".ini", ".cfg")


@dataclass(frozen=True, slots=True)
class Setting:
    """A place where a value is set: how (``--eps``), and what parameter it is ``passed`` to."""

    path: str
    line: int
    says: str
    passed: bool = False
    of: FunctionParameter | None = None


def settings(
    wanted: FunctionParameter, texts: Mapping[str, str], *, field: str = "", depth: int = _DEPTH
) -> tuple[Setting, ...]:
    """Return where the value of a parameter may be set without looking at it.

    None where nobody gives it a value from elsewhere, unless it is a ``field`` of what is
    given (classes that have it come first): another thing may have a value of that name.
    What a function takes and hands on is set where the function's own parameter is.  A file
    that compares the value with something, or gives it a type of its own, is taken to check it.
    """
    name = field or wanted.name
    found: list[Setting] = []
    for path, text in texts.items():
        if path.endswith(_DOCUMENTS):
            found += _in_document(name, path, text)
        elif path.endswith(".py") and not is_test(path) and (name in text or wanted.owner in text):
            found += _in_code(name, None if field else wanted, path, text)
    found.sort(key=lambda each: bool(field) and not each.says.endswith(f".{field}"))
    kept = [place for each in found for place in _sources(each, texts, depth)]
    is_given = bool(field) or any(each.passed for each in kept)
    return tuple(dict.fromkeys(kept)) if is_given else ()


def _sources(setting: Setting, texts: Mapping[str, str], depth: int) -> Iterable[Setting]:
    if setting.of is None:
        return (setting,)
    return settings(setting.of, texts, depth=depth - 1) if depth else ()


def is_test(path: str) -> bool:
    """Return whether a file is one of tests, which set values to try them."""
    parts = path.split("/")
    return "tests" in parts[:-1] or "test" in parts[:-1] or parts[-1].startswith("test_")


def _in_document(name: str, path: str, text: str) -> Iterator[Setting]:
    key = re.compile(rf"^[ \t\"'{{-]*{re.escape(name)}[\"']?[ \t]*[:=]")
    for number, line in enumerate(text.splitlines(), 1):
        if key.match(line):
            yield Setting(path, number, line.strip()[:80])
            return


def _in_code(
    name: str, wanted: FunctionParameter | None, path: str, text: str
) -> Iterator[Setting]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    calls = () if wanted is None else tuple(supplied_values(tree, wanted))
    names = {name, *(last_name(each.value) for each in calls)} - {""}
    compared = (node for node in ast.walk(tree) if isinstance(node, ast.Compare))
    if any(
        last_name(each) in names for node in compared for each in (node.left, *node.comparators)
    ):
        return
    for node in ast.walk(tree):
        says = _option(node, name) or _field(node, name)
        if says:
            yield Setting(path, getattr(node, "lineno", 1), says)
    for each in calls:
        yield Setting(path, each.line, each.says[:_LONGEST], passed=True, of=each.of)


def _option(node: ast.AST, name: str) -> str:
    if not isinstance(node, ast.Call) or last_name(node.func) not in {"add_argument", "option"}:
        return ""
    texts = [a.value for a in node.args if isinstance(a, ast.Constant) and type(a.value) is str]
    given = {each.arg: each.value for each in node.keywords}
    kind = given.get("type")
    is_plain = kind is None or last_name(kind) in _PLAIN_TYPES
    if "choices" in given or not is_plain:
        return ""
    return next((t for t in texts if t.lstrip("-").replace("-", "_") == name), "")


def _field(node: ast.AST, name: str) -> str:
    if not isinstance(node, ast.ClassDef) or not _is_configuration(node):
        return ""
    fields = (each for each in node.body if isinstance(each, ast.AnnAssign))
    return next((f"{node.name}.{name}" for each in fields if last_name(each.target) == name), "")


def _is_configuration(node: ast.ClassDef) -> bool:
    marks = [*node.decorator_list, *node.bases]
    names = {last_name(mark.func if isinstance(mark, ast.Call) else mark) for mark in marks}
    return bool(names & _CONFIGURATIONS) or node.name.endswith(
        ("Config", "Settings", "Options", "Args")
    )
