"""Values that note how code uses them, in a shape, and decide what guards ask about them.

They live in one forked process for one call.  What code asks in conditions is a decision, with
a default, that a search may flip; only the project's own code makes decisions.
"""

from __future__ import annotations

import ast
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import FunctionType
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Tuple

from ...inputs.recipes import evaluate, looked_up
from ...inputs.streamlit_page import STATE
from ...provenance.value_sources import ExceptionStep, expressions
from ...runtime import assumptions
from ...runtime.call_outcomes import is_own, position, tree_of
from ...runtime.execution import SELF
from .argument_shapes import (
    BYTES,
    CALLABLE,
    DEEPEST,
    FILE,
    INSTANCE,
    INTEGER,
    LIST,
    MAPPING,
    MOST_PARTS,
    NUMBER,
    NUMERAL,
    TEXT,
    TEXTUAL,
    TRUTH,
    ArgumentShape,
)

MOST__decisions = 60
MOST_TIMES = 12
MOST_ANSWERS = 6
MOST_KEYS = 4
_LONGEST = 200
_GUEST = str(Path(__file__).absolute().parents[2])
_TEXT_METHODS = frozenset(vars(str)) - frozenset(vars(list))
_MAPPING_METHODS = frozenset({"get", "keys", "items", "values", "setdefault", "update"})
_LIST_METHODS = frozenset({"append", "extend", "insert", "sort", "reverse"})


class StartAgain(BaseException):
    """A value has turned out to be of another kind; not an ``Exception``: few handlers catch it."""


@dataclass
class Decisions:
    """The decisions of one call: ``flips`` are answers by question, ``asked`` all with defaults."""

    root: str = ""
    namespace: Mapping[str, Any] = field(default_factory=dict)
    flips: Dict[str, bool] = field(default_factory=dict)
    asked: Dict[str, bool] = field(default_factory=dict)
    _times: Dict[str, int] = field(default_factory=dict)

    def truth(self, question: str, *, default: bool, always: bool = False) -> bool:
        """Answer a question; one that comes again and again is flipped.

        Unless ``always``, only the project's own code asks; others get the default.
        """
        if not always and not is_asked_by_code(self.root):
            return default
        question = question[:_LONGEST]
        if len(self.asked) < MOST__decisions:
            self.asked.setdefault(question, default)
        times = self._times[question] = self._times.get(question, 0) + 1
        answer = self.flips.get(question, default)
        return answer if times <= MOST_TIMES else not answer


_decisions = Decisions()


def is_asked_by_code(root: str) -> bool:
    """Return whether the nearest frame that is not the guest's is the project's own code."""
    return _asking_frame(root) is not None


def _asking_frame(root: str) -> Any:
    frame: Any = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    while frame is not None and frame.f_code.co_filename.startswith(_GUEST):
        frame = frame.f_back
    return frame if frame is not None and is_own(frame.f_code.co_filename, root) else None


def begin(root: str, namespace: Mapping[str, Any], flips: Dict[str, bool]) -> Decisions:
    """Forget the decisions of another call."""
    global _decisions
    _decisions = Decisions(root, namespace, dict(flips))
    return _decisions


def shape_of(value: Any) -> Optional[ArgumentShape]:
    """Return the shape of a value that learns, or ``None`` for any other."""
    kind = type(value)
    return vars(value)["_assayer_shape"] if kind in LEARNING else None


def container_of(value: Any) -> Any:
    """Return the dictionary or list that a value without a type has turned out to be, or itself."""
    if type(value) is not LearningObject:
        return value
    own = vars(value)
    return own.get("_assayer_mapping", own.get("_assayer_list", value))


def truth(question: str, *, default: bool) -> bool:
    """Answer a question about a value; see :class:`Decisions`."""
    return _decisions.truth(question, default=default)


def live(shape: ArgumentShape) -> Any:
    """Return a value of a shape that goes on learning."""
    kind = shape.kind or (LIST if shape.items and shape.effective_kind() == LIST else "")
    if kind == TRUTH:
        shape.value = _decisions.truth(f"{shape.path} is true", default=True, always=True)
        return shape.value
    if kind == FILE:
        return LearningText.of(shape, str(evaluate(shape.recipe(), {})))
    if kind in TEXTUAL:
        return LearningText.of(shape, shape.plain_text())
    if kind == INSTANCE:
        return _instance(shape)
    made = _LIVE.get(kind)
    if made is not None:
        return made(shape)
    return shape.scalar(kind) if kind == "none" else LearningObject(shape)


