"""Every question to an ML API passes here, whatever client asked it.

A *supplier* answers: it is called with a :class:`ApiRequest` and returns the
canonical answer (the response schema's field names in snake case, enums by
name) or raises :class:`NoAnswer`.  Leaves of an answer may be any object when
the supplier is not ``faithful``; the code under test then gets light response
objects with the leaves as they are.
"""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import os
import sys
import threading
from dataclasses import dataclass, field
from functools import cached_property
from types import CodeType, FrameType
from typing import (
    Any,
    Callable,
    Dict,
    FrozenSet,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Set,
    Tuple,
)

Answer = Mapping[str, Any]
CallSite = Tuple[Any, ...]
DEEPEST = 60
MOST_QUESTIONS = 120
"""The most that one call may ask, before it is cut; the host ends a guest that asks far more."""
_UNANSWERED = "_assayer_unanswered"
Supplier = Callable[["ApiRequest"], Answer]


@dataclass(frozen=True)
class ApiRequest:
    """One question.  ``api`` is the catalogue name; absent parts are ``None``.

    ``stream`` says how the answer is to be brought, which is no part of the question.
    """

    api: str
    content: Any = None
    text: Any = None
    uri: Any = None
    parameters: Dict[str, Any] = field(default_factory=dict)
    stream: Mapping[str, bool] = field(default_factory=dict, compare=False)

    @cached_property
    def content_digest(self) -> Any:
        """SHA-256 of the content's bytes, in hexadecimal; what is no bytes, as it is."""
        content = self.content
        if isinstance(content, (bytes, bytearray, memoryview)):
            return hashlib.sha256(bytes(content)).hexdigest()
        return content


def digest(request: ApiRequest) -> str:
    """SHA-256 of the canonical request, in hexadecimal, for any client alike."""
    canonical = {
        "api": request.api,
        "content": request.content_digest,
        "text": request.text,
        "uri": request.uri,
        "parameters": request.parameters,
    }
    return hashlib.sha256(_JSON.encode(canonical).encode()).hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode()
    return str(value)


_JSON = json.JSONEncoder(sort_keys=True, separators=(",", ":"), default=_plain)


@dataclass(frozen=True)
class ApiExchange:
    """A request and the answer it was given."""

    request: ApiRequest
    answer: Answer

    def as_json(self) -> Dict[str, Any]:
        """The exchange as it goes to the host."""
        return {
            "api": self.request.api,
            "digest": digest(self.request),
            "answer": self.answer,
        }


class NoAnswer(BaseException):
    """No answer is to be had; the run says nothing about the code."""


class EnoughAsked(BaseException):
    """A run has asked so often that it says nothing more: a loop without an end is cut here."""


class ServiceFailure(NoAnswer):
    """A service that refuses a question by ``status``, or does not answer in time (``None``).

    Clients raise their own error instead; where one does not, the run says nothing.
    """

    def __init__(self, api: str, status: Optional[int]) -> None:
        super().__init__(f"{api} fails ({status or 'time-out'})")
        self.status = status


DELIVERY = "Delivery"
"""The field of an answer that says how it is brought: by which status, in which parts."""


class ApiSession:
    """The exchanges of one run, and why it was cut short, if it was.

    ``outside`` are addresses asked in vain. Where ``faithful``, answers are the SDK's own objects.
    ``is_cut``: it asked on and on, so that it was ended.
    """

    def __init__(self, supplier: Supplier) -> None:
        self.supplier = supplier
        self.faithful = bool(getattr(supplier, "faithful", True))
        self.exchanges: List[ApiExchange] = []
        self.refusal: Optional[str] = None
        self.is_cut = False
        self.outside: List[str] = []
        self.sleeps = 0
        self.process = os.getpid()
        self._asked_from: Set[Tuple[CodeType, int, int]] = set()
        self._one = threading.Lock()
        self._over = False

    def ask(self, request: ApiRequest) -> Answer:
        """Answer a request and note the exchange; raises :class:`NoAnswer`, or its failure."""
        if self.process != os.getpid():
            raise NoAnswer("an API was called from a process of its own")
        with self._one:
            if self._over:
                raise NoAnswer("the run is over")
            if self.refusal is not None:
                raise NoAnswer(self.refusal)
            if len(self.exchanges) >= MOST_QUESTIONS:
                self.is_cut = True
                raise EnoughAsked(f"one call asks more than {MOST_QUESTIONS} questions")
            try:
                answer = self.supplier(request)
            except NoAnswer as refused:
                raise self.refuse(str(refused)) from None
            self.exchanges.append(ApiExchange(request, answer))
            if self.faithful:
                self._note_place()
            brought = answer.get(DELIVERY) or {}
            if brought.get("status") or brought.get("late"):
                raise ServiceFailure(request.api, brought.get("status"))
            return answer

    def places(self) -> FrozenSet[CallSite]:
        """Return the calls that led to questions: files and lines, with columns where known."""
        return frozenset(map(_place_of, self._asked_from))

    def _note_place(self) -> None:
        """Note which instructions are under way while the question is asked."""
        frame: Optional[FrameType] = sys._getframe(3)  # pyright: ignore[reportPrivateUsage]
        for _ in range(DEEPEST):
            if frame is None:
                break
            self._asked_from.add((frame.f_code, frame.f_lasti, frame.f_lineno))
            frame = frame.f_back

    def close(self) -> None:
        """End the run: wait for the question in progress, take no other."""
        with self._one:
            self._over = True

    def refuse(self, reason: str) -> NoAnswer:
        """Cut the run short, whatever the code does; return what to raise."""
        self.refusal = reason
        return NoAnswer(reason)


