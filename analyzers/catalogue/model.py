"""What an ML API is, as the catalogue describes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class InputField:
    """The request field that carries the input, and what it is to a person.

    ``kind`` is one of the values of ``vocabulary.InputKind``, ``also`` are others
    that it may be.  With ``each``
    the field is a list: the guest asks about its elements one by one, and an
    answer is one element of the first list in the API's ``result``.
    """

    field: str
    kind: str
    each: bool = False
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Meaning:
    """One thing that an answer says, and where it stands.

    ``at`` are paths in the canonical answer (``analyzers.catalogue.paths``);
    the first that holds anything counts.  ``task`` is what a person has to
    find in the input for it.  ``readings`` maps the provider's classes to
    what a person would say (``HAPPY``: a happy face); with ``closed`` the API
    knows no other classes.  ``clear`` is for a number: how far from zero it
    is one feeling or the other.  With ``inside`` the words are in a text, which
    may be JSON: its values, or the text itself where it is short.
    """

    task: str
    at: tuple[str, ...]
    readings: Mapping[str, str]
    closed: bool = False
    clear: float | None = None
    inside: bool = False


@dataclass(frozen=True, slots=True)
class Api:
    """One ML API.

    ``methods`` are dotted client methods after :meth:`Catalogue.canonical`:
    calls are left out (``Client().f`` is ``Client.f``), and a factory keeps
    its service (``boto3.client('rekognition').detect_labels``).
    ``requests`` are methods shared by several APIs, told apart by the
    ``feature`` their arguments name; ``rest`` are patterns of host and path
    (``*``: one or more path segments).  ``hosts`` are the names under which
    its servers are found (``*``: one label), ``target`` is the operation that
    the header ``X-Amz-Target`` names.  ``schema`` is the message name of the
    response; ``result``, ``key`` and ``score`` are paths in it, ``[]`` for
    the elements of a list.  ``highest`` is the best score that there is,
    ``lowest`` the worst one of an answer, unless the request's parameter
    ``floored_by`` asks for others.  ``says`` is what an answer means.
    ``case`` is how the provider writes its labels, ``prefix`` what all of them
    begin with.  An answer lists ``least``
    entries at least; where the request's parameter ``labelled_by`` names labels,
    it rates each of them and no others.
    """

    name: str
    provider: str
    task: str
    methods: tuple[str, ...]
    result: str
    requests: tuple[str, ...] = ()
    feature: str | None = None
    rest: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    target: str | None = None
    input: InputField | None = None
    schema: str | None = None
    key: str | None = None
    score: str | None = None
    vocabulary: str | None = None
    case: str | None = None
    highest: float = 1.0
    lowest: float = 0.0
    floored_by: str | None = None
    prefix: str = ""
    least: int = 0
    labelled_by: str | None = None
    says: tuple[Meaning, ...] = ()

    @property
    def score_at(self) -> str:
        """Where scores stand in a canonical answer (docs/guest-protocol.md); empty: nowhere."""
        path = self.score or ""
        if self.input is not None and self.input.each:
            return path.partition("[].")[2]
        return f"elements{path}" if path.startswith("[].") else path


@dataclass(frozen=True, slots=True)
class Factory:
    """A call whose string argument says which client it makes."""

    call: str
    argument: str


@dataclass(frozen=True, slots=True)
class Transport:
    """What lies around an answer.

    ``calls`` carry a URL, ``attributes`` tell of the transport alone,
    ``faults`` of a call that failed, and ``transparent`` methods return the
    client that they are called on.  ``regions`` stand in the names of servers.
    """

    calls: frozenset[str]
    attributes: frozenset[str]
    faults: frozenset[str]
    transparent: frozenset[str]
    regions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Descriptions:
    """Everything that the data files say."""

    apis: Mapping[str, Api]
    aliases: Mapping[str, str]
    factories: Mapping[str, Factory]
    hints: tuple[tuple[str, ...], ...]
    transport: Transport
