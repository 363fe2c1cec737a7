"""Assumptions about what only the real machine has: answers of libraries, services, objects.

A stand-in asks here for a plain value (a truth, a text, the number of its elements).
Without an assumption it gets a default, and the question is kept, so that a search can
change the answers one by one until the code goes on.
"""

from __future__ import annotations

import contextlib
import dis
import re
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, Dict, Generator, List, Mapping, Optional

FACTS = "facts"
CONTENT = "content"
MOST_QUESTIONS = 60
MOST_TIMES = 25
_LONGEST = 120
_DOUBTED = 2
LONGEST_WORD = 40
_IS_CONTENT = "is the content"
_WORD = re.compile(r"[A-Za-z]+")
_LAST = re.compile(r"(?:\.(\w+)(?:\(\))?|\['(\w+)'\])$")
_TEXTS = frozenset(
    ("body", "caption", "comment", "content", "description", "headline", "message", "post",
     "prompt", "query", "question", "review", "selftext", "sentence", "summary", "text", "title",
     "transcript", "tweet", "utterance")
)  # fmt: skip
_BYTES = frozenset(
    ("blob", "bytearray", "bytes", "content", "data", "getvalue", "image", "jpeg", "jpg", "png",
     "photo", "read", "readall")
)  # fmt: skip
_ABOUT = frozenset(["count", "extensions", "length", "limit", "max", "min", "name", "size", "type"])
"""Words that make a name one of something about a content, such as ``MAX_CONTENT_LENGTH``."""
_ARRAYS = frozenset(["array", "frame", "image", "img", "picture", "photo"])


_NEEDED = re.compile(
    r"KEY|TOKEN|SECRET|PASS(WORD)?$|PWD$|CREDENTIAL|ENDPOINT|UR[IL]|REGION|BUCKET|CONNECTION"
    r"|ACCOUNT|PROJECT|_ID$|HOST|USER|(^|_)(PORT|LEVEL|ARN|TABLE|QUEUE|TOPIC)$|_ARN_"
    r"|(^|_)(MODEL|DEPLOYMENT|PREFIX|VERSION)(_NAME|_ID)?$"
    r"|(TABLE|STACK|QUEUE|TOPIC|FUNCTION|COLLECTION|INDEX)_NAME$",
    re.IGNORECASE,
)
_VALUES = {
    "REGION": "us-east-1",
    "ENDPOINT": "https://made-up.invalid/",
    "LEVEL": "INFO",
    "ARN": "arn:aws:service:us-east-1:111111111111:made-up/1",
}
_VALUES.update({"URL": _VALUES["ENDPOINT"], "URI": _VALUES["ENDPOINT"]})


def is_needed(name: str) -> bool:
    """Return whether an environment variable is one that a machine has on purpose: a key, a host.

    Flags are not: code without them is complete.
    """
    return _NEEDED.search(name) is not None


def variable(name: str) -> str:
    """Return a plausible value of an environment variable that is not set here."""
    return next((value for word, value in _VALUES.items() if word in name.upper()), "1")


@dataclass
class _Assumed:
    """The assumptions of one run; ``asked`` holds the questions in order, each with its default."""

    facts: Mapping[str, Any] = field(default_factory=dict)
    content: Any = None
    asked: Dict[str, bool] = field(default_factory=dict)
    times: Dict[str, int] = field(default_factory=dict)
    last: str = ""
    given: List[str] = field(default_factory=list)


_assumed: Optional[_Assumed] = None
_ended = _Assumed()


@contextlib.contextmanager
def assuming(given: Any) -> Generator[None, None, None]:
    """Assume ``given``: facts by question, and the content that texts or pictures have."""
    global _assumed, _ended
    before, parts = _assumed, given if isinstance(given, dict) else {}
    facts = parts.get(FACTS)
    _assumed = _Assumed(facts if isinstance(facts, dict) else {}, parts.get(CONTENT))
    try:
        yield
    finally:
        _ended, _assumed = _assumed, before


def is_assuming() -> bool:
    """Return whether the run in progress assumes something."""
    return _assumed is not None


