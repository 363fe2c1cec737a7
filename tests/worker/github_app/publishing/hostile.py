"""Texts that would like to be more than text, and how a reader at GitHub sees them."""

from __future__ import annotations

import re

from hypothesis import strategies as st
from markdown_it import MarkdownIt

from analyzers.vocabulary import Level, Status, Suggestion
from tests.worker.report import samples

PIECES = [
    "@octocat",
    "@org/team",
    "#12",
    "GH-13",
    "_gh-14",
    "CVE-2024-1234",
    "GHSA-aaaa-bbbb-cccc",
    "0123456789abcdef0123456789abcdef01234567",
    "abcdef1",
    "https://evil.example",
    "_https://evil.example",
    "1http://evil.example",
    "www.evil.example",
    "_www.evil.example",
    "mailto:a@evil.example",
    "a@evil.example",
    "![x](https://evil.example/x.png)",
    "[x](https://evil.example)",
    "<img src=//evil.example>",
    "<!-- assayer:summary -->",
    "<!-- assayer:finding:0000000000000000 -->",
    "</details>",
    "```",
    "````suggestion",
    "`",
    "$x$",
    "|",
    "\\",
    "\\|",
    "\n",
    "\r\n",
    "\n# h\n",
    "\n> [!NOTE]\n",
    "\n- [ ] x\n",
    "[^1]",
    "\u202e",
    "\u2028",
    "\x1b[31m",
    "\ud800",
    "💥",
    "/assayer ignore 0000000000000000 x",
    " ",
    "word",
]
TEXT = st.lists(st.sampled_from(PIECES), min_size=1, max_size=12).map(" ".join) | st.lists(
    st.sampled_from(PIECES), min_size=1, max_size=12
).map("".join)
_COMMENT = TEXT.map(lambda text: "#@arg(x): " + " ".join(text.split()))
OFFERS = st.lists(
    st.fixed_dictionaries(
        {
            "path": st.just("shop/receipts.py") | TEXT,
            "line": st.integers(-1, 30),
            "lines": st.lists(_COMMENT | TEXT, max_size=4),
        }
    ),
    max_size=2,
)
LONG = st.builds(
    lambda text, times: text * times, TEXT, st.sampled_from([1, 1, 1, 1, 1, 1, 1, 900])
)
ALLOWED_HTML = re.compile(
    r"</?(details|details open|summary|sub|br)>"
    r"|<!-- assayer:(summary|audit|finding:[0-9a-f]{16}) -->"
)
_READER = MarkdownIt("gfm-like", {"html": True, "linkify": False})
_PINGS = re.compile(
    r"(?i)@\w|#\d|gh-\d|cve-\w|ghsa-\w|(https?|ftp|mailto|xmpp|www)[:.]"
    r"|(?<![0-9a-z])[0-9a-f]{7,40}(?![0-9a-z])"
)


@st.composite
def findings(draw, most=4):
    """Findings whose every text comes from a pull request that means harm."""
    found = []
    for number in range(draw(st.integers(0, most))):
        suggestion = draw(
            st.none()
            | st.builds(
                Suggestion,
                st.just("shop/receipts.py"),
                st.just(11),
                st.just(12),
                TEXT.map(lambda text: text.replace("\r", "").rstrip("\n")),
                st.booleans(),
            )
        )
        found.append(
            samples.crash(
                symbol=f"s{number}",
                level=draw(st.sampled_from(Level)),
                status=draw(st.sampled_from([Status.NEW, Status.NEW, Status.EXISTING])),
                title=draw(LONG),
                message=draw(LONG),
                path=draw(st.just("shop/receipts.py") | TEXT),
                target=f"shop/x.py::f{' '.join(draw(TEXT).splitlines())}",
                evidence={
                    **samples.crash().evidence,
                    draw(TEXT): draw(LONG),
                    "interval": [0, draw(st.floats(0, 1))],
                    "proposed": draw(OFFERS),
                },
                suggestion=suggestion,
            )
        )
    return tuple(found)


def assert_harmless(markdown, root):
    """Nothing pings, links or loads but what is ours, below ``root``."""
    for token in _READER.parse(markdown):
        for part in token.children or [token]:
            address = part.attrs.get("href") or part.attrs.get("src")
            assert address is None or str(address).startswith(f"{root}/"), part
            if part.type in {"html_inline", "html_block"}:
                rest = ALLOWED_HTML.sub("", part.content)
                assert "<" not in rest, part.content
                assert not _PINGS.search(rest), part.content
            if part.type in {"text", "text_special"}:
                assert not _PINGS.search(part.content), part.content


def assert_closed(markdown):
    """Every block that is opened is closed, so that nothing swallows what follows."""
    tokens = _READER.parse(markdown)
    html = "".join(t.content for t in tokens if t.type == "html_block")
    assert html.count("<details") == html.count("</details>")
    lines = re.split(r"\r\n|\r|\n", markdown)
    for token in tokens:
        if token.type == "fence":
            last = lines[token.map[1] - 1].strip()
            assert last == token.markup, "a fence runs to the end of the text"
