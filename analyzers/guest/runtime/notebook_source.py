"""The code of a notebook as one text; used by host and guest alike."""

from __future__ import annotations

import json
import re
from typing import Any, List

_MAGIC = re.compile(
    r"^\s*[%!?]|^\s*\w[\w.]*\?{1,2}\s*$|^(pwd|ls|cd|clear|whos?)\b[^=(.]*$|^\s*\w+(\s*,\s*\w+)*\s*=\s*[%!]"
)
_INDENT = re.compile(r"^\s*")


def code_of(text: str) -> str:
    """Return the code cells of a notebook (JSON text), magics and magic cells commented out.

    Raises ``ValueError`` when the text is not a notebook.
    """
    notebook = json.loads(text)
    if not isinstance(notebook, dict):
        raise ValueError("not a notebook")  # noqa: TRY004
    worksheets = notebook.get("worksheets") or [notebook]
    cells = [cell for sheet in worksheets for cell in sheet.get("cells", [])]
    return "\n".join(_cell(cell) for cell in cells if cell.get("cell_type") == "code")


def _cell(cell: Any) -> str:
    source = cell.get("source", cell.get("input", ""))
    lines: List[str] = "".join(source).split("\n")
    if lines[0].lstrip().startswith("%%") and not _runs_python(lines[0]):
        return "\n".join(f"# {line}" for line in lines)
    return "\n".join(_line(line) for line in lines)


def _runs_python(line: str) -> bool:
    return line.split(maxsplit=1)[0] in ("%%time", "%%timeit", "%%capture", "%%prun")


def _line(line: str) -> str:
    if not _MAGIC.search(line):
        return line
    indent = _INDENT.match(line)
    blank = indent.group() if indent else ""
    return f"{blank}pass  # {line.strip()}" if blank else f"# {line}"