def _instance(shape: ArgumentShape) -> Any:
    """Return an instance of a class of the project; an open value where it cannot be made.

    What the instance of a method's own class cannot be made of is learned.
    """
    try:
        kind: Any = looked_up(str(shape.value), _decisions.namespace)
        return kind(**{str(name): live(each) for name, each in shape.items.items()})
    except Exception:
        if shape.path == SELF:
            raise
        shape.kind, shape.value = "", None
        shape.items.clear()
        return LearningObject(shape)


# ------------------------------------------------------------------------ texts


def _choose_key(shape: ArgumentShape) -> None:
    """Decide about a value that code looks up in a table or set: it may be one of the keys."""
    frame = _asking_frame(_decisions.root)
    if frame is None or shape.attributes or shape.items:
        return
    keys = next(_tables(frame), None)
    if not keys or (shape.kind == TEXT and shape.value in keys):
        return
    if truth(f"{shape.path} is one of {sorted(keys)[:MOST_KEYS]}", default=False):
        key = next((key for key in sorted(keys) if shape.become(TEXT, key)), None)
        if key is not None:
            raise StartAgain


def _tables(frame: Any) -> Iterator[List[str]]:
    """Yield the words in the constant dictionaries and sets that a frame's expression names."""
    where = position(frame.f_code, frame.f_lasti)
    tree = tree_of(frame.f_code.co_filename)
    for node in expressions(ExceptionStep(tree, frame.f_lineno, where)):
        for inner in ast.walk(node):
            name = inner.id if isinstance(inner, ast.Name) else ""
            table = frame.f_locals.get(name, frame.f_globals.get(name))
            if type(table) in (dict, set, frozenset):
                yield [key for key in table if type(key) is str]


class LearningText(str):
    """A text; comparisons with constants are decisions about what it says."""

    _assayer_shape: ArgumentShape

    def __hash__(self) -> int:
        _choose_key(self._assayer_shape)
        return str.__hash__(self)

    @classmethod
    def of(cls, shape: ArgumentShape, content: str) -> LearningText:
        """Return a text with a content: that of the shape, or derived from it."""
        made = cls(content)
        made._assayer_shape = shape
        return made

    def _decide(self, says: str, other: Any, content: str, *, holds: bool) -> bool:
        if type(other) is not str or holds or len(other) > _LONGEST:
            return holds
        shape = self._assayer_shape
        if not truth(f"{shape.path} {says} {other!r}", default=False):
            return False
        if shape.kind in ("", TEXT, NUMERAL):
            shape.kind, shape.value = TEXT, content
        return True

    def __eq__(self, other: object) -> bool:
        return self._decide("==", other, str(other), holds=str.__eq__(self, other) is True)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __contains__(self, part: Any) -> bool:
        content = f"{self._assayer_shape.plain_text()} {part}"
        return self._decide("contains", part, content, holds=str.__contains__(self, part))

    def startswith(self, *given: Any) -> bool:
        """Return whether it begins so: a decision."""
        first = given[0][0] if isinstance(given[0], tuple) else given[0]
        content = f"{first}{self._assayer_shape.plain_text()}"
        return self._decide("starts with", first, content, holds=str.startswith(self, *given))

    def endswith(self, *given: Any) -> bool:
        """Return whether it ends so: a decision."""
        last = given[0][0] if isinstance(given[0], tuple) else given[0]
        content = f"{self._assayer_shape.plain_text()}{last}"
        return self._decide("ends with", last, content, holds=str.endswith(self, *given))

    def __bool__(self) -> bool:
        return len(self) > 0 and self._is_there()

    def _is_there(self) -> bool:
        there = truth(f"{self._assayer_shape.path} is there", default=True)
        if not there:
            self._assayer_shape.kind, self._assayer_shape.value = TEXT, ""
        return there


def _derived(name: str) -> Any:
    """Return a method whose results, or their parts, are texts of the same shape."""
    method = getattr(str, name)

    def derive(self: Any, *args: Any, **options: Any) -> Any:
        shape, found = vars(self)["_assayer_shape"], method(self, *args, **options)
        if isinstance(found, str):
            return LearningText.of(shape, found)
        return type(found)(LearningText.of(shape, part) for part in found)

    return derive


for _name in (
    *("lower", "upper", "strip", "lstrip", "rstrip", "casefold", "title", "replace"),
    *("split", "rsplit", "partition", "rpartition", "splitlines", "__getitem__"),
    *("removeprefix", "removesuffix"),
):
    setattr(LearningText, _name, _derived(_name))


