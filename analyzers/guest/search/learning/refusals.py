"""The kinds that values should have been, by the exceptions that they caused."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from types import FrameType
from typing import Any, Callable, Dict, Iterator, List, Sequence, Set, Tuple

from ...inputs.project_files import name_of
from ...protocol.input_paths import file_path_of
from ...provenance.value_sources import ExceptionStep, expressions
from ...runtime.call_outcomes import is_own, is_refusal, steps_of, tree_of
from ...runtime.standins import is_standin
from .argument_shapes import (
    BASE64,
    BYTES,
    FILE,
    INTEGER,
    JSON,
    LIST,
    MAPPING,
    NUMBER,
    NUMERAL,
    OBJECT,
    PICTURE,
    TEXT,
    TRUTH,
    ArgumentShape,
)
from .learning_values import container_of, shape_of

DEEPEST = 3
MOST_PARTS = 30
LONGEST_PATH = 200
_Rule = Tuple[str, str]
_BY_MESSAGE: Tuple[_Rule, ...] = (
    (r"JSON object must be|JSON serializable.*not str", JSON),
    (r"not a mapping|must be a mapping|must be (a )?dict|expected dict", MAPPING),
    (r"bytes-like object is required|must be bytes|expected bytes|needs bytes", BYTES),
    (r"as an integer|integer is required|must be an? int|expected int|not 'int'", INTEGER),
    (r"must be real number|must be a? ?(float|number)|a number is required", NUMBER),
    (r"must be a? ?list|expected (a )?(list|sequence)|not iterable", LIST),
    (r"must be str|expected str|must be a? ?string|not JSON serializable|string or bytes-like"
     r"|os\.PathLike|path should be|not Learning|valid string|must be a? ?text|unhashable", TEXT),
)  # fmt: skip
_OTHERS: Dict[str, Sequence[str]] = {
    "": (TEXT, MAPPING, INTEGER, LIST, BYTES),
    TEXT: (MAPPING, OBJECT, INTEGER, LIST, BYTES),
    BYTES: (TEXT,),
}
"""The kinds to try, by the kind so far, where an exception does not say which is wanted."""


def learned_from(
    error: BaseException, root: str, roots: Dict[str, ArgumentShape], *, ended: bool
) -> bool:
    """Note in the shapes of an exception's values what it says about them; return if it is new.

    Unless it ``ended`` the call the code may expect it: it says nothing that has to be guessed.
    """
    if isinstance(error, FileNotFoundError) and _learned_file(error, root, roots):
        return True
    if isinstance(error, EOFError):
        return False
    if _is_on_purpose(error, root):
        cause = error.__cause__ or error.__context__
        return cause is not None and learned_from(cause, root, roots, ended=ended)
    cases = (case for case in _refusals(error, root) if case.shapes)
    return any(_learned(case) or (ended and _guessed(case)) for case in cases)


def _is_on_purpose(error: BaseException, root: str) -> bool:
    """Return whether the project's own code raised an exception: what guards it is decided."""
    frame, line, _ = list(steps_of(error))[-1]
    path = frame.f_code.co_filename
    return is_own(path, root) and is_refusal(error, path, line)


def made_up_values(error: BaseException, root: str) -> List[str]:
    """Return the paths of our values that the innermost failing expression with any reads."""
    for case in _refusals(error, root):
        if case.shapes:
            return [shape.path for shape in case.shapes]
    return []


@dataclass(frozen=True)
class _Refusal:
    """An exception, the failing expressions in one frame, and the shapes of values in them."""

    error: BaseException
    shapes: List[ArgumentShape]
    nodes: List[ast.AST]
    frame: FrameType

    def become(self, kind: str, value: Any = None, among: Tuple[str, ...] = ("", TEXT)) -> bool:
        """Let the first value of a kind so far take another kind."""
        return any(shape.become(kind, value) for shape in self.shapes if shape.kind in among)


def _refusals(error: BaseException, root: str) -> Iterator[_Refusal]:
    """Yield the failing expressions in the project's frames, the innermost first."""
    frames = [step for step in steps_of(error) if is_own(step[0].f_code.co_filename, root)]
    for frame, line, where in reversed(frames):
        tree = tree_of(frame.f_code.co_filename)
        whole = None if "to unpack" in str(error) else where
        nodes = list(expressions(ExceptionStep(tree, line, whole)))
        shapes = list(_shapes(nodes, frame, error))
        shapes += [shape.result for shape in shapes if shape.result is not None]
        leaves = [shape for shape in shapes if not (shape.attributes or shape.items)]
        yield _Refusal(error, leaves or shapes, nodes, frame)