def _place_of(asked: Tuple[CodeType, int, int]) -> CallSite:
    code, instruction, line = asked
    if sys.version_info >= (3, 11):
        found = next(itertools.islice(code.co_positions(), instruction // 2, None), None)
        if found is not None and None not in found:
            first, last, start, end = found
            return code.co_filename, first, start, last, end
    return code.co_filename, line


def unanswered(operation: str, error: Exception) -> Exception:
    """Note a call of a service that nothing here answers; return ``error``, marked as ours."""
    if operation not in _session.outside:
        _session.outside.append(operation)
    error.__dict__[_UNANSWERED] = operation
    return error


def is_unanswered(error: BaseException) -> bool:
    """Return whether an exception came from :func:`unanswered`."""
    return _UNANSWERED in getattr(error, "__dict__", {})


class EmptyAnswers:
    """Answers everything with an empty answer, as while modules are imported."""

    faithful = True

    def __call__(self, request: ApiRequest) -> Answer:
        """An answer without any field."""
        del request
        return {}


class RecordedAnswers:
    """Plays recorded answers by question, else in order for each API; the last one repeats."""

    faithful = True

    def __init__(self, entries: Sequence[Mapping[str, Any]]) -> None:
        self._waiting: Dict[str, List[Mapping[str, Any]]] = {}
        self._played: Dict[Any, Answer] = {}
        self._known = any(entry.get("digest") for entry in entries)
        for entry in entries:
            self._waiting.setdefault(entry["api"], []).append(entry)

    def __call__(self, request: ApiRequest) -> Answer:
        """The answer to the question, or the next answer of the API."""
        waiting = self._waiting.get(request.api)
        if not waiting:
            raise NoAnswer(f"the script has no answer for {request.api}")
        asked = digest(request) if self._known else ""
        number = next((n for n, each in enumerate(waiting) if each.get("digest") == asked), None)
        if number is None and asked in self._played:
            return self._played[asked]
        chosen = waiting[number or 0]
        if len(waiting) > 1:
            del waiting[number or 0]
        answer: Answer = chosen["answer"]
        if asked and chosen.get("digest") == asked:
            self._played[asked] = answer
        return answer


_session = ApiSession(EmptyAnswers())


def set_supplier(supplier: Supplier) -> ApiSession:
    """Begin a session: from here on ``supplier`` answers every request."""
    global _session
    _session = ApiSession(supplier)
    return _session


def session() -> ApiSession:
    """The session in progress."""
    return _session


def ask(request: ApiRequest) -> Answer:
    """Answer a request in the session in progress."""
    return _session.ask(request)


MOST_DESCRIBED = 100
LONGEST_TEXT = 4000


def describe_questions(exchanges: Sequence[ApiExchange]) -> List[Dict[str, Any]]:
    """The inputs of the questions in order, at most ``MOST``; texts are cut at ``LONGEST``."""
    found: List[Dict[str, Any]] = []
    for exchange in exchanges:
        if len(found) >= MOST_DESCRIBED:
            break
        found += _inputs(exchange.request)
    return found[:MOST_DESCRIBED]


def _inputs(request: ApiRequest) -> Iterator[Dict[str, Any]]:
    for part, value in _parts(request):
        told: Dict[str, Any] = {"api": request.api, "part": part}
        if isinstance(value, bytes):
            told["digest"], told["size"] = request.content_digest, len(value)
        else:
            encoded = value.encode("utf-8", "replace")
            told["digest"], told["size"] = hashlib.sha256(encoded).hexdigest(), len(encoded)
            told["text"] = value[:LONGEST_TEXT]
        yield told


def _parts(request: ApiRequest) -> Iterator[Tuple[str, Any]]:
    """A file as bytes, else as the text that stands for it."""
    if request.content is not None:
        given = isinstance(request.content, (bytes, bytearray, memoryview))
        yield "content", bytes(request.content) if given else str(request.content)
    if request.text is not None:
        yield "text", str(request.text)
    if request.uri:
        yield "uri", str(request.uri)
