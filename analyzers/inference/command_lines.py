"""Valid command lines of a program, from how it reads them."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from .shape_interpreter.project_modules import dotted

_MOST = 12
_TEXT = "strings(min_len=1, max_len=8, alphabet='abcdefgh')"
_SWITCHES = ("store_true", "store_false", "store_const", "append_const", "count")


@dataclass(frozen=True, slots=True)
class _Option:
    """One argument of a command line: its flag (none where it is positional) and its values."""

    flag: str
    words: tuple[str, ...]
    required: bool


def command_lines(tree: ast.Module) -> list[list[str]]:
    """Lines of words in aN that the program takes (argparse and click).

    The first has only what must be there; each other one has one option more,
    and the last has all of them.  A word is a constraint of one argument.
    """
    options = list(_options(tree))
    needed = [each for each in options if each.required]
    lines = [_line(needed)]
    optional = [each for each in options if not each.required]
    lines += [_line([*needed, each]) for each in optional]
    if len(optional) > 1:
        lines.append(_line(options))
    return [line for line, _ in itertools.groupby(lines)][:_MOST]


def _line(options: list[_Option]) -> list[str]:
    """Options first, what is positional behind them."""
    ordered = [each for each in options if each.flag] + [each for each in options if not each.flag]
    found: list[str] = []
    for each in ordered:
        found += [f"froms([{each.flag!r}])"] if each.flag else []
        found += each.words
    return found


def _options(tree: ast.Module) -> Iterator[_Option]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        attribute = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        called = (dotted(node.func) or attribute).rpartition(".")
        if called[2] == "add_argument":
            found = _option(node, positional="")
        elif called[2] in ("option", "argument") and called[0] in ("click", "typer", ""):
            found = _option(node, positional="argument" if called[2] == "argument" else "")
        else:
            continue
        if found is not None:
            yield found


def _option(node: ast.Call, positional: str) -> _Option | None:
    flags = [each for each in (_literal(arg) for arg in node.args) if isinstance(each, str)]
    given = {each.arg: each.value for each in node.keywords if each.arg}
    if not flags or _literal(given.get("action")) in ("help", "version"):
        return None
    flag = next((each for each in flags if each.startswith("--")), flags[0])
    named = flag.startswith("-") and not positional
    count = _literal(given.get("nargs"))
    required = _literal(given.get("required")) is True or (not named and count not in ("?", "*"))
    if _literal(given.get("action")) in _SWITCHES or _literal(given.get("is_flag")) is True:
        return _Option(flag, (), required)
    times = count if isinstance(count, int) else 1
    return _Option(flag if named else "", (_word(given),) * times, required)


def _word(given: dict[str, ast.expr]) -> str:
    """The constraint of one word of a value."""
    choices = _literal(given.get("choices"))
    kind = given.get("type")
    if isinstance(kind, ast.Call) and (dotted(kind.func) or "").endswith("Choice") and kind.args:
        choices = _literal(kind.args[0])
    if isinstance(choices, list | tuple) and choices:
        return f"froms({list(map(str, choices))!r})"
    name = (dotted(kind) or "").rpartition(".")[2].lower() if kind is not None else ""
    default = _literal(given.get("default"))
    if isinstance(default, int | float | str) and not isinstance(default, bool):
        return (
            f"froms([{str(default)!r}])" if name not in ("int", "float") else _number(name, default)
        )
    if name in ("path", "file", "filetype"):
        return "paths(kind='text')"
    return _number(name, None)


def _number(name: str, default: object) -> str:
    """Numbers as words; those of a default and small ones."""
    values = {"int": ["1", "2", "4"], "float": ["0.1", "0.5", "1.0"]}.get(name)
    if values is None:
        return _TEXT
    first = [] if default is None else [str(default)]
    return f"froms({list(dict.fromkeys([*first, *values]))!r})"


def _literal(node: ast.expr | None) -> object:
    try:
        return None if node is None else ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError):
        return None