def _learned(case: _Refusal) -> bool:
    said = str(case.error)
    for exceptions, learn in _RULES:
        if isinstance(case.error, exceptions) and learn(case):
            return True
    for pattern, kind in _BY_MESSAGE:
        others = [each for each in case.shapes if each.kind != kind and each.result is None]
        fits = isinstance(case.error, (TypeError, ValueError)) and re.search(pattern, said)
        if fits and sum(shape.become(kind) for shape in others):
            return True
    return type(case.error).__name__ == "ValidationError" and _invalid(case)


def _guessed(case: _Refusal) -> bool:
    """Let a value be of the next kind, where that may be the cause: a missing key has another."""
    if isinstance(case.error, KeyError):
        return False
    values = (_value(each, case.frame) for node in case.nodes for each in ast.walk(node))
    if any(is_standin(value) for value in values):
        return False
    return any(_another(shape) for shape in case.shapes)


def _another(shape: ArgumentShape) -> bool:
    """Take the next kind that a value of this kind may be instead."""
    if shape.attributes:
        return False
    return any(shape.become(kind) for kind in _OTHERS.get(shape.kind, ()))


# ------------------------------------------------------------------------ rules


def _invalid(case: _Refusal) -> bool:
    """A model of pydantic that is given values of other types: it names the fields."""
    errors = getattr(case.error, "errors", None)
    learned = False
    found: Any = errors() if callable(errors) else ()
    for each in found:
        place, said = each.get("loc") or ("",), str(each.get("type"))
        kind = next((kind for word, kind in _PYDANTIC if said.startswith(word)), "")
        given = [k.value for n in case.nodes for k in _keywords(n) if k.arg == place[0]]
        values = [_value(inner, case.frame) for each in given for inner in ast.walk(each)]
        shapes = [shape for value in values for shape in _within(value, DEEPEST)]
        learned |= bool(kind and shapes and sum(shape.become(kind) for shape in shapes))
    return learned


def _keywords(node: ast.AST) -> Iterator[ast.keyword]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call):
            yield from inner.keywords


_PYDANTIC: Tuple[_Rule, ...] = (
    ("string", TEXT), ("int", INTEGER), ("float", NUMBER), ("bool", TRUTH), ("bytes", BYTES),
    ("list", LIST), ("dict", MAPPING), ("mapping", MAPPING), ("iterable", LIST),
)  # fmt: skip
"""Kinds by the beginnings of the types of pydantic's errors."""


def _not_a_picture(case: _Refusal) -> bool:
    unread = "cannot identify image" in str(case.error)
    return unread and case.become(BYTES, PICTURE, among=("", TEXT, BYTES))


def _number_of_text(case: _Refusal) -> bool:
    is_number = r"invalid literal for int|could not convert string to float"
    return bool(re.search(is_number, str(case.error))) and case.become(NUMERAL)


def _unpacked(case: _Refusal) -> bool:
    """A text that is split into more parts than it has."""
    expected = r"not enough values to unpack \(expected (?:at least )?(\d+)"
    wanted = re.search(expected, str(case.error))
    for node in [inner for each in case.nodes for inner in ast.walk(each)]:
        parts = int(wanted[1]) if wanted else 0
        split: Any = node
        if isinstance(case.error, IndexError) and isinstance(node, ast.Subscript):
            index = getattr(node.slice, "value", None)
            parts, split = (index + 1 if type(index) is int else 0), node.value
        if 0 < parts <= MOST_PARTS and _is_split(split):
            separator = getattr(split.args[0], "value", None) if split.args else " "
            text = separator.join(["1"] * parts) if isinstance(separator, str) else None
            return text is not None and case.become(TEXT, text)
    return False


def _is_split(node: Any) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "split"


def _not_json(case: _Refusal) -> bool:
    return type(case.error).__name__.endswith("JSONDecodeError") and case.become(JSON)


def _not_base64(case: _Refusal) -> bool:
    encoded = type(case.error).__module__ == "binascii" or "base64" in str(case.error).lower()
    return encoded and case.become(BASE64)


