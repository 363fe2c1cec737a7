"""Text from outside, made harmless in Markdown.

It may not mention people, link, load pictures or change a comment's layout.  Where a backslash
does not help, a word joiner (an invisible character) does.
"""

from __future__ import annotations

import re

JOINER = "\u2060"
_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_SPECIAL = re.compile(r"[\\`*\[\]{}|~$]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
_FIRST = re.compile(r"^(?=[#+=-])|^\d+(?=[.)](?:\s|$))")
_INVISIBLE = re.compile(r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_DIRECTIONS = dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F))
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_MENTION = re.compile(r"@(?=\w)")
_REFERENCE = re.compile(r"(?i)#(?=\d)|gh-(?=\d)|(?:cve|ghsa)-(?=\w)")
_COMMIT = re.compile(r"(?i)(?<![0-9a-z])[0-9a-f]{7,40}(?![0-9a-z])")
_SHORT = re.compile(r".{1,6}")
_LINK = re.compile(r"(?i)(https?|ftp|mailto|xmpp|www)(?=[:.])")
_SPAN = re.compile(r"`([^`]{1,400})`")
_RUNS = re.compile(r"`+")


def json_inert(document: str) -> str:
    """A JSON document in which what JSON allows but a terminal obeys is escaped."""
    return _CONTROL.sub(lambda found: f"\\u{ord(found.group()):04x}", document)


def undirected(value: object) -> object:
    """A text without the characters that turn others around; any other value as it is."""
    return value.translate(_DIRECTIONS) if isinstance(value, str) else value


def inert(text: str) -> str:
    """Text without what a terminal obeys."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def shown(text: str) -> str:
    """Text for where nothing is markup: without control and invisible characters."""
    return "\n".join(_flat(line) for line in text.splitlines())


def prose(text: str) -> str:
    """One paragraph of text; code in single backquotes stays code."""
    parts = _SPAN.split(_flat(text))
    return "".join(
        code(part) if index % 2 else _escaped(part, first=not index)
        for index, part in enumerate(parts)
    )


def plain(text: str) -> str:
    """Text in which nothing is markup, mention, reference or link."""
    return _escaped(_flat(text), first=True)


def cell(text: str) -> str:
    """As :func:`prose`, inside a table, where even code must not hold a bare bar."""
    return re.sub(r"(?<!\\)\|", r"\\|", prose(text))


def code(text: str) -> str:
    """A code span, on one line."""
    flat = _flat(text)
    if not flat:
        return "` `"
    fence = "`" * (longest_run(flat) + 1)
    space = " " if flat[0] == "`" or flat[-1] == "`" else ""
    return f"{fence}{space}{flat}{space}{fence}"


def block(text: str, language: str = "") -> str:
    """A fenced block whose fence is longer than any run of backquotes inside."""
    fence = "`" * max(3, longest_run(text) + 1)
    end = "\r\n" if "\r\n" in text else "\n"
    return f"{fence}{language}{end}{text}{end}{fence}"


def longest_run(text: str) -> int:
    """Return the length of the longest run of backquotes."""
    return max((len(run) for run in _RUNS.findall(text)), default=0)


def _escaped(text: str, *, first: bool) -> str:
    escaped = _SPECIAL.sub(lambda found: "\\" + found.group(), text)
    if first:
        escaped = _FIRST.sub(lambda found: f"{found.group()}\\", escaped)
        escaped = re.sub(r"^::", r"\\::", escaped)  # a command to a workflow's runner
    escaped = escaped.translate(_HTML)
    for pattern in (_MENTION, _REFERENCE, _LINK):
        escaped = pattern.sub(lambda found: found.group() + JOINER, escaped)
    return _COMMIT.sub(lambda found: JOINER.join(_SHORT.findall(found.group())), escaped)


def _flat(text: str) -> str:
    shown = _INVISIBLE.sub("", text)
    if not shown.isprintable():
        shown = "".join(c if c.isprintable() else " " for c in shown)
    return " ".join(shown.split())
