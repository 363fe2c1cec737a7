"""Draw what a review of the demo's pull request looks like on GitHub, as docs/images/review-*.png.

Usage: python scripts/review_picture.py

The demo is checked; its comments come from the templates that the App posts, and Debian's
Chromium draws them.  Run it after a change of the templates or of the demo.
"""

from __future__ import annotations

import html
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from jinja2 import Environment, FileSystemLoader
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markupsafe import Markup
from PIL import Image
from playwright.sync_api import sync_playwright

from worker.check.check_plan import CheckRequest
from worker.check.pipeline import check
from worker.cli.demo import INPUTS, unpack
from worker.cli.progress import SilentListener
from worker.demo import BASE, HEAD
from worker.report.artifacts import write_artifacts
from worker.report.code_excerpt import CodeLine, code_lines
from worker.report.html_report import thumbnail
from worker.report.json_report import report_document
from worker.report.markdown_report import ReportLinks, finding_text, suggestion_text, summary
from worker.report.report_messages import suggested
from worker.report.stored_report import stored
from worker.settings.operator_settings import read_settings

HERE = Path(__file__).resolve().parent
OUTPUT = HERE.parent / "docs" / "images"
SHOWN = "cloud/dead-branch"
BUDGET = 600.0
DOTS = {"🔴": "dot blocking", "⚪": "dot"}
WIDTH, SCALE, COLOURS = 840, 1.5, 96


def main() -> None:
    """Write the pictures, light and dark."""
    with TemporaryDirectory() as name:
        page = review_page(Path(name))
    OUTPUT.mkdir(parents=True, exist_ok=True)
    for scheme in ("light", "dark"):
        path = OUTPUT / f"review-{scheme}.png"
        path.write_bytes(drawn(page, scheme))
        print(f"{path}: {path.stat().st_size:,} bytes")


def review_page(folder: Path) -> str:
    """Check the demo in ``folder`` and return its review as a page."""
    repository = unpack(folder)
    request = CheckRequest(
        repository=repository,
        base=BASE,
        head=HEAD,
        inputs=INPUTS,
        seconds=BUDGET,
        offline=True,
    )
    checked = check(request, read_settings(None), SilentListener())
    files = write_artifacts(checked.report, folder / "out", checked.sources, checked.base_sources)
    document = report_document(checked.report, files, folder / "out")
    report = stored(document)
    place, finding = next(
        (n, f) for n, f in enumerate(report.findings) if f.rule == SHOWN and suggested(f)
    )
    links = ReportLinks("#", lambda file: _address(folder / "out" / file))
    said = document["findings"][place]
    current = said["suggestion"]["original"].split("\n")
    shown = range(finding.line - 3, finding.line + 1)
    lines = [each for each in code_lines(said["code"]["head"], None) if each.number in shown]
    whole = summary(replace(report, environment=()), links.page)
    told = finding_text(finding, report, links, suggestion_text(finding))
    inline = Comment(finding.path, as_html(told, current), lines)
    return page_of([Comment("assayer", as_html(whole), bot=True), inline])


@dataclass(frozen=True)
class Comment:
    """A comment under its title: of the bot, or below lines of a file."""

    title: str
    text: Markup
    lines: Sequence[CodeLine] = ()
    bot: bool = False


def page_of(comments: Sequence[Comment]) -> str:
    """Return comments as a page that looks like a pull request's."""
    templates = Environment(loader=FileSystemLoader(HERE), autoescape=True)
    return templates.get_template("review_picture.html.j2").render(comments=comments)


def _address(path: Path) -> str:
    return thumbnail(path.read_bytes()) or "#"


def as_html(markdown: str, current: Sequence[str] = ()) -> Markup:
    """Return a comment as GitHub shows it: a suggestion is a diff against the ``current`` lines."""
    parser = MarkdownIt("gfm-like", {"html": True, "linkify": False, "breaks": True})
    parser.validateLink = lambda _address: True
    plain = RendererHTML.fence

    def fence(self, tokens, place, options, env):  # noqa: ANN001, ANN202
        if tokens[place].info != "suggestion":
            return plain(self, tokens, place, options, env)
        new = tokens[place].content.rstrip("\n").split("\n")
        rows = [("minus", line) for line in current] + [("plus", line) for line in new]
        told = "".join(f'<span class="{kind}">{html.escape(line)}</span>' for kind, line in rows)
        return (
            f'<div class="suggestion"><b>Suggested change</b><pre tabindex="0">{told}</pre></div>'
        )

    parser.add_render_rule("fence", fence)
    text = parser.render(markdown)
    for each in ("pre", "table"):
        text = text.replace(f"<{each}>", f'<{each} tabindex="0">')
    for dot, kind in DOTS.items():
        text = text.replace(dot, f'<i class="{kind}"></i>')
    return Markup(text)


def drawn(page: str, scheme: str) -> bytes:
    """Return a page as a PNG of few colours."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"]
        )
        view = browser.new_page(
            viewport={"width": WIDTH, "height": 400}, device_scale_factor=SCALE, color_scheme=scheme
        )
        view.set_content(page)
        picture = Image.open(io.BytesIO(view.screenshot(full_page=True))).convert("RGB")
        browser.close()
    buffer = io.BytesIO()
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


if __name__ == "__main__":
    main()