def _no_key(case: _Refusal) -> bool:
    """A text that a real dictionary does not have: one of its keys would do."""
    held = shape_of(case.error.args[0]) if case.error.args else None
    subscripts = (n for each in case.nodes for n in ast.walk(each) if isinstance(n, ast.Subscript))
    tables = [_value(node.value, case.frame) for node in subscripts]
    keys = [key for table in tables if type(table) is dict for key in table if type(key) is str]
    return held is not None and any(held.become(TEXT, key) for key in keys[:1])


def _awaited(case: _Refusal) -> bool:
    """The result of a call that code awaits."""
    results = [shape.result for shape in case.shapes if shape.result is not None]
    waits = "'await' expression" in str(case.error)
    new = [result for result in results if waits and not result.is_awaited]
    for result in new:
        result.is_awaited = True
    return bool(new)


def _text_subscript(case: _Refusal) -> bool:
    """A text that is asked for a key."""
    asked = "indices must be integers" in str(case.error)
    return asked and case.become(MAPPING, among=("", TEXT, LIST))


def _no_attribute(case: _Refusal) -> bool:
    owner = shape_of(getattr(case.error, "obj", None))
    name = getattr(case.error, "name", None)
    if owner is None or not isinstance(name, str) or name.startswith("__"):
        return False
    for kind, base in ((TEXT, str), (MAPPING, dict), (LIST, list), (BYTES, bytes)):
        if hasattr(base, name) and not owner.attributes and owner.become(kind):
            return True
    new = name not in owner.attributes
    owner.attribute(name)
    owner.kind = OBJECT
    return new


_RULES: Sequence[Tuple[Any, Callable[[_Refusal], bool]]] = (
    (KeyError, _no_key),
    (AttributeError, _no_attribute),
    (TypeError, _awaited),
    (TypeError, _text_subscript),
    ((ValueError, IndexError), _unpacked),
    (ValueError, _number_of_text),
    (ValueError, _not_json),
    (ValueError, _not_base64),
    (OSError, _not_a_picture),
)


def _learned_file(error: OSError, root: str, roots: Dict[str, ArgumentShape]) -> bool:
    """A file that the code opens: one of our values is its path, or it is missing."""
    for case in _refusals(error, root):
        if any(shape.become(FILE) for shape in case.shapes if shape.kind in ("", TEXT)):
            return True
    name = name_of(error.filename)
    key = str(file_path_of(name)) if name else ""
    if not key or key in roots or len(key) > LONGEST_PATH:
        return False
    roots[key] = ArgumentShape(key, FILE, name)
    return True


# ------------------------------------------------------------------- operands


def _shapes(
    nodes: Sequence[ast.AST], frame: FrameType, error: BaseException
) -> Iterator[ArgumentShape]:
    """Yield the shapes of the values that failing expressions read, each once."""
    seen: Set[int] = set()
    values = [*error.args, getattr(error, "obj", None)]
    for node in nodes:
        values += [_value(each, frame) for each in ast.walk(node)]
    for value in values:
        for shape in _within(value, DEEPEST):
            if id(shape) not in seen:
                seen.add(id(shape))
                yield shape


def _within(value: Any, depth: int) -> Iterator[ArgumentShape]:
    shape = shape_of(value)
    if shape is not None:
        yield shape
    elif depth > 0 and type(value) in (list, tuple):
        for each in value[:MOST_PARTS]:
            yield from _within(each, depth - 1)
    elif depth > 0 and type(value) is dict:
        for each in list(value.values())[:MOST_PARTS]:
            yield from _within(each, depth - 1)


def _value(node: ast.AST, frame: FrameType) -> Any:
    """Return the value of a name, or of parts of one that exist, without running code."""
    if isinstance(node, ast.Name):
        return frame.f_locals.get(node.id, frame.f_globals.get(node.id))
    if isinstance(node, ast.Attribute):
        owner = _value(node.value, frame)
        own = getattr(owner, "__dict__", None)
        return own.get(node.attr) if isinstance(own, dict) else None
    if isinstance(node, ast.Subscript):
        owner = container_of(_value(node.value, frame))
        key = getattr(node.slice, "value", None)
        if isinstance(owner, dict) and isinstance(key, str):
            return dict.get(owner, key)
        if isinstance(owner, list) and type(key) is int and -len(owner) <= key < len(owner):
            return list.__getitem__(owner, key)
    return None
