"""Build the documentation site: ``python scripts/build_documentation.py [FOLDER]``.

The pages of ``docs/`` are copied, and the command line, the report's schema and ARCHITECTURE.md
become pages beside them.  A link to another file of the repository keeps its text alone, since the
site does not have that file.  A link to a page or heading that is missing fails the build.
"""

from __future__ import annotations

import json
import posixpath
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
from sphinx.cmd.build import build_main

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from worker.cli import cli  # noqa: E402

# pages of the site by the file of the repository that they show
SHOWN = {"ARCHITECTURE.md": "architecture.md", "benchmarks/README.md": "benchmarks.md"}
LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!https?:|#|mailto:)([^)\s#]+)(#[^)\s]*)?\)")
FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


def main(arguments: Sequence[str]) -> int:
    """Build the site into the folder; return Sphinx's exit status."""
    folder = Path(arguments[0]) if arguments else ROOT / "build" / "documentation"
    source = folder / "source"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "docs", source)
    (source / "command-line.md").write_text(command_line(), "utf-8")
    (source / "report-schema.md").write_text(report_schema(), "utf-8")
    for path, page in SHOWN.items():
        shutil.copyfile(ROOT / path, source / page)
    for page in source.rglob("*.md"):
        page.write_text(linked(page, source), "utf-8")
    return build_main(
        [
            "--quiet",
            "--fail-on-warning",
            "--keep-going",
            "-b",
            "html",
            str(source),
            str(folder / "site"),
        ]
    )


def linked(page: Path, source: Path) -> str:
    """Return a page's text with links that the site can follow."""
    uri = page.relative_to(source).as_posix()
    shown = next((path for path, made in SHOWN.items() if made == uri), f"docs/{uri}")

    def link(found: re.Match[str]) -> str:
        text, target, anchor = found[1], found[2], found[3] or ""
        path = posixpath.normpath(posixpath.join(posixpath.dirname(shown), target))
        to = SHOWN.get(path, path.removeprefix("docs/") if path.startswith("docs/") else "")
        if to and (source / to).is_file():
            return f"[{text}]({posixpath.relpath(to, posixpath.dirname(uri) or '.')}{anchor})"
        return text if (ROOT / path).exists() else found[0]

    parts = FENCE.split(page.read_text("utf-8"))
    return "".join(part if part.startswith("```") else LINK.sub(link, part) for part in parts)


def command_line() -> str:
    """Return the reference of every command, from what ``--help`` says."""
    sections = ["# Command line\n\nWhat each command says with `--help`.\n"]
    for depth, path, text in _commands(click.Context(cli, info_name="assayer"), 2):
        sections.append(f"{'#' * depth} `{path}`\n\n```text\n{text}\n```\n")
    return "\n".join(sections)


def _commands(context: click.Context, depth: int) -> Iterator[tuple[int, str, str]]:
    command = context.command
    yield min(depth, 3), context.command_path, command.get_help(context)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None
            yield from _commands(click.Context(child, context, name), depth + 1)


def report_schema() -> str:
    """Return a table of every field of the JSON report."""
    schema = json.loads((ROOT / "worker/report/schema.json").read_text("utf-8"))
    rows = [f"| `{path}` | {kind} | {always} |" for path, kind, always in _fields(schema, "")]
    head = (
        "# Report schema\n\nEvery field of the JSON report, `assayer-report/1`, as in the schema "
        "that reports are checked against. [The report](report.md) says what they mean.\n\n"
        "| field | type | always there |\n|---|---|---|"
    )
    return "\n".join([head, *rows, ""])


def _fields(schema: dict[str, Any], prefix: str) -> Iterator[tuple[str, str, str]]:
    for name, field in schema.get("properties", {}).items():
        path = f"{prefix}{name}"
        yield path, _kind(field), "yes" if name in schema.get("required", ()) else ""
        for part in (field, *field.get("oneOf", ())):
            yield from _fields(part, f"{path}.")
            yield from _fields(part.get("items", {}), f"{path}[].")


def _kind(field: dict[str, Any]) -> str:
    if "oneOf" in field:
        return " or ".join(_kind(part) for part in field["oneOf"])
    if "enum" in field:
        return ", ".join(f"`{value}`" for value in field["enum"])
    if "const" in field:
        return f"`{field['const']}`"
    kind = field.get("type", "anything")
    if kind == "array" and "items" in field:
        return f"array of {_kind(field['items'])}"
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
