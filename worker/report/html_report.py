"""The report as one page that needs nothing from outside."""

from __future__ import annotations

import base64
import hashlib
import io
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from analyzers.vocabulary import Report
from worker.report.answered_inputs import answered_inputs
from worker.report.artifacts import Artifacts
from worker.report.json_report import report_document
from worker.report.markdown_escape import inert, undirected
from worker.report.report_page import media_type_of, page_values, page_view
from worker.report.report_templates import TEMPLATES, environment

WIDTH, HEIGHT = 320, 240
MOST_PIXELS = 50_000_000
LARGEST_UNTOUCHED = 12_000
LARGEST_SOUND = 1_000_000
_UNTOUCHED = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif"}

ReadFile = Callable[[str], bytes | None]
"""Reads a file of a report by its name; ``None`` where it is gone."""


def thumbnail(content: bytes) -> str | None:
    """Return a ``data:`` URI of at most 320 x 240 pixels; ``None`` for no picture."""
    from PIL import Image  # noqa: PLC0415 - only a page with pictures needs it

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            image = Image.open(io.BytesIO(content))
            if image.width * image.height > MOST_PIXELS:
                return None
            kind = _UNTOUCHED.get(image.format or "")
            small = image.width <= WIDTH and image.height <= HEIGHT
            if kind and small and len(content) <= LARGEST_UNTOUCHED:
                image.verify()
                return _uri(kind, content)
            image.thumbnail((WIDTH, HEIGHT))
            flat = Image.new("RGB", image.size, "white")
            layered = image.convert("RGBA")
            flat.paste(layered, mask=layered.getchannel("A"))
            buffer = io.BytesIO()
            flat.save(buffer, "JPEG", quality=82)
            return _uri("image/jpeg", buffer.getvalue())
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError, Warning):
        return None


def _uri(kind: str, content: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode('ascii')}"


def to_html(report: Report, artifacts: Artifacts | None = None) -> str:
    """Return the page, with pictures inside and a policy that lets nothing else in."""
    document = report_document(report, artifacts)
    contents: dict[str, bytes] = {}
    for finding, told in zip(report.findings, document["findings"], strict=True):
        for number, each in enumerate(answered_inputs(finding)):
            name = f"{finding.fingerprint}/{number}{each.item.suffix}"
            told["inputs"][number]["file"] = name
            contents[name] = each.item.content
    return page_of_document(document, contents.get)


def page_of_document(document: Mapping[str, Any], read: ReadFile) -> str:
    """Return the page of a report's document, with the files that ``read`` gives inside."""
    view = page_view(document, lambda name: _embedded(name, read))
    style, script = (_own(name) for name in ("page.css", "page.js"))
    page = environment().overlay(finalize=undirected).get_template("report_file.html.j2")
    return inert(page.render(**page_values(view), style_hash=style, script_hash=script))


def stored_files(folder: Path) -> ReadFile:
    """Return a reader of the files that a report in ``folder`` names."""

    def read(name: str) -> bytes | None:
        try:
            return (folder / name).read_bytes()
        except OSError:
            return None

    return read


def _embedded(name: str, read: ReadFile) -> str | None:
    """Return a picture or a sound as an address of its own; any other file by its name."""
    kind = media_type_of(name) or ""
    if kind.startswith("image/"):
        content = read(name)
        return thumbnail(content) if content else None
    if kind.startswith("audio/"):
        content = read(name)
        return _uri(kind, content) if content and len(content) <= LARGEST_SOUND else None
    return name if PurePosixPath(name).suffix == ".py" else None


def _own(name: str) -> str:
    """Return the digest of our own style or script, as a policy names it."""
    text = (TEMPLATES / name).read_bytes()
    return base64.b64encode(hashlib.sha256(text).digest()).decode("ascii")
