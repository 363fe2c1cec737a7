"""Single steps that undo what code does to a text, as candidates to be tried."""

from __future__ import annotations

import base64
import codecs
import html
import itertools
import json
import re
import string
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from analyzers.cloud.inversion.code_hints import Hints
from analyzers.guest.search.code_constants import examples

MOST_FIELDS = 3
MOST_WRAPS = 6
LONGEST_SEPARATOR = 24
NUMERIC = frozenset({"int", "float", "isdigit", "isnumeric"})
SPLITTING = frozenset({"split", "rsplit", "partition", "rpartition", "splitlines", "readlines"})
PATTERN_EXAMPLES = 6
HOLE = "Quince"
GROUP = re.compile(r"(?<!\\)\((?!\?[^P])(?:\?P<\w+>)?[^()]+\)")


@dataclass(frozen=True, slots=True)
class InverseStep:
    """Makes the text to pass from the one that is wanted, or ``None`` where it cannot."""

    said: str
    apply: Callable[[str], str | None]


def around(before: str, after: str) -> InverseStep:
    """Put something before and after."""
    return InverseStep(f"{before!r} before, {after!r} after", lambda text: f"{before}{text}{after}")


def mapped(table: Mapping[str, str]) -> InverseStep:
    """Put a character in the place of each; a text with others cannot be made."""

    def apply(text: str) -> str | None:
        if not set(text) <= table.keys():
            return None
        return "".join(table[character] for character in text)

    return InverseStep("other characters", apply)


def codings(hints: Hints | None) -> list[InverseStep]:
    """Return encodings of a whole text, those that the code undoes by name; all without hints."""
    found = [
        InverseStep(said, apply)
        for said, apply, names in CODINGS
        if hints is None or hints.names & set(names.split())
    ]
    keys = hints.keys if hints else ("text",)
    if hints is None or hints.names & DOCUMENTS:
        found += _documents(keys)
    return found


def paddings(hints: Hints) -> Iterator[InverseStep]:
    """Yield what may have to stand around a text: command words, other fields, delimiters."""
    filler = "1" if hints.names & NUMERIC else "x"
    separators = [text for text in hints.strings if len(text) <= LONGEST_SEPARATOR]
    if hints.names & SPLITTING:
        separators += [" ", "\n"]
    for separator in dict.fromkeys(separators):
        yield from _fields(separator, filler)
    for number in hints.numbers:
        yield around(filler * number, "")
        yield around("", filler * number)
    for first, last in itertools.product(hints.numbers[:4], repeat=2):
        yield around(filler * first, filler * last)
    edges = [s for s in hints.strings if not (s[0].isalnum() and s[-1].isalnum())]
    for before, after in itertools.product(edges[:MOST_WRAPS], repeat=2):
        yield around(before, after)
        yield around(filler + before, after + filler)
    yield from _matching(hints.patterns)


def replacements(hints: Hints) -> Iterator[InverseStep]:
    """Yield encodings of a text like that of the one it replaces."""
    for old, new in hints.replacements:
        yield InverseStep(f"{old!r} for {new!r}", partial(_replaced, new, old))


def cut(wanted: str, asked: str) -> Iterator[InverseStep]:
    """Yield what fits where only a piece of a text was asked about: the rest around another one."""
    piece = asked.strip().casefold()
    start = wanted.casefold().find(piece)
    if not piece or start < 0:
        return
    end = start + len(piece)
    befores = list(_dropped(wanted[:start], at_end=True))
    afters = list(_dropped(wanted[end:], at_end=False))
    for before, after in itertools.product(befores, afters):
        yield around(before, after)


def _dropped(piece: str, *, at_end: bool) -> Iterator[str]:
    """Yield what stands for a dropped piece: as many characters, itself, as many fields."""
    if not piece:
        yield ""
        return
    yield "x" * len(piece)
    separator = piece[-1] if at_end else piece[0]
    fields = piece.count(separator)
    yield f"x{separator}" * fields if at_end else f"{separator}x" * fields
    yield piece


def _fields(separator: str, filler: str) -> Iterator[InverseStep]:
    yield around(separator, "")
    yield around(f"{separator} ", "")
    yield around("", separator)
    for count in range(1, MOST_FIELDS + 1):
        before = f"{filler}{separator}" * count
        yield around(before, "")
        yield around(before, f"{separator}{filler}")
    yield around("", f"{separator}{filler}")
    yield around(separator, separator)


