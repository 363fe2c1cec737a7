"""The templates of reports: pages, comments and reproducers."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from markupsafe import Markup, escape

from worker.report.literals import literal

TEMPLATES = Path(__file__).resolve().parents[2] / "templates"


@cache
def environment() -> Environment:
    """The one Jinja environment; HTML templates escape, a missing name raises."""
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=select_autoescape(enabled_extensions=("html.j2",)),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
    made.filters["literal"] = literal
    return made


def fill(template: str, **values: object) -> str:
    """The text of a template with its values filled in."""
    return environment().get_template(template).render(**values)


def prose(text: object) -> Markup:
    """Text as HTML, with what stands in single backquotes as code."""
    parts = str(text).split("`")
    if len(parts) % 2 == 0:
        return escape(str(text))
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if index % 2 else part
        for index, part in enumerate(parts)
    )
