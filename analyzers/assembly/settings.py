"""Where a project lets a value be set: command lines, configuration classes, calls, files."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_PLAIN_TYPES = frozenset({"float", "int", "str"})
_DOCUMENTS = (".toml", ".yaml", ".yml", ".json", ".ini", ".cfg")


@dataclass(frozen=True, slots=True)
class Setting:
    """A place where a value is set: ``says`` is how (``--eps``).

    ``passed``: there it is given to what is built.
    """

    path: str
    line: int
    says: str
    passed: bool = False


def settings(
    name: str, owner: str, texts: Mapping[str, str], *, field: bool = False
) -> tuple[Setting, ...]:
    """Where the value ``name`` of what ``owner`` makes may be set without looking at it.

    None where nobody gives ``owner`` a value from elsewhere, unless it is a ``field`` of what
    is given: another thing may have a value of that name.  A file that compares the name with
    something, or gives it a type of its own, is taken to check it.
    """
    found: list[Setting] = []
    for path, text in texts.items():
        if path.endswith(_DOCUMENTS):
            found += _in_document(name, path, text)
        elif path.endswith(".py") and name in text and not is_test(path):
            found += _in_code(name, owner, path, text)
    is_given = field or any(each.passed for each in found)
    return tuple(found) if is_given else ()


def is_test(path: str) -> bool:
    """Whether a file is one of tests, which set values to try them."""
    parts = path.split("/")
    return "tests" in parts[:-1] or "test" in parts[:-1] or parts[-1].startswith("test_")


def _in_document(name: str, path: str, text: str) -> Iterator[Setting]:
    key = re.compile(rf"^[ \t\"'{{-]*{re.escape(name)}[\"']?[ \t]*[:=]")
    for number, line in enumerate(text.splitlines(), 1):
        if key.match(line):
            yield Setting(path, number, line.strip()[:80])
            return


def _in_code(name: str, owner: str, path: str, text: str) -> Iterator[Setting]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    if any(_compares(node, name) for node in ast.walk(tree)):
        return
    for node in ast.walk(tree):
        passed = _passed(node, name, owner)
        says = passed or _option(node, name) or _field(node, name)
        if says:
            yield Setting(path, getattr(node, "lineno", 1), says, bool(passed))


def _compares(node: ast.AST, name: str) -> bool:
    if not isinstance(node, ast.Compare):
        return False
    return any(_last(each) == name for each in (node.left, *node.comparators))


def _last(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _option(node: ast.AST, name: str) -> str:
    """The option of a command line that sets it, with a type that takes any number."""
    if not isinstance(node, ast.Call) or _last(node.func) not in {"add_argument", "option"}:
        return ""
    texts = [a.value for a in node.args if isinstance(a, ast.Constant) and type(a.value) is str]
    given = {each.arg: each.value for each in node.keywords}
    kind = given.get("type")
    is_plain = kind is None or _last(kind) in _PLAIN_TYPES
    if "choices" in given or not is_plain:
        return ""
    return next((t for t in texts if t.lstrip("-").replace("-", "_") == name), "")


def _field(node: ast.AST, name: str) -> str:
    """The field of a configuration class."""
    if not isinstance(node, ast.ClassDef) or not _is_configuration(node):
        return ""
    fields = (each for each in node.body if isinstance(each, ast.AnnAssign))
    return next((f"{node.name}.{name}" for each in fields if _last(each.target) == name), "")


def _is_configuration(node: ast.ClassDef) -> bool:
    marks = [*node.decorator_list, *node.bases]
    names = {_last(mark.func if isinstance(mark, ast.Call) else mark) for mark in marks}
    known = {
        "dataclass",
        "NamedTuple",
        "BaseModel",
        "BaseSettings",
        "TypedDict",
        "PretrainedConfig",
    }
    return bool(names & known) or node.name.endswith(("Config", "Settings", "Options", "Args"))


def _passed(node: ast.AST, name: str, owner: str) -> str:
    """A call of what is built that gives the value from elsewhere: ``Net(eps=args.eps)``."""
    if not isinstance(node, ast.Call) or _last(node.func) != owner:
        return ""
    for each in node.keywords:
        if each.arg is None or (each.arg == name and not isinstance(each.value, ast.Constant)):
            value = ast.unparse(each.value)
            return f"{owner}(**{value})" if each.arg is None else f"{owner}({name}={value})"
    return ""