# ------------------------------------------------------------------ numbers


def _compared(sign: str, base: type) -> Any:
    method = getattr(base, sign)

    def compare(self: Any, other: Any) -> Any:
        holds = method(self, other)
        if holds is NotImplemented or type(other) not in (int, float):
            return holds
        name, write = vars(self)["_assayer_source"]
        found = truth(f"{name} {sign} {other!r}", default=bool(holds))
        if found != holds:
            write(_satisfying(method, other, base, wanted=found))
        return found

    return compare


def _satisfying(method: Any, other: Any, base: type, *, wanted: bool) -> Any:
    for each in (other, other + 1, other - 1):
        if bool(method(base(each), other)) is wanted:
            return base(each)
    return base(other)


class LearningInteger(int):
    """An integer; comparisons are decisions."""

    __hash__ = int.__hash__


class LearningNumber(float):
    """A floating-point number; comparisons are decisions."""

    __hash__ = float.__hash__


for _sign in ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"):
    setattr(LearningInteger, _sign, _compared(_sign, int))
    setattr(LearningNumber, _sign, _compared(_sign, float))


Write = Callable[[Any], None]


def integer_of(
    shape: ArgumentShape, value: int, name: str = "", write: Optional[Write] = None
) -> Any:
    """Return an integer that ``write`` lets be another one in the next call."""
    return _numeric(LearningInteger(value), shape, name, write)


def number_of(
    shape: ArgumentShape, value: float, name: str = "", write: Optional[Write] = None
) -> Any:
    """Return a floating-point number that ``write`` lets be another one in the next call."""
    return _numeric(LearningNumber(value), shape, name, write)


def _numeric(made: Any, shape: ArgumentShape, name: str, write: Optional[Write]) -> Any:
    def keep(value: Any) -> None:
        shape.value = value

    vars(made).update(_assayer_shape=shape, _assayer_source=(name or shape.path, write or keep))
    return made


class LearningBytes(bytes):
    """Bytes of a text."""


def _bytes(shape: ArgumentShape) -> Any:
    is_known = shape.effective_kind() == BYTES
    made = LearningBytes(evaluate(shape.recipe(), {}) if is_known else shape.plain_text().encode())
    vars(made)["_assayer_shape"] = shape
    return made


# -------------------------------------------------------------- containers


class LearningMapping(Dict[str, Any]):
    """A dictionary that has whatever key it is asked for."""

    def __init__(self, shape: ArgumentShape) -> None:
        super().__init__({str(key): live(each) for key, each in shape.items.items()})
        self._assayer_shape = shape

    def __missing__(self, key: Any) -> Any:
        if not isinstance(key, str) or len(self._assayer_shape.items) > MOST_PARTS:
            raise KeyError(key)
        self[key] = live(self._assayer_shape.item(str(key)))
        return super().__getitem__(key)

    def get(self, key: Any, default: Any = None) -> Any:
        """Return the value of a key; a key with a default may be missing."""
        if dict.__contains__(self, key):
            return self[key]
        known = type(default) in (str, int, float, bool) and default not in ("", None)
        if not truth(f"{key!r} in {self._assayer_shape.path}", default=not known):
            return default
        child = self._assayer_shape.item(str(key))
        if not child.kind:
            child.kind = _KIND_OF.get(type(default), "")
        return self[key]

    def setdefault(self, key: Any, default: Any = None) -> Any:
        """Return the value of a key, which is there."""
        return (
            self.get(key, default)
            if dict.__contains__(self, key)
            else super().setdefault(key, default)
        )

    def pop(self, key: Any, *default: Any) -> Any:
        """Return the value of a key and remove it here; the shape keeps it."""
        found = self.get(key, *default)
        dict.pop(self, key, None)
        return found

    def __contains__(self, key: Any) -> bool:
        if dict.__contains__(self, key):
            return True
        if not isinstance(key, str):
            return False
        there = truth(f"{key!r} in {self._assayer_shape.path}", default=False)
        if there:
            self[key]
        return there

    def __bool__(self) -> bool:
        return truth(f"{self._assayer_shape.path} is there", default=True)

    def _filled(self) -> LearningMapping:
        if not dict.__len__(self):
            self["name"]
        return self

    def __iter__(self) -> Iterator[str]:
        return dict.__iter__(self._filled())

    def items(self) -> Any:
        """The pairs; one at least."""
        return dict.items(self._filled())

    def keys(self) -> Any:
        """The keys; one at least."""
        return dict.keys(self._filled())

    def values(self) -> Any:
        """The values; one at least."""
        return dict.values(self._filled())


