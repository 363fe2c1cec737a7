"""Values as the text of Python literals, laid out to be read."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from markupsafe import Markup, escape

WIDTH = 100


def literal(value: object, indent: int = 0) -> str:
    """Return Python source whose value is ``value``, over several lines if long."""
    if not _is_nested(value) or not value:
        return _line(value)
    if _least_length(value, WIDTH) + indent < WIDTH:
        line = _line(value)
        if len(line) + indent < WIDTH:
            return line
    inner = " " * (indent + 4)
    opening, closing = _brackets(value)
    items = [f"{inner}{item},\n" for item in _items(value, indent + 4)]
    return f"{opening}\n{''.join(items)}{' ' * indent}{closing}"


def _least_length(value: object, enough: int) -> int:
    """Return a length that one line of a value has at least, or ``enough`` where it has that."""
    if not _is_nested(value):
        return len(value) if isinstance(value, str | bytes) else 1
    inside = [*value.keys(), *value.values()] if isinstance(value, Mapping) else _sequence(value)
    length = 2
    for each in inside:
        length += 2 + _least_length(each, enough - length)
        if length > enough + 2:
            return enough
    return length - 2 if inside else length


def _items(value: object, indent: int) -> list[str]:
    if isinstance(value, Mapping):
        return [f"{_line(key)}: {literal(item, indent)}" for key, item in value.items()]
    return [literal(item, indent) for item in _sequence(value)]


def _line(value: object) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_line(k)}: {_line(v)}" for k, v in value.items()) + "}"
    if _is_nested(value):
        opening, closing = _brackets(value)
        items = [_line(item) for item in _sequence(value)]
        comma = "," if isinstance(value, tuple) and len(items) == 1 else ""
        return f"{opening}{', '.join(items)}{comma}{closing}"
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    return _quoted(value) if isinstance(value, str) else repr(value)


def _quoted(text: str) -> str:
    written = repr(str(text))
    return f'"{written[1:-1]}"' if written[0] == "'" and '"' not in written else written


def _is_nested(value: object) -> bool:
    return isinstance(value, Mapping | Sequence) and not isinstance(value, str | bytes)


def _sequence(value: object) -> Sequence[object]:
    return value if isinstance(value, Sequence) else ()


def _brackets(value: object) -> tuple[str, str]:
    if isinstance(value, Mapping):
        return "{", "}"
    return ("(", ")") if isinstance(value, tuple) else ("[", "]")


TEMPLATES = Path(__file__).resolve().parents[2] / "templates"


@cache
def environment() -> Environment:
    """Return the one Jinja environment; HTML templates escape, a missing name raises."""
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=select_autoescape(enabled_extensions=("html.j2",)),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
    made.filters["literal"] = literal
    return made


def fill(template: str, **values: object) -> str:
    """Return the text of a template with its values filled in."""
    return environment().get_template(template).render(**values)


@cache
def helper(name: str) -> str:
    """Return a function that reproducers bring with them, as text."""
    file = TEMPLATES / "reproducer" / "helpers" / f"{name}.py.j2"
    return file.read_text(encoding="utf-8").rstrip("\n")


def prose(text: object) -> Markup:
    """Text as HTML, with what stands in single backquotes as code."""
    parts = str(text).split("`")
    if len(parts) % 2 == 0:
        return escape(str(text))
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if index % 2 else part
        for index, part in enumerate(parts)
    )
