"""Slash-commands: their one table, and the parser of ``/assayer …`` in a comment."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from worker.store.records import RunOptions

COMMAND_PREFIX = "/assayer"
MAX_COMMENT_LENGTH = 65_536
"""Characters of a comment at GitHub; what is longer is no comment."""

_FIRST = 0xF0000
_MARKS = re.compile("[\U000f0000-\U000ffffd]")
_UNSEEN = "\u00ad\u200b-\u200f\u2060-\u2064\ufeff"
DIRECTIONS = re.compile("[\u061c\u202a-\u202e\u2066-\u206f]")
"""Characters that turn the direction of writing: people read another text than we do."""
_INVISIBLE = re.compile(f"[{_UNSEEN}]")
_CANDIDATE = re.compile(
    rf"^(?P<before>[ \t{_UNSEEN}]*){COMMAND_PREFIX}(?P<rest>(?:[^\S\n][^\n]*)?)$",
    re.IGNORECASE | re.MULTILINE,
)
_HTML_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_QUOTING = re.compile(r"<(?P<close>/?)(?:blockquote|code|del|kbd|pre|s|samp|template)\b", re.I)
_VISIBLE_PARENTS = frozenset({"paragraph_open", "heading_open"})


def mentions(body: str) -> bool:
    """Return whether a comment can hold a command at all; cheap."""
    return len(body) <= MAX_COMMENT_LENGTH and COMMAND_PREFIX in body.lower()


def command_lines(body: str) -> tuple[str, ...]:
    """Return what follows ``/assayer`` on each line that begins with it, in order.

    Characters of no width are dropped: what people read is what is done.
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
    """Yield the marks at the beginning of visible lines of text."""
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
    """Nesting depth of raw HTML elements that quote or show code."""

    def __init__(self) -> None:
        self.quoting = 0

    def read(self, content: str) -> None:
        """Go through the tags of a piece of HTML."""
        for tag in _QUOTING.finditer(_HTML_COMMENT.sub("", content)):
            self.quoting = max(0, self.quoting + (-1 if tag["close"] else 1))


MAX_COMMANDS = 5
"""Commands that one comment may hold."""

INPUTS = range(1, 1001)
SEEDS = range(2**32)
MAX_REASON_LENGTH = 500
MAX_TARGET_LENGTH = 400

_FINGERPRINT = re.compile(r"[0-9a-f]{16}")
_COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_PATH = re.compile(r"[^\s:\\'\"`$;&|<>*?!\x00-\x1f-][^\s:\\'\"`$;&|<>*?!\x00-\x1f]*\.(?:py|ipynb)")
_PLACEHOLDERS = frozenset({"reason…", "reason...", "<reason>", "reason"})


@dataclass(frozen=True, slots=True)
class Rerun:
    """A new check of the same head, with other options where they are given."""

    options: RunOptions = field(default_factory=RunOptions)


@dataclass(frozen=True, slots=True)
class IgnoreFinding:
    """``ignore``: a finding that is no longer reported, until a date if there is one."""

    fingerprint: str
    reason: str
    until: date | None = None


@dataclass(frozen=True, slots=True)
class Unignore:
    """The end of an ignore."""

    fingerprint: str


@dataclass(frozen=True, slots=True)
class Explain:
    """A request for everything that is known about a finding."""

    fingerprint: str


@dataclass(frozen=True, slots=True)
class Apply:
    """A request to commit the suggestion of a finding."""

    fingerprint: str


@dataclass(frozen=True, slots=True)
class Approve:
    """The approval of a fork's commit for paid ML services; ``commit`` is its full name."""

    commit: str = ""


@dataclass(frozen=True, slots=True)
class Stop:
    """A request to stop the runs of the pull request."""


