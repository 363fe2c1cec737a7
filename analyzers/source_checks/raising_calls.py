"""Calls of the standard library that raise whatever the function receives, read from text.

What decides is written in the call itself: a mode, a pattern, a format, a text where a
file is needed.
"""

from __future__ import annotations

import ast
import re
import string
import time
from collections.abc import Callable
from dataclasses import dataclass

from analyzers.guest.provenance.bindings import ancestors
from analyzers.source_checks.parsed_text import parsed
from analyzers.source_checks.unbound_names import function_name, is_spared

LONGEST = 300
_PATTERNS = frozenset(
    f"re.{name}"
    for name in ("compile", "search", "match", "fullmatch", "findall", "finditer", "sub", "split")
)
_PLACEHOLDER = re.compile(r"%(?:\((\w*)\))?[-+ #0]*(?:\*|\d+)?(?:\.(?:\*|\d+))?([a-zA-Z%])")


@dataclass(frozen=True)
class RaisingCall:
    """A call that raises: where, in which function, the exception, and why."""

    function: str
    line: int
    code: str
    exception: str
    why: str

    @property
    def key(self) -> str:
        """The identity over shifts of lines."""
        return f"{self.function}: {self.code}"


def raising_calls(text: str) -> list[RaisingCall]:
    """Return the calls of a file that always raise; none of one without syntax."""
    tree = parsed(text)
    if tree is None:
        return []
    found: list[RaisingCall] = []
    foreign = _foreign_modules(tree)
    for node in ast.walk(tree):
        called = node.func if isinstance(node, ast.Call) else None
        if called is not None and ast.unparse(called).partition(".")[0] in foreign:
            continue
        raised = _raised(node)
        if raised is None or any(isinstance(outer, ast.Try) for outer in ancestors(node, tree)):
            continue
        if not is_spared(node, tree):
            code = " ".join(ast.unparse(node).split())
            line = getattr(node, "lineno", 1)
            found.append(RaisingCall(function_name(node, tree), line, code, *raised))
    return found


