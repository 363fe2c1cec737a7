"""Python's own functions, and methods of its own values."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .abstract_values import (
    UNKNOWN,
    CallArguments,
    Evaluator,
    LayerChain,
    LibraryName,
    Namespace,
    OneOf,
    Parser,
    ProjectClass,
    ProjectInstance,
    ShapeAttribute,
    Tensor,
    UntypedParameter,
    sized,
)
from .sizes import Size, SizeTerm, SizeVariable, combined
from .statement_handlers import rounds

_MOST = 512
Native = Callable[[Evaluator, CallArguments], Any]


def _len(_: Evaluator, call: CallArguments) -> Any:
    (value,) = call.args
    if isinstance(value, list | tuple | dict | str):
        return len(value)
    if isinstance(value, ShapeAttribute):
        dims = value.tensor.shape.dims
        return UNKNOWN if dims is None else len(dims)
    if isinstance(value, Tensor):
        size = value.shape.at(0)
        return UNKNOWN if size is None else size
    return UNKNOWN


def _range(_: Evaluator, call: CallArguments) -> Any:
    if all(isinstance(each, int) for each in call.args) and 1 <= len(call.args) <= 3:
        try:
            found = range(*call.args)
        except ValueError:
            return UNKNOWN
        many = len(found) > _MOST
        return [found[0], found[1], found[-1]] if many else list(found)
    for each in call.args:
        sized(each)
    return UNKNOWN


def _enumerate(_: Evaluator, call: CallArguments) -> Any:
    items = rounds(call.args[0])
    start = call.get(1, "start") or 0
    if items is None or not isinstance(start, int):
        return UNKNOWN
    return list(enumerate(items, start))


def _zip(_: Evaluator, call: CallArguments) -> Any:
    all_items = [rounds(each) for each in call.args]
    known = [items for items in all_items if items is not None]
    return list(zip(*known, strict=False)) if len(known) == len(all_items) else UNKNOWN


def _number(kind: Callable[[Any], Any]) -> Native:
    def convert(_: Evaluator, call: CallArguments) -> Any:
        (value,) = call.args
        if isinstance(value, int | float | str):
            try:
                return kind(value)
            except (ValueError, OverflowError):
                return UNKNOWN
        return value if isinstance(value, SizeVariable | SizeTerm | UntypedParameter) else UNKNOWN

    return convert


def _extreme(word: str) -> Native:
    def choose(_: Evaluator, call: CallArguments) -> Any:
        items = rounds(call.args[0]) if len(call.args) == 1 else call.args
        if not items:
            return UNKNOWN
        if all(isinstance(each, int | float) for each in items):
            return (max if word == "max" else min)(items)
        found: Size | None = sized(items[0])
        for each in items[1:]:
            other = sized(each)
            if found is None or other is None:
                return UNKNOWN
            found = combined(word, found, other)
        return UNKNOWN if found is None else found

    return choose


def _sequence(kind: Callable[[Any], Any]) -> Native:
    def convert(_: Evaluator, call: CallArguments) -> Any:
        if not call.args:
            return kind(())
        items = rounds(call.args[0])
        return UNKNOWN if items is None else kind(items)

    return convert


def _sum(_: Evaluator, call: CallArguments) -> Any:
    items = rounds(call.args[0])
    if items is None:
        return UNKNOWN
    total: Size = 0
    for each in items:
        size = sized(each)
        if size is None:
            return UNKNOWN
        total = combined("+", total, size)
    return total


def _isinstance(_: Evaluator, call: CallArguments) -> Any:
    value: Any = call.args[0]
    wanted: Any = call.args[1] if len(call.args) > 1 else UNKNOWN
    plain_types = (int, float, str, list, tuple, dict, bool)
    kinds = {f"builtins.{each.__name__}": each for each in plain_types}
    options: tuple[Any, ...] = wanted if isinstance(wanted, tuple) else (wanted,)
    plain = isinstance(value, int | float | str | list | tuple | dict) or value is None
    names = [each.name for each in options if isinstance(each, LibraryName)]
    known = [kinds[name] for name in names if name in kinds]
    if plain and len(known) == len(options):
        return isinstance(value, tuple(known))
    if isinstance(value, ProjectInstance) and all(
        isinstance(each, ProjectClass) for each in options
    ):
        return any(each.name == value.of.name for each in options) or UNKNOWN
    return UNKNOWN


def _getattr(machine: Evaluator, call: CallArguments) -> Any:
    if len(call.args) < 2 or not isinstance(call.args[1], str):
        return UNKNOWN
    return machine.attribute(call.args[0], call.args[1])


def _setattr(_: Evaluator, call: CallArguments) -> Any:
    holder, name, value = call.args
    if isinstance(holder, ProjectInstance) and isinstance(name, str):
        holder.attributes[name] = value


BUILTINS: Mapping[str, Native] = {
    "len": _len,
    "range": _range,
    "enumerate": _enumerate,
    "zip": _zip,
    "int": _number(int),
    "float": _number(float),
    "abs": _number(
        lambda value: abs(float(value)) if isinstance(value, float) else abs(int(value))
    ),
    "max": _extreme("max"),
    "min": _extreme("min"),
    "sum": _sum,
    "list": _sequence(list),
    "tuple": _sequence(tuple),
    "reversed": _sequence(lambda items: list(reversed(items))),
    "isinstance": _isinstance,
    "getattr": _getattr,
    "setattr": _setattr,
    "dict": lambda _, call: UNKNOWN if call.args else dict(call.kwargs),
    **dict.fromkeys(
        ("print", "str", "bool", "round", "sorted", "hasattr", "type", "set", "map"),
        lambda *_: UNKNOWN,
    ),
}


def number_of(name: str, args: Sequence[Any]) -> Any:
    """Call a function of ``math``; of a size, some number: what it is tells nothing of shapes."""
    function = getattr(math, name, None)
    if not callable(function):
        return function if isinstance(function, float) else UNKNOWN
    if all(isinstance(each, int | float) for each in args):
        try:
            return function(*args)
        except (ValueError, OverflowError, TypeError):
            return UNKNOWN
    known = all(sized(each) is not None or isinstance(each, float) for each in args)
    return 1.5 if known and name in ("sqrt", "log", "log2", "exp", "pow") else UNKNOWN


def native_call(receiver: Any, name: str, args: Sequence[Any]) -> Any:
    """Call a method of a list, a dictionary or a text."""
    if isinstance(receiver, list):
        return _list_call(receiver, name, args)
    if isinstance(receiver, dict):
        if name in ("keys", "values", "items"):
            return list(getattr(receiver, name)())
        if name == "get" and args and isinstance(args[0], str | int):
            return receiver.get(args[0], args[1] if len(args) > 1 else None)
    if isinstance(receiver, str) and name in ("lower", "upper", "strip") and not args:
        return getattr(receiver, name)()
    if isinstance(receiver, str) and name == "split" and all(isinstance(a, str) for a in args):
        return receiver.split(*args)
    return UNKNOWN


def _list_call(receiver: list[Any], name: str, args: Sequence[Any]) -> Any:
    if name in ("append", "add_module") and args:
        receiver.append(args[-1])
    elif name == "extend" and args:
        receiver += rounds(args[0]) or []
    elif name == "insert" and len(args) == 2 and isinstance(args[0], int):
        receiver.insert(args[0], args[1])
    elif name == "pop" and receiver:
        return receiver.pop()
    elif name in ("to", "cuda", "eval", "train"):
        return receiver
    elif isinstance(receiver, LayerChain) or name not in ("sort", "reverse"):
        return UNKNOWN
    return None


def parser_call(parser: Parser, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Call a method of an ``ArgumentParser``."""
    if name == "add_argument" and args:
        flags = [each for each in args if isinstance(each, str)]
        longest = max(flags, key=lambda flag: (flag.startswith("--"), len(flag)), default="")
        given = kwargs.get("dest", longest.lstrip("-").replace("-", "_"))
        if isinstance(given, str):
            parser.values[given] = _option(kwargs)
    elif name in ("parse_args", "parse_known_args"):
        found = Namespace(dict(parser.values))
        return found if name == "parse_args" else (found, [])
    elif name == "add_argument_group":
        return parser
    return UNKNOWN


def _option(kwargs: Mapping[str, Any]) -> Any:
    choices = kwargs.get("choices")
    if "default" in kwargs and kwargs["default"] is not None:
        return kwargs["default"]
    if isinstance(choices, list | tuple) and all(isinstance(c, int | str) for c in choices):
        return OneOf(tuple(choices))
    if kwargs.get("action") in ("store_true", "store_false"):
        return kwargs["action"] == "store_false"
    return UNKNOWN
