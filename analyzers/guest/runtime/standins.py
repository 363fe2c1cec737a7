"""Inert objects accept everything and mean nothing; plain values taken from one are noted."""

from __future__ import annotations

import abc
import functools
import itertools
import sys
from types import CodeType, FunctionType, GeneratorType, ModuleType
from typing import Any, Callable, Dict, Iterator, List, NoReturn, Optional, Set, Tuple

from . import assumptions, replaced_libraries

_LONGEST_OPERAND = 40
_LONGEST_NAME = 200
"""Longer names grow no more: a loop that goes from part to part would fill the memory."""
_DRAWN = 20
_leaks: Set[CodeType] = set()
names: List[str] = []


def _no_client(name: str) -> Any:
    del name


client_method: Callable[[str], Any] = _no_client
"""Finds the method of an ML API's client that a dotted name ends with."""


def forget() -> None:
    """Forget the leaks of the input before."""
    _leaks.clear()


def leaked(code: CodeType) -> bool:
    """Return whether a plain value was taken out of a stand-in by this code."""
    return code in _leaks


def note(name: str) -> None:
    """Note that ``name`` is stood in for, for the report."""
    if name not in names:
        names.append(name)


def _leak() -> None:
    frame = sys._getframe(3)  # pyright: ignore[reportPrivateUsage]
    _leaks.add(frame.f_code)


def is_standin(value: Any) -> bool:
    """Return whether a value is a stand-in, or an object or class built on one."""
    kind = type(value)
    return (
        kind in (Inert, InertText, InertModule)
        or isinstance(kind, InertMeta)
        or kind is InertMeta
        or getattr(kind, "_assayer_filled", False) is True
    )


class Entered:
    """A value that is its own context manager, sync or async."""

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *details: Any) -> None:
        return None

    async def __aenter__(self) -> Any:
        return self

    async def __aexit__(self, *details: Any) -> None:
        return None