@dataclass(frozen=True, slots=True)
class Help:
    """A request for the list of commands."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """A line that is no valid command; ``problem`` says why, in our own words only."""

    problem: str


Command = Rerun | IgnoreFinding | Unignore | Explain | Apply | Approve | Stop | Help | Unknown


class _WrongError(Exception):
    """An argument that is not allowed."""


def parse(body: str, analyzers: Collection[str]) -> tuple[Command, ...]:
    """Return the commands of a comment, each once, in order.

    Beyond ``MAX_COMMANDS`` the last one that is returned says so.
    """
    found = tuple(dict.fromkeys(_command(line, analyzers) for line in command_lines(body)))
    if len(found) <= MAX_COMMANDS:
        return found
    return (
        *found[:MAX_COMMANDS],
        Unknown(f"one comment can hold {MAX_COMMANDS} commands; the rest is left out"),
    )


def _command(line: str, analyzers: Collection[str]) -> Command:
    visible = DIRECTIONS.sub("", line)
    verb, *words = visible.split() or ["help"]
    command = SLASH_COMMANDS.get(verb.lower())
    if command is None:
        return Unknown("there is no such command")
    if command.parse is _rerun and visible != line:
        return Unknown("`rerun`: it holds characters that change the direction of the text")
    try:
        return command.parse(words, analyzers)
    except _WrongError as wrong:
        return Unknown(f"`{verb.lower()}`: {wrong}")


def _rerun(words: list[str], analyzers: Collection[str]) -> Rerun:
    options, given = RunOptions(), set[str]()
    for word in words:
        name, equals, value = word.partition("=")
        name = name.lower()
        if not equals or name not in _OPTIONS:
            raise _WrongError(f"it takes {', '.join(f'`{each}=`' for each in _OPTIONS)} only")
        if name in given:
            raise _WrongError(f"`{name}` is given twice")
        given.add(name)
        options = _OPTIONS[name](options, value, analyzers)
    return Rerun(options)


def _inputs(options: RunOptions, value: str, _analyzers: Collection[str]) -> RunOptions:
    return replace(options, inputs=_number("inputs", value, INPUTS))


def _seed(options: RunOptions, value: str, _analyzers: Collection[str]) -> RunOptions:
    return replace(options, seed=_number("seed", value, SEEDS))


def _analyzer(options: RunOptions, value: str, analyzers: Collection[str]) -> RunOptions:
    name = value.lower()
    if name not in analyzers:
        raise _WrongError(f"`analyzer` is one of {', '.join(sorted(analyzers))}")
    return replace(options, analyzer=name)


def _target(options: RunOptions, value: str, _analyzers: Collection[str]) -> RunOptions:
    if not is_target(value):
        raise _WrongError("`target` is `path/to/file.py::Qualified.name`")
    return replace(options, target=value)


_OPTIONS: Mapping[str, Callable[[RunOptions, str, Collection[str]], RunOptions]] = {
    "inputs": _inputs,
    "target": _target,
    "analyzer": _analyzer,
    "seed": _seed,
}


def is_target(text: str) -> bool:
    """Return whether a text has the form ``path/to/file.py::Qualified.name``."""
    path, colons, function = text.partition("::")
    too_odd = len(text) > MAX_TARGET_LENGTH or not text.isprintable()
    if not colons or too_odd or not _PATH.fullmatch(path):
        return False
    if any(part in {"", ".", ".."} for part in path.split("/")):
        return False
    return function == "<module>" or (
        function.split(".")[-1] != "<locals>"
        and all(
            part.isidentifier() or (part == "<locals>" and place > 0)
            for place, part in enumerate(function.split("."))
        )
    )


def _number(name: str, value: str, allowed: range) -> int:
    plain = value.isascii() and value.isdecimal() and len(value) <= 10
    if not plain or int(value) not in allowed:
        raise _WrongError(f"`{name}` is a number from {allowed.start} to {allowed.stop - 1}")
    return int(value)


def _fingerprint(words: list[str]) -> str:
    fingerprint = words[0].strip("`").lower() if words else ""
    if not _FINGERPRINT.fullmatch(fingerprint):
        raise _WrongError("it needs the fingerprint of a finding, 16 characters of 0-9 and a-f")
    return fingerprint


def _ignore(words: list[str], _analyzers: Collection[str]) -> IgnoreFinding:
    fingerprint = _fingerprint(words)
    dates = [word for word in words[1:] if word.lower().startswith("until=")]
    reason = " ".join(word for word in words[1:] if word not in dates)
    if not reason or reason in _PLACEHOLDERS:
        raise _WrongError("it needs a reason after the fingerprint")
    if len(reason) > MAX_REASON_LENGTH:
        raise _WrongError(f"a reason has at most {MAX_REASON_LENGTH} characters")
    if len(dates) > 1:
        raise _WrongError("`until` is given twice")
    return IgnoreFinding(fingerprint, reason, _date(dates[0].partition("=")[2]) if dates else None)


def _date(value: str) -> date:
    if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value, re.ASCII):
        try:
            return date.fromisoformat(value)
        except ValueError:
            pass
    raise _WrongError("`until` is a date like 2031-12-31")


def _none(words: list[str]) -> tuple[()]:
    if words:
        raise _WrongError("there is more on the line than it takes")
    return ()


def _only(words: list[str]) -> str:
    fingerprint = _fingerprint(words)
    _none(words[1:])
    return fingerprint


def _approve(words: list[str], _analyzers: Collection[str]) -> Approve:
    commit = words[0].strip("`").lower() if words else ""
    if words and not _COMMIT.fullmatch(commit):
        raise _WrongError("it takes the whole name of a commit, 40 or 64 characters of 0-9 and a-f")
    _none(words[1:])
    return Approve(commit)


@dataclass(frozen=True, slots=True)
class SlashCommand:
    """A row of the table of commands: its grammar, its help and who may use it.

    ``author``: the author of the pull request may use it without write access.
    ``writes``: it needs write access, even of those whom the configuration lists.
    """

    kind: type[Command]
    arguments: str
    purpose: str
    parse: Callable[[list[str], Collection[str]], Command]
    author: bool = False
    writes: bool = False


_RERUN = "[inputs=N] [target=PATH::FUNCTION] [analyzer=NAME] [seed=N]"
_IGNORE = "FINGERPRINT reason… [until=YYYY-MM-DD]"
_FINDING = "FINGERPRINT"

SLASH_COMMANDS: Mapping[str, SlashCommand] = {
    "rerun": SlashCommand(
        Rerun, _RERUN, "test this commit again, in a new check run", _rerun, author=True
    ),
    "ignore": SlashCommand(IgnoreFinding, _IGNORE, "ignore a finding", _ignore),
    "unignore": SlashCommand(
        Unignore, _FINDING, "report the finding again", lambda words, _: Unignore(_only(words))
    ),
    "explain": SlashCommand(
        Explain,
        _FINDING,
        "show the evidence, the inputs and how to reproduce the finding",
        lambda words, _: Explain(_only(words)),
        author=True,
    ),
    "apply": SlashCommand(
        Apply,
        _FINDING,
        "commit the verified suggestion to the branch",
        lambda words, _: Apply(_only(words)),
        writes=True,
    ),
    "approve": SlashCommand(
        Approve,
        "[COMMIT]",
        "let this commit of a fork call paid ML services",
        _approve,
        writes=True,
    ),
    "stop": SlashCommand(
        Stop, "", "stop the runs of this pull request", lambda words, _: Stop(*_none(words))
    ),
    "help": SlashCommand(
        Help, "", "list these commands", lambda words, _: Help(*_none(words)), author=True
    ),
}
"""The one table of commands: grammar, rights, help, summary comment and documentation."""


def usage(verb: str) -> str:
    """Return a command of the table as people write it."""
    return f"{COMMAND_PREFIX} {verb} {SLASH_COMMANDS[verb].arguments}".rstrip()


AUTHOR_COMMANDS = tuple(each.kind for each in SLASH_COMMANDS.values() if each.author)
WRITE_COMMANDS = tuple(each.kind for each in SLASH_COMMANDS.values() if each.writes)