class LearningList(List[Any]):
    """A list with one element at least, and as many as are asked for."""

    def __init__(self, shape: ArgumentShape) -> None:
        shape.kind = LIST
        super().__init__(live(each) for each in shape.elements())
        self._assayer_shape = shape

    def __getitem__(self, key: Any) -> Any:
        while isinstance(key, int) and len(self) <= key < MOST_PARTS:
            self.append(live(self._assayer_shape.item(len(self))))
        return super().__getitem__(key)

    def __iter__(self) -> Iterator[Any]:
        frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
        wanted = assumptions.unpacked_elements(frame)
        if 0 < wanted <= MOST_PARTS:
            self[wanted - 1]
        return super().__iter__()

    def __bool__(self) -> bool:
        there = truth(f"{self._assayer_shape.path} is there", default=True)
        if not there:
            self._assayer_shape.value = []
        return there


class LearningPage:
    """A page of which all fields are filled; its switches are decisions."""

    def __init__(self, shape: ArgumentShape) -> None:
        self._assayer_shape = shape

    @property
    def state(self) -> Any:
        """Return what the session's state begins with."""
        state = self._assayer_shape.item(STATE)
        state.kind = MAPPING
        return LearningMapping(state)

    def entered(self, widget: str, kind: str, shown: Any) -> Any:
        """Return what is entered into a widget, or ``shown``."""
        shape = self._assayer_shape
        if not truth(f"{widget} is used", default=kind != TRUTH):
            return None if kind == FILE else shown
        field = shape.item(widget)
        if not field.kind:
            field.kind = kind
            field.value = {TRUTH: not shown, FILE: shown}.get(kind)
        return field.value if kind == TRUTH else live(field)


# ----------------------------------------------------------------- objects


