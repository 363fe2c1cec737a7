"""The documentation site: built without a warning, with no link to what is missing."""

import html.parser
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from worker.cli import COMMANDS

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")


class Links(html.parser.HTMLParser):
    """The anchors of a page, and what it refers to."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.targets: list[str] = []
        self.feed(page.read_text("utf-8"))

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id":
                self.anchors.add(value)
            elif name in {"href", "src"} and value:
                self.targets.append(value)


def test_readme_is_short_and_shows_a_review():
    assert len(README.split()) <= 900
    (picture,) = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", README)
    assert (ROOT / picture).is_file()


@pytest.mark.parametrize("page", ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_links_of_the_repository_lead_somewhere(page):
    targets = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", (ROOT / page).read_text("utf-8"))
    assert [target for target in targets if not (ROOT / target).exists()] == []


@pytest.mark.slow
def test_site_is_built_and_every_link_leads_somewhere(tmp_path):
    build = [sys.executable, "scripts/build_documentation.py", str(tmp_path)]
    built = subprocess.run(
        build, cwd=ROOT, capture_output=True, text=True, check=False, timeout=600
    )
    assert built.returncode == 0, built.stdout + built.stderr
    site = tmp_path / "site"
    pages = {page: Links(page) for page in site.rglob("*.html")}
    broken = [
        f"{page.relative_to(site)}: {target}"
        for page, links in pages.items()
        for target in links.targets
        if not leads_somewhere(page, target, pages)
    ]
    assert broken == []
    reference = (site / "command-line.html").read_text("utf-8")
    assert [name for name in COMMANDS if f"assayer {name}" not in reference] == []


def leads_somewhere(page: Path, target: str, pages: dict[Path, Links]) -> bool:
    """Return whether a link is to another site, or to a file and anchor that are there."""
    url = urlsplit(target)
    if url.scheme or url.netloc:
        return url.scheme in {"https", "http", "mailto", "data"}
    path = (page.parent / unquote(url.path)).resolve() if url.path else page
    anchors = pages[path].anchors if path in pages else None
    if not url.fragment or anchors is None:
        return path.exists()
    return unquote(url.fragment) in anchors
