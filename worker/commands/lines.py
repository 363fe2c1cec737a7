"""The lines of a comment that speak to us: not those in code, quotes or HTML comments.

A Markdown parser decides what is what, as GitHub's does.  It does not say
where in the source a text stands, so each candidate line's first word is
replaced by a character of its own, and those that come out as text at the
beginning of a line are the ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

WORD = "/assayer"
LONGEST = 65_536
"""Characters of a comment at GitHub; what is longer is no comment."""

_FIRST = 0xF0000
_MARKS = re.compile("[\U000f0000-\U000ffffd]")
_UNSEEN = "\u00ad\u200b-\u200f\u2060-\u2064\ufeff"
DIRECTIONS = re.compile("[\u061c\u202a-\u202e\u2066-\u206f]")
"""Characters that turn the direction of writing: people read another text than we do."""
_INVISIBLE = re.compile(f"[{_UNSEEN}]")
_CANDIDATE = re.compile(
    rf"^(?P<before>[ \t{_UNSEEN}]*){WORD}(?P<rest>(?:[^\S\n][^\n]*)?)$",
    re.IGNORECASE | re.MULTILINE,
)
_HTML_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_QUOTING = re.compile(r"<(?P<close>/?)(?:blockquote|code|del|kbd|pre|s|samp|template)\b", re.I)
_VISIBLE_PARENTS = frozenset({"paragraph_open", "heading_open"})


def mentions(body: str) -> bool:
    """Whether a comment can hold a line for us at all; cheap."""
    return len(body) <= LONGEST and WORD in body.lower()


def addressed(body: str) -> tuple[str, ...]:
    """What follows ``/assayer`` on each line that begins with it, in order.

    Without characters of no width: what is read is what is done.
    """
    if not mentions(body):
        return ()
    rests: list[str] = []

    def mark(found: re.Match[str]) -> str:
        rests.append(_INVISIBLE.sub("", found["rest"]).strip())
        return f"{found['before']}{chr(_FIRST + len(rests) - 1)}{found['rest']}"

    text = _MARKS.sub("\N{REPLACEMENT CHARACTER}", re.sub(r"\r\n?", "\n", body))
    marked = _CANDIDATE.sub(mark, text)
    return tuple(rests[ord(sign) - _FIRST] for sign in _read(_parser().parse(marked)))


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable(["table", "strikethrough"])


def _read(tokens: Sequence[Token]) -> Iterator[str]:
    """The marks that stand at the beginning of a visible line of text."""
    quoted, html = 0, _Html()
    for before, token in zip([None, *tokens], tokens, strict=False):
        quoted += (token.type == "blockquote_open") - (token.type == "blockquote_close")
        if token.type == "html_block":
            html.read(token.content)
        if token.type != "inline":
            continue
        shown = before is not None and before.type in _VISIBLE_PARENTS
        marks = list(_inline(token.children or (), html))
        yield from marks if shown and not quoted else ()


def _inline(children: Sequence[Token], html: _Html) -> Iterator[str]:
    begins, struck = True, 0
    for child in children:
        struck += (child.type == "s_open") - (child.type == "s_close")
        if child.type == "html_inline":
            html.read(child.content)
        if child.type in {"softbreak", "hardbreak"}:
            begins = True
            continue
        text = _INVISIBLE.sub("", child.content).lstrip() if child.type == "text" else ""
        if begins and text and not (struck or html.quoting) and _MARKS.match(text):
            yield text[0]
        begins = begins and not child.content.strip()


class _Html:
    """How deep raw HTML is in elements that quote or show code."""

    def __init__(self) -> None:
        self.quoting = 0

    def read(self, content: str) -> None:
        """Go through the tags of a piece of HTML."""
        for tag in _QUOTING.finditer(_HTML_COMMENT.sub("", content)):
            self.quoting = max(0, self.quoting + (-1 if tag["close"] else 1))