def _foreign_modules(tree: ast.Module) -> frozenset[str]:
    """Return the names under which a file imports something else: ``import regex as re``."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {e.asname for e in node.names if e.asname and e.asname != e.name}
        elif isinstance(node, ast.ImportFrom):
            names = {each.asname or each.name for each in node.names}
            found |= names - {(node.module or "").rpartition(".")[2]}
    return frozenset(found)


Raised = tuple[str, str] | None


def _raised(node: ast.AST) -> Raised:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return _percent(node)
    if not isinstance(node, ast.Call) or any(isinstance(a, ast.Starred) for a in node.args):
        return None
    if isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        return _format(node, _text(node.func.value))
    check = _CHECKS.get(ast.unparse(node.func))
    return check(node) if check is not None else None


def _text(node: ast.AST | None) -> str | None:
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, str) and len(value) <= LONGEST else None


def _argument(node: ast.Call, place: int, name: str) -> ast.AST | None:
    if place < len(node.args):
        return node.args[place]
    return next((each.value for each in node.keywords if each.arg == name), None)


def _open(node: ast.Call) -> Raised:
    mode = _text(_argument(node, 1, "mode"))
    if mode is None:
        return None
    if "b" in mode and any(each.arg == "encoding" for each in node.keywords):
        return "ValueError", "a file in binary mode takes no `encoding`"
    wrong = set(mode) - set("rwaxbtU+") or len(set(mode)) != len(mode)
    if wrong or sum(letter in mode for letter in "rwax") != 1 or ("b" in mode and "t" in mode):
        return "ValueError", f"`{mode}` is no mode of a file"
    return None


def _file(place: int, method: str) -> Callable[[ast.Call], Raised]:
    def check(node: ast.Call) -> Raised:
        given = _argument(node, place, "fp")
        joined = isinstance(given, ast.Call) and ast.unparse(given.func) == "os.path.join"
        if isinstance(given, ast.JoinedStr) or joined or _text(given) is not None:
            return "AttributeError", f"a text has no `{method}`: open the file, or use `{method}s`"
        return None

    return check


def _pattern(node: ast.Call) -> Raised:
    pattern = _text(_argument(node, 0, "pattern"))
    if pattern is None:
        return None
    try:
        re.compile(pattern)
    except re.error as error:
        return None if "global flags" in str(error) else ("re.error", str(error))
    except (RecursionError, OverflowError):
        return None
    return None


def _moment(node: ast.Call) -> Raised:
    shape = _text(_argument(node, 1, "format"))
    if shape is None:
        return None
    try:
        time.strptime("", shape)
    except ValueError as error:
        return ("ValueError", str(error)) if "bad directive" in str(error) else None
    except (re.error, KeyError, IndexError):
        return None
    return None


def _format(node: ast.Call, template: str | None) -> Raised:
    if template is None or any(each.arg is None for each in node.keywords):
        return None
    try:
        names = [name for _, name, _, _ in string.Formatter().parse(template) if name is not None]
    except ValueError as error:
        return "ValueError", str(error)
    named = {each.arg for each in node.keywords}
    plain = [re.split(r"[.\[]", name, maxsplit=1)[0] for name in names]
    automatic = sum(not name for name in plain)
    highest = max((int(name) + 1 for name in plain if name.isdigit()), default=0)
    if max(automatic, highest) > len(node.args):
        return "IndexError", f"the text has {max(automatic, highest)} places for {len(node.args)}"
    missing = next((n for n in plain if n and not n.isdigit() and n not in named), None)
    return None if missing is None else ("KeyError", f"nothing is given for `{missing}`")


def _percent(node: ast.BinOp) -> Raised:
    template = _text(node.left)
    if template is None or not isinstance(node.right, ast.Tuple):
        return None
    places = [found for found in _PLACEHOLDER.finditer(template) if found[2] != "%"]
    starred = any("*" in found[0] for found in places) or any(
        isinstance(each, ast.Starred) for each in node.right.elts
    )
    if starred or any(found[1] is not None for found in places):
        return None
    if len(places) != len(node.right.elts):
        return "TypeError", f"the text has {len(places)} places for {len(node.right.elts)} values"
    return None


def _whole(node: ast.Call) -> Raised:
    """Return why ``randrange``, ``randint`` or ``range`` refuses its numbers."""
    numbers = [_number(each) for each in node.args]
    name = ast.unparse(node.func).rpartition(".")[2]
    broken = next((each for each in numbers if isinstance(each, float)), None)
    if broken is not None and (name == "range" or not broken.is_integer()):
        kind = "TypeError" if name == "range" else "ValueError (TypeError since Python 3.12)"
        return kind, f"`{name}` takes whole numbers, not {broken}"
    if name == "range" and any(map(_is_quotient, node.args)):
        return "TypeError", "`/` gives a float, and `range` takes whole numbers: use `//`"
    if name == "randint" and len(numbers) == len(("low", "high")):
        low, high = numbers
        if low is not None and high is not None and low > high:
            return "ValueError", f"the range from {low} to {high} is empty"
    return None


def _number(node: ast.expr) -> int | float | None:
    sign = -1 if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) else 1
    value = node.operand if isinstance(node, ast.UnaryOp) else node
    number = value.value if isinstance(value, ast.Constant) else None
    if isinstance(number, bool) or not isinstance(number, int | float):
        return None
    return sign * number


def _is_quotient(node: ast.expr) -> bool:
    """Return whether an expression divides a length or a whole number by another one."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Div):
        return False
    left = node.left
    counted = isinstance(left, ast.Call) and ast.unparse(left.func) == "len"
    return (counted or isinstance(_number(left), int)) and _number(node.right) is not None


_CHECKS: dict[str, Callable[[ast.Call], Raised]] = {
    "open": _open,
    "io.open": _open,
    "random.randrange": _whole,
    "random.randint": _whole,
    "range": _whole,
    "json.load": _file(0, "read"),
    "json.dump": _file(1, "write"),
    "pickle.load": _file(0, "read"),
    "pickle.dump": _file(1, "write"),
    "datetime.strptime": _moment,
    "datetime.datetime.strptime": _moment,
    "time.strptime": _moment,
    **dict.fromkeys(_PATTERNS, _pattern),
}
