"""Where a project lets a value be set: command lines, configuration classes, calls, files."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from analyzers.assembly.callsites import Parameter, given, last

_PLAIN_TYPES = frozenset({"float", "int", "str"})
_DEPTH = 4
_LONGEST = 120
_DOCUMENTS = (".toml", ".yaml", ".yml", ".json", ".ini", ".cfg")


@dataclass(frozen=True, slots=True)
class Setting:
    """A place where a value is set: ``says`` is how (``--eps``).

    ``passed``: there it is given to what is built, as the parameter ``of`` a function if so.
    """

    path: str
    line: int
    says: str
    passed: bool = False
    of: Parameter | None = None


def settings(
    wanted: Parameter, texts: Mapping[str, str], *, field: str = "", depth: int = _DEPTH
) -> tuple[Setting, ...]:
    """Where the value of a parameter may be set without looking at it.

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
    """Where a value comes from: of one that is handed on, where the function is given it."""
    if setting.of is None:
        return (setting,)
    return settings(setting.of, texts, depth=depth - 1) if depth else ()


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


def _in_code(name: str, wanted: Parameter | None, path: str, text: str) -> Iterator[Setting]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    calls = () if wanted is None else tuple(given(tree, wanted))
    names = {name, *(last(each.value) for each in calls)} - {""}
    if any(_compares(node, names) for node in ast.walk(tree)):
        return
    for node in ast.walk(tree):
        says = _option(node, name) or _field(node, name)
        if says:
            yield Setting(path, getattr(node, "lineno", 1), says)
    for each in calls:
        yield Setting(path, each.line, each.says[:_LONGEST], passed=True, of=each.of)


def _compares(node: ast.AST, names: Collection[str]) -> bool:
    if not isinstance(node, ast.Compare):
        return False
    return any(last(each) in names for each in (node.left, *node.comparators))


def _option(node: ast.AST, name: str) -> str:
    """The option of a command line that sets it, with a type that takes any number."""
    if not isinstance(node, ast.Call) or last(node.func) not in {"add_argument", "option"}:
        return ""
    texts = [a.value for a in node.args if isinstance(a, ast.Constant) and type(a.value) is str]
    given = {each.arg: each.value for each in node.keywords}
    kind = given.get("type")
    is_plain = kind is None or last(kind) in _PLAIN_TYPES
    if "choices" in given or not is_plain:
        return ""
    return next((t for t in texts if t.lstrip("-").replace("-", "_") == name), "")


def _field(node: ast.AST, name: str) -> str:
    """The field of a configuration class."""
    if not isinstance(node, ast.ClassDef) or not _is_configuration(node):
        return ""
    fields = (each for each in node.body if isinstance(each, ast.AnnAssign))
    return next((f"{node.name}.{name}" for each in fields if last(each.target) == name), "")


def _is_configuration(node: ast.ClassDef) -> bool:
    marks = [*node.decorator_list, *node.bases]
    names = {last(mark.func if isinstance(mark, ast.Call) else mark) for mark in marks}
    known = {
        "dataclass",
        "NamedTuple",
        "BaseModel",
        "BaseSettings",
        "TypedDict",
        "PretrainedConfig",
    }
    return bool(names & known) or node.name.endswith(("Config", "Settings", "Options", "Args"))