def asked_questions() -> Dict[str, bool]:
    """Return the questions of the last run that assumed something, with their defaults."""
    return _ended.asked


def truth(question: str, default: bool) -> bool:
    """Return the answer to a question; a loop that asks on and on gets the other one."""
    if _assumed is None:
        return default
    question = question[:_LONGEST]
    if len(_assumed.asked) < MOST_QUESTIONS:
        _assumed.asked.setdefault(question, default)
    times = _assumed.times[question] = _assumed.times.get(question, 0) + 1
    answer = bool(_assumed.facts.get(question, default))
    return answer if times <= MOST_TIMES else not answer


class SelfGiving:
    """A value that a call or an await gives itself: an attribute here, a method there."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return itself, as a method of the same name would."""
        del args, kwargs
        return self

    def __await__(self) -> Generator[Any, None, Any]:
        yield from ()
        return self


class AssumedWord(str):
    """A word, or a sign, that equals what is assumed of it."""

    __slots__ = ("_name",)
    __hash__ = str.__hash__
    _name: str

    @classmethod
    def named(cls, name: str, word: str) -> AssumedWord:
        """Return a word about which questions ask by a name."""
        made = cls(word)
        made._name = name
        return made

    def __eq__(self, other: object) -> bool:
        equal = super().__eq__(other)
        shown = isinstance(other, str) and len(other) < LONGEST_WORD
        return truth(f"{self._name} == {other!r}", equal) if shown else equal

    def __ne__(self, other: object) -> bool:
        return not self == other


class _Text(SelfGiving, str):
    """The assumed text: also what stands under names for texts in a message or row."""

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            return self
        found = super().__getitem__(key)
        return AssumedWord.named("text[0]", found) if key == 0 else found

    def __getattr__(self, name: str) -> Any:
        if name in _TEXTS:
            return self
        raise AttributeError(name)


class _Bytes(SelfGiving, bytes):
    """The assumed bytes."""


def content() -> Any:
    """Return the content that is assumed, or ``None``."""
    return None if _assumed is None else _assumed.content


def typed(name: str) -> Any:
    """Return the assumed content where a stand-in's name calls for one of its type, or ``None``."""
    given = content()
    if given is None or _assumed is None:
        return None
    _assumed.last = name
    is_content = _assumed.facts.get(_question(name))
    if is_content:
        return _Text(given) if isinstance(given, str) else given
    found = None if is_content is False else _called_for(name, given)
    if found is not None:
        _assumed.given.append(name)
    return found


def _called_for(name: str, given: Any) -> Any:
    """Return the content where a name calls for one of its type."""
    last = _LAST.search(name)
    words = set(_WORD.findall((last[1] or last[2] or "").lower())) if last else set()
    if words & _ABOUT:
        return None
    if isinstance(given, str):
        return _Text(given) if words & _TEXTS else None
    if isinstance(given, bytes):
        return _Bytes(given) if words & _BYTES else None
    return given.copy() if words & _ARRAYS and hasattr(given, "copy") else None


def ask_for_content(name: str) -> None:
    """Ask whether a value, which failed as a stand-in in the run that ended, is the content.

    The one that came into being last is asked about too.
    """
    for each in (name, _ended.last):
        _ask(each, default=False)


def doubt_content() -> None:
    """Ask whether the last values that were the content by their names are something else."""
    for each in _ended.given[-_DOUBTED:]:
        _ask(each, default=True)


def _ask(name: str, *, default: bool) -> None:
    if name and len(_ended.asked) < MOST_QUESTIONS:
        _ended.asked.setdefault(_question(name), default)


def _question(name: str) -> str:
    return f"{name} {_IS_CONTENT}"[:_LONGEST]


def number_of_elements(frame: FrameType) -> int:
    """Return as many elements as the code unpacks in ``frame``; one where it draws them."""
    return 0 if _assumed is None else unpacked_elements(frame) or 1


def unpacked_elements(frame: FrameType) -> int:
    """Return as many elements as the code unpacks in ``frame``; 0 where it does not unpack."""
    code, at = frame.f_code.co_code, frame.f_lasti
    return code[at + 1] if dis.opname[code[at]] == "UNPACK_SEQUENCE" else 0