def awaited(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method as an asynchronous client has it."""

    @functools.wraps(method)
    async def later(*args: Any, **options: Any) -> Any:
        return method(*args, **options)

    return later


class Inert(Entered):
    """One inert object.  A decorator made of it returns the function itself."""

    def __init__(self, name: str = "argument") -> None:
        self.__dict__["_assayer_name"] = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        full = _step(self, f".{name}")
        content = assumptions.typed(full)
        if content is None and assumptions.is_assuming():
            content = client_method(full)
        if content is not None:
            return content
        return self.__dict__.setdefault(name, attribute(full))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:  # noqa: D102
        if len(args) == 1 and not kwargs and isinstance(args[0], (FunctionType, type)):
            return args[0]
        if assumptions.is_assuming():
            _draw(args)
        return _part(self, "()")

    def __mro_entries__(self, bases: Tuple[Any, ...]) -> Tuple[type, ...]:
        known = any(isinstance(base, type) and issubclass(base, InertBase) for base in bases)
        return () if known else (_base(self.__dict__["_assayer_name"]),)

    def __instancecheck__(self, instance: Any) -> bool:
        return False

    def __subclasscheck__(self, subclass: Any) -> bool:
        return False

    def __deepcopy__(self, memo: Any) -> Inert:
        return self

    def __copy__(self) -> Inert:
        return self

    def __repr__(self) -> str:
        return f"<stand-in {self.__dict__['_assayer_name']}>"

    def __str__(self) -> str:
        _leak()
        return ""

    def __format__(self, specification: str) -> str:
        _leak()
        return ""

    def __fspath__(self) -> str:
        _leak()
        return "stand-in"

    def __bytes__(self) -> bytes:
        _leak()
        return b""

    def __int__(self) -> int:
        _leak()
        return int(assumptions.is_assuming())

    __index__ = __trunc__ = __int__

    def __float__(self) -> float:
        _leak()
        return 0.0

    def __len__(self) -> int:
        _leak()
        name = self.__dict__["_assayer_name"]
        return int(assumptions.is_assuming() and assumptions.truth(f"len({name})", default=True))

    def __bool__(self) -> bool:
        return assumptions.truth(self.__dict__["_assayer_name"], default=True)

    def __eq__(self, other: object) -> bool:
        return self is other or self._compares("==", other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = object.__hash__

    def _compares(self, sign: str, other: object) -> bool:
        if not assumptions.is_assuming():
            return False
        name, shown = self.__dict__["_assayer_name"], repr(other)[:_LONGEST_OPERAND]
        return assumptions.truth(f"{name} {sign} {shown}", default=False)

    def __iter__(self) -> Iterator[Any]:
        _leak()
        frame = sys._getframe(2)  # pyright: ignore[reportPrivateUsage]
        count = assumptions.number_of_elements(frame)
        return iter([_part(self, "[0]") for _ in range(count)])

    def __contains__(self, item: Any) -> bool:
        return assumptions.truth(f"{item!r:.40} in {self.__dict__['_assayer_name']}", default=False)

    def __getitem__(self, key: Any) -> Any:
        return _part(self, f"[{key!r}]" if isinstance(key, (str, int)) else "[]")

    def __setitem__(self, key: Any, value: Any) -> None:
        return None

    def __delitem__(self, key: Any) -> None:
        return None

    def __await__(self) -> Any:
        return _itself(self).__await__()

    async def __aiter__(self) -> Any:
        if assumptions.is_assuming():
            yield _part(self, "[0]")

    def __round__(self, digits: int = 0) -> Any:
        return self

    def __lt__(self, other: Any) -> bool:
        return self._compares("<", other)

    def __gt__(self, other: Any) -> bool:
        return self._compares(">", other)

    __le__, __ge__ = __lt__, __gt__

    def __add__(self, other: Any) -> Any:
        return self

    def __or__(self, other: Any) -> Any:
        return other if getattr(type(other), "is_chained", False) else self

    __radd__ = __iadd__ = __sub__ = __rsub__ = __isub__ = __add__
    __mul__ = __rmul__ = __imul__ = __truediv__ = __rtruediv__ = __add__
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = __add__
    __matmul__ = __rmatmul__ = __and__ = __rand__ = __ror__ = __add__
    __xor__ = __rxor__ = __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = __add__

    def __divmod__(self, other: Any) -> Tuple[Any, Any]:
        return self, self

    def __neg__(self) -> Any:
        return self

    __pos__ = __abs__ = __invert__ = __neg__


_USES = (
    *("__getattr__", "__call__", "__instancecheck__", "__subclasscheck__", "__enter__"),
    *("__str__", "__format__", "__fspath__", "__bytes__", "__int__", "__index__", "__trunc__"),
    *("__float__", "__len__", "__bool__", "__iter__", "__contains__", "__getitem__"),
    *("__setitem__", "__delitem__", "__await__", "__aiter__", "__aenter__", "__round__"),
    *(
        "__eq__",
        "__lt__",
        "__le__",
        "__gt__",
        "__ge__",
        "__divmod__",
        "__neg__",
        "__pos__",
        "__abs__",
    ),
    *("__invert__",),
    *(
        f"__{way}{name}__"
        for name in (
            "add",
            "sub",
            "mul",
            "truediv",
            "floordiv",
            "mod",
            "pow",
            "matmul",
            "and",
            "or",
        )
        for way in ("", "r", "i")
    ),
    *("__xor__", "__rxor__", "__lshift__", "__rlshift__", "__rshift__", "__rrshift__"),
)
"""The methods by which code makes use of an inert object."""


def _using(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def used(self: Any, *args: Any, **kwargs: Any) -> Any:
        replaced_libraries.use(self.__dict__["_assayer_name"])
        return method(self, *args, **kwargs)

    return used


for _name in _USES:
    if hasattr(Inert, _name):
        setattr(Inert, _name, _using(getattr(Inert, _name)))


async def _itself(value: Any) -> Any:
    return value


class InertMeta(abc.ABCMeta):
    """The class of classes that inherit from a stand-in."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return _of_class(cls, name)


class InertBase(metaclass=InertMeta):
    """The base class of classes whose own base is a stand-in."""

    _assayer_name = ""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        del args, kwargs
        replaced_libraries.use(self._assayer_name)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        del kwargs

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return _of_class(type(self), name)


def _of_class(kind: type, name: str) -> Any:
    """Return what stands under a name of a class that is built on a stand-in."""
    library = getattr(kind, "_assayer_name", "")
    replaced_libraries.use(library)
    return attribute(f"{library or kind.__name__}.{name}")


def _base(name: str) -> type:
    return InertMeta("InertBase", (InertBase,), {"_assayer_name": name, "__module__": __name__})


def _draw(values: Tuple[Any, ...]) -> None:
    """Draw from generators as the library would: a streamed response, a pool's results."""
    for value in values:
        if isinstance(value, GeneratorType):
            for _ in itertools.islice(value, _DRAWN):
                pass


def _part(whole: Inert, step: str) -> Any:
    """Return what one step from an inert object leads to: the assumed content, or another one."""
    name = _step(whole, step)
    content = assumptions.typed(name)
    return Inert(name) if content is None else content


def _step(whole: Inert, step: str) -> str:
    name: str = whole.__dict__["_assayer_name"]
    return name + step if len(name) + len(step) <= _LONGEST_NAME else name


class InertText(str):
    """A text that stands in for one that only the real machine knows."""

    __slots__ = ()


def lack(key: object) -> NoReturn:
    """Raise ``KeyError`` for what a library looks up in an application that we set up."""
    raise KeyError(key)


def made_up_variable(place: str, name: str) -> InertText:
    """Return a plausible value of a setting that is not there; ``place`` is for the report."""
    note(place)
    return InertText(assumptions.variable(name))


def _nothing(name: str) -> Optional[ModuleType]:
    del name
    return None


class InertModule(ModuleType):
    """A module that stands in for a missing one."""

    submodule: Callable[[str], Optional[ModuleType]] = staticmethod(_nothing)

    def __init__(self, name: str, **own: Any) -> None:
        super().__init__(name, "A stand-in for a module that is not installed.")
        self.__dict__.update(own)
        self.__path__ = []
        self.__all__: List[str] = []
        self.__version__ = InertText("0")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        full = f"{self.__name__}.{name}"
        replaced_libraries.use(full)
        value = InertModule.submodule(full) or attribute(full)
        setattr(self, name, value)
        return value


class InertException(Exception):  # noqa: N818 - of whatever name the library gives it
    """An exception of a missing library; what it was made with is at its attributes."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, *kwargs.values())
        self.__dict__.update(kwargs)


def attribute(name: str) -> Any:
    """Return what stands under a dotted name: an exception class, or an inert object."""
    last = name.rpartition(".")[2]
    if last[:1].isupper() and last.endswith(("Error", "Exception", "Warning")):
        return type(last, (InertException,), {"__module__": name.rpartition(".")[0]})
    return Inert(name)


def inert_instance(kind: type) -> Any:
    """An instance of a class, unconstructed, whose missing attributes are inert."""
    body: Dict[str, Any] = {
        "__module__": kind.__module__,
        "__qualname__": kind.__qualname__,
        "_assayer_filled": True,
    }
    if not hasattr(kind, "__getattr__"):
        body["__getattr__"] = InertBase.__getattr__
    metaclass: Any = type(kind)
    made = metaclass(kind.__name__, (kind,), body)
    made.__abstractmethods__ = frozenset()
    return made.__new__(made)