def _matching(patterns: Iterable[str]) -> Iterator[InverseStep]:
    """Yield what a pattern wants around one of its groups."""
    for pattern in patterns:
        for group in GROUP.finditer(pattern):
            hollow = f"{pattern[: group.start()]}({HOLE}){pattern[group.end() :]}"
            for example in examples(hollow, PATTERN_EXAMPLES):
                before, hole, after = example.partition(HOLE)
                if hole:
                    yield around(before, after)


def _documents(keys: Sequence[str]) -> list[InverseStep]:
    found = [InverseStep("a JSON string", json.dumps)]
    for shape in _shapes(keys):
        found.append(InverseStep("a field of JSON", partial(_json, shape)))
    if keys:
        found.append(InverseStep("a field of a query", lambda text: _query(keys, text)))
        found.append(InverseStep("an element of XML", lambda text: _xml(keys, text)))
        found.append(InverseStep("a column of CSV", lambda text: _csv(keys, text)))
    return found


def _shapes(keys: Sequence[str]) -> Iterator[Callable[[str], object]]:
    yield lambda text: [text]
    if not keys:
        return
    yield lambda text: dict.fromkeys(keys, text)
    yield lambda text: [dict.fromkeys(keys, text)]
    for outer, inner in itertools.permutations(keys, 2):
        yield partial(_nested, outer, inner)
        yield partial(_listed, outer, inner)
    for outer in keys:
        yield partial(_listed, outer, None)


def _nested(outer: str, inner: str, text: str) -> object:
    return {outer: {inner: text}}


def _listed(outer: str, inner: str | None, text: str) -> object:
    return {outer: [text if inner is None else {inner: text}]}


def _replaced(old: str, new: str, text: str) -> str:
    return text.replace(old, new)


def _json(shape: Callable[[str], object], text: str) -> str:
    return json.dumps(shape(text))


def _query(keys: Sequence[str], text: str) -> str:
    return "&".join(f"{_quoted(key)}={_quoted(text)}" for key in keys)


def _xml(keys: Sequence[str], text: str) -> str | None:
    names = [key for key in keys if re.fullmatch(r"[A-Za-z][\w.-]*", key)]
    said = html.escape(text)
    return f"<x>{''.join(f'<{n}>{said}</{n}>' for n in names)}</x>" if names else None


def _csv(keys: Sequence[str], text: str) -> str:
    cell = '"' + text.replace('"', '""') + '"'
    return f"{','.join(keys)}\n{','.join([cell] * len(keys))}\n"


def _quoted(text: str) -> str:
    safe = set((string.ascii_letters + string.digits + "-._~").encode())
    return "".join(chr(byte) if byte in safe else f"%{byte:02X}" for byte in text.encode())


def _interleaved(text: str) -> str:
    return "".join(f"{character}x" for character in text)


DOCUMENTS = frozenset(
    {"loads", "load", "safe_load", "literal_eval", "parse_qs", "parse_qsl", "fromstring", "parse",
     "parseString", "BeautifulSoup", "DictReader", "reader", "JSONDecoder", "get_json"}
)  # fmt: skip
CODINGS: tuple[tuple[str, Callable[[str], str | None], str], ...] = (
    ("base64", lambda t: base64.b64encode(t.encode()).decode(), "b64decode decodebytes a2b_base64"),
    (
        "base64 for URLs",
        lambda t: base64.urlsafe_b64encode(t.encode()).decode(),
        "urlsafe_b64decode",
    ),
    ("hexadecimal", lambda t: t.encode().hex(), "fromhex unhexlify"),
    ("percent-encoding", _quoted, "unquote unquote_plus"),
    ("HTML", html.escape, "unescape"),
    ("ROT13", lambda t: codecs.encode(t, "rot13"), "decode encode"),
    ("a Python literal", repr, "literal_eval eval"),
    ("backwards", lambda t: t[::-1], "step reversed reverse"),
    ("its words backwards", lambda t: " ".join(t.split()[::-1]), "step reversed reverse"),
    ("its lines backwards", lambda t: "\n".join(t.split("\n")[::-1]), "step reversed reverse"),
    ("a character between every two", _interleaved, "step"),
    ("quoted", lambda t: '"' + t.replace('"', '""') + '"', "reader"),
)
