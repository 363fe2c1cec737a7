"""What ``/assayer …`` may say: every argument on a list, every number in a range."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import date

from worker.commands.lines import DIRECTIONS, addressed
from worker.store.records import Options

MOST = 5
"""Commands that one comment may hold."""

INPUTS = range(1, 1001)
SEEDS = range(2**32)
LONGEST_REASON = 500
LONGEST_TARGET = 400

_FINGERPRINT = re.compile(r"[0-9a-f]{16}")
_COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_PATH = re.compile(r"[^\s:\\'\"`$;&|<>*?!\x00-\x1f-][^\s:\\'\"`$;&|<>*?!\x00-\x1f]*\.(?:py|ipynb)")
_PLACEHOLDERS = frozenset({"reason…", "reason...", "<reason>", "reason"})


@dataclass(frozen=True, slots=True)
class Rerun:
    """Check the same head again, with other options where they are given."""

    options: Options = field(default_factory=Options)


@dataclass(frozen=True, slots=True)
class Silence:
    """``ignore``: hear no more of a finding, until a date where there is one."""

    fingerprint: str
    reason: str
    until: date | None = None


@dataclass(frozen=True, slots=True)
class Unignore:
    """Hear of a finding again."""

    fingerprint: str


@dataclass(frozen=True, slots=True)
class Explain:
    """Show everything that is known about a finding."""

    fingerprint: str


@dataclass(frozen=True, slots=True)
class Apply:
    """Commit the suggestion of a finding."""

    fingerprint: str


@dataclass(frozen=True, slots=True)
class Approve:
    """Let this very head of a fork ask paid engines; ``commit`` is its whole name."""

    commit: str = ""


@dataclass(frozen=True, slots=True)
class Stop:
    """End what runs for the pull request."""


@dataclass(frozen=True, slots=True)
class Help:
    """List the commands."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """What was meant for us and is no command; ``problem`` says why, our own words only."""

    problem: str


Command = Rerun | Silence | Unignore | Explain | Apply | Approve | Stop | Help | Unknown


class _WrongError(Exception):
    """An argument that is not allowed."""


def parse(body: str, analyzers: Collection[str]) -> tuple[Command, ...]:
    """The commands of a comment, each once, in order.

    Where there are more than ``MOST``, the last that is returned says so.
    """
    found = tuple(dict.fromkeys(_command(line, analyzers) for line in addressed(body)))
    if len(found) <= MOST:
        return found
    return (*found[:MOST], Unknown(f"one comment can hold {MOST} commands; the rest is left out"))


def _command(line: str, analyzers: Collection[str]) -> Command:
    visible = DIRECTIONS.sub("", line)
    verb, *words = visible.split() or ["help"]
    read = _VERBS.get(verb.lower())
    if read is None:
        return Unknown("there is no such command")
    if read is _rerun and visible != line:
        return Unknown("`rerun`: it holds characters that change the direction of the text")
    try:
        return read(words, analyzers)
    except _WrongError as wrong:
        return Unknown(f"`{verb.lower()}`: {wrong}")


def _rerun(words: list[str], analyzers: Collection[str]) -> Rerun:
    options, given = Options(), set[str]()
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


def _inputs(options: Options, value: str, _analyzers: Collection[str]) -> Options:
    return replace(options, inputs=_number("inputs", value, INPUTS))


def _seed(options: Options, value: str, _analyzers: Collection[str]) -> Options:
    return replace(options, seed=_number("seed", value, SEEDS))


def _analyzer(options: Options, value: str, analyzers: Collection[str]) -> Options:
    name = value.lower()
    if name not in analyzers:
        raise _WrongError(f"`analyzer` is one of {', '.join(sorted(analyzers))}")
    return replace(options, analyzer=name)


def _target(options: Options, value: str, _analyzers: Collection[str]) -> Options:
    if not is_target(value):
        raise _WrongError("`target` is `path/to/file.py::Qualified.name`")
    return replace(options, target=value)


_OPTIONS: Mapping[str, Callable[[Options, str, Collection[str]], Options]] = {
    "inputs": _inputs,
    "target": _target,
    "analyzer": _analyzer,
    "seed": _seed,
}


def is_target(text: str) -> bool:
    """Whether a text has the form ``path/to/file.py::Qualified.name``."""
    path, colons, function = text.partition("::")
    too_odd = len(text) > LONGEST_TARGET or not text.isprintable()
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


def _only_fingerprint(words: list[str]) -> str:
    fingerprint = _fingerprint(words)
    _nothing_else(words[1:])
    return fingerprint


def _silence(words: list[str], _analyzers: Collection[str]) -> Silence:
    fingerprint = _fingerprint(words)
    dates = [word for word in words[1:] if word.lower().startswith("until=")]
    reason = " ".join(word for word in words[1:] if word not in dates)
    if not reason or reason in _PLACEHOLDERS:
        raise _WrongError("it needs a reason after the fingerprint")
    if len(reason) > LONGEST_REASON:
        raise _WrongError(f"a reason has at most {LONGEST_REASON} characters")
    if len(dates) > 1:
        raise _WrongError("`until` is given twice")
    return Silence(fingerprint, reason, _date(dates[0].partition("=")[2]) if dates else None)


def _date(value: str) -> date:
    if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value, re.ASCII):
        try:
            return date.fromisoformat(value)
        except ValueError:
            pass
    raise _WrongError("`until` is a date like 2031-12-31")


def _nothing_else(words: list[str]) -> None:
    if words:
        raise _WrongError("there is more on the line than it takes")


def _unignore(words: list[str], _analyzers: Collection[str]) -> Unignore:
    return Unignore(_only_fingerprint(words))


def _explain(words: list[str], _analyzers: Collection[str]) -> Explain:
    return Explain(_only_fingerprint(words))


def _apply(words: list[str], _analyzers: Collection[str]) -> Apply:
    return Apply(_only_fingerprint(words))


def _approve(words: list[str], _analyzers: Collection[str]) -> Approve:
    commit = words[0].strip("`").lower() if words else ""
    if words and not _COMMIT.fullmatch(commit):
        raise _WrongError("it takes the whole name of a commit, 40 or 64 characters of 0-9 and a-f")
    _nothing_else(words[1:])
    return Approve(commit)


def _stop(words: list[str], _analyzers: Collection[str]) -> Stop:
    _nothing_else(words)
    return Stop()


def _help(words: list[str], _analyzers: Collection[str]) -> Help:
    _nothing_else(words)
    return Help()


_VERBS: Mapping[str, Callable[[list[str], Collection[str]], Command]] = {
    "rerun": _rerun,
    "ignore": _silence,
    "unignore": _unignore,
    "explain": _explain,
    "apply": _apply,
    "approve": _approve,
    "stop": _stop,
    "help": _help,
}