class _Awaited:
    """The result of an asynchronous call."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __await__(self) -> Any:
        yield from ()
        return self._value


class LearningObject:
    """A value of which no use has shown yet that it is of a built-in type."""

    def __init__(self, shape: ArgumentShape) -> None:
        self.__dict__["_assayer_shape"] = shape

    def _child(self, name: str) -> Any:
        shape: ArgumentShape = self.__dict__["_assayer_shape"]
        return self.__dict__.setdefault(name, live(shape.attribute(name)))

    def turned_into(self, kind: str) -> Any:
        """Return this value as one of a built-in type, which it turns out to be."""
        shape: ArgumentShape = self.__dict__["_assayer_shape"]
        if not shape.attributes:
            shape.kind = kind
        return self.__dict__.setdefault(f"_assayer_{kind}", _as(shape, kind))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        shape: ArgumentShape = self.__dict__["_assayer_shape"]
        if not is_asked_by_code(_decisions.root) or shape.path.count(".") > DEEPEST:
            raise AttributeError(name)
        for kind, names in _METHODS:
            if name in names and not shape.attributes:
                return getattr(self.turned_into(kind), name)
        return self._child(name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return what stands for the result; a decorator returns the function."""
        if len(args) == 1 and not kwargs and isinstance(args[0], (FunctionType, type)):
            return args[0]
        shape: ArgumentShape = self.__dict__["_assayer_shape"]
        result = shape.returned()
        return _Awaited(live(result)) if result.is_awaited else live(result)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return self.turned_into(TEXT)[key]
        if isinstance(key, int):
            return self.turned_into(LIST)[key]
        return self.turned_into(MAPPING)[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.turned_into(LIST if isinstance(key, int) else MAPPING)[key] = value

    def __contains__(self, key: Any) -> bool:
        return key in self.turned_into(MAPPING)

    def __iter__(self) -> Iterator[Any]:
        frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
        elements = self.turned_into(LIST)
        wanted = assumptions.unpacked_elements(frame)
        if 0 < wanted <= MOST_PARTS:
            elements[wanted - 1]
        return list.__iter__(elements)

    def __next__(self) -> Any:
        return self.turned_into(LIST)[0]

    def __len__(self) -> int:
        shape: ArgumentShape = self.__dict__["_assayer_shape"]
        several = shape.items or shape.name.endswith("s")
        return len(self.turned_into(LIST if several else TEXT))

    def __bool__(self) -> bool:
        return truth(f"{self.__dict__['_assayer_shape'].path} is there", default=True)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        shape: ArgumentShape = self.__dict__["_assayer_shape"]
        kind = _KIND_OF.get(type(other))
        if kind is None or shape.attributes or kind in (LIST, MAPPING):
            return truth(f"{shape.path} == {other!r}", default=False)
        return bool(self.turned_into(kind) == other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        _choose_key(self.__dict__["_assayer_shape"])
        return object.__hash__(self)

    def __repr__(self) -> str:
        return f"<made-up {self.__dict__['_assayer_shape'].path}>"

    def __str__(self) -> str:
        shape: ArgumentShape = self.__dict__["_assayer_shape"]
        return str(self.turned_into(TEXT)) if shape.is_open else shape.path

    def __format__(self, specification: str) -> str:
        if specification and specification[-1] in "dfeg%":
            return format(self.turned_into(NUMBER), specification)
        return format(str(self), specification)

    def __fspath__(self) -> str:
        return str(self.turned_into(FILE))

    def __int__(self) -> int:
        return int(self.turned_into(INTEGER))

    def __float__(self) -> float:
        return float(self.turned_into(NUMBER))

    def __neg__(self) -> Any:
        return -self.turned_into(NUMBER)

    def __abs__(self) -> Any:
        return abs(self.turned_into(NUMBER))

    def __bytes__(self) -> bytes:
        return bytes(self.turned_into(BYTES))

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *details: Any) -> None:
        return None

    async def __aenter__(self) -> Any:
        return self

    async def __aexit__(self, *details: Any) -> None:
        return None

    def __await__(self) -> Any:
        self.__dict__["_assayer_shape"].is_awaited = True
        yield from ()
        return self

    async def __aiter__(self) -> Any:
        yield self.turned_into(LIST)[0]


def _kind_beside(other: Any, operation: str) -> str:
    """Return the kind of a value that an operation puts beside another one."""
    shape = shape_of(other)
    kind = _KIND_OF.get(type(other), "") if shape is None else shape.kind
    usual = TEXT if operation == "__add__" else NUMBER
    return kind if kind in (TEXT, INTEGER, NUMBER, LIST, BYTES) else usual


def _settled(other: Any, operation: str) -> Any:
    """Return the other operand, which has a type now too."""
    return (
        other.turned_into(_kind_beside(None, operation)) if type(other) is LearningObject else other
    )


def _operation(name: str) -> Any:
    def operate(self: Any, other: Any) -> Any:
        own = self.turned_into(_kind_beside(other, name))
        return getattr(own, name)(own if other is self else _settled(other, name))

    return operate


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
    setattr(LearningObject, f"__{_name}__", _operation(f"__{_name}__"))
for _name in ("lt", "le", "gt", "ge"):
    setattr(LearningObject, f"__{_name}__", _operation(f"__{_name}__"))


def _reflected(name: str) -> Any:
    def operate(self: Any, other: Any) -> Any:
        return getattr(other, name)(self.turned_into(_kind_beside(other, name)))

    return operate


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
    setattr(LearningObject, f"__r{_name}__", _reflected(f"__{_name}__"))


def _as(shape: ArgumentShape, kind: str) -> Any:
    if kind == TEXT:
        return LearningText.of(shape, shape.plain_text())
    if kind == FILE:
        return live(shape) if shape.kind == FILE else LearningText.of(shape, shape.plain_text())
    return _LIVE[kind](shape)


_METHODS: Tuple[Tuple[str, Any], ...] = (
    (TEXT, _TEXT_METHODS),
    (MAPPING, _MAPPING_METHODS),
    (LIST, _LIST_METHODS),
    (BYTES, frozenset({"decode", "hex"})),
)
_LIVE: Dict[str, Any] = {
    MAPPING: LearningMapping,
    LIST: LearningList,
    INTEGER: lambda shape: integer_of(shape, shape.scalar(INTEGER)),
    NUMBER: lambda shape: number_of(shape, shape.scalar(NUMBER)),
    BYTES: _bytes,
    CALLABLE: LearningObject,
}
_KIND_OF: Dict[type, str] = {
    str: TEXT,
    int: INTEGER,
    float: NUMBER,
    bool: TRUTH,
    bytes: BYTES,
    list: LIST,
    dict: MAPPING,
}
LEARNING = (
    *(LearningText, LearningInteger, LearningNumber, LearningBytes, LearningMapping),
    *(LearningList, LearningObject),
)
"""The classes of values that learn."""
