"""The nouns of the store: plain, frozen, without a database in them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class RunState(StrEnum):
    """Where a run stands."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Delivery:
    """One webhook event; ``digest`` is the SHA-256 of its raw payload."""

    id: str
    event: str
    action: str | None
    digest: str


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be checked, and why.

    ``repository`` is ``owner/name`` or a path.  ``base`` and ``head`` are
    revisions; ``None`` takes the pipeline's default.  ``fork``: the head is
    not known to lie in the repository itself.
    """

    repository: str
    base: str | None
    head: str | None
    reason: str
    private: bool = True
    fork: bool = True


@dataclass(frozen=True, slots=True)
class Approval:
    """Who let the code of one commit of a fork ask paid engines, and when (UTC)."""

    repository: str
    head: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A job and what became of it.

    ``verdict`` is the report's; ``error`` says why a run failed, which is
    always our own fault or the machine's.  Times are aware, in UTC.
    """

    id: str
    job: Job
    state: RunState
    attempts: int
    created_at: datetime
    started_at: datetime | None = None
    finished_at: datetime | None = None
    verdict: str | None = None
    error: str | None = None


class WorkerState(StrEnum):
    """Where a worker stands: it tries its isolation, takes jobs, or takes none."""

    STARTING = "starting"
    READY = "ready"
    REFUSING = "refusing"


@dataclass(frozen=True, slots=True)
class WorkerRecord:
    """A worker as it says of itself.

    ``reason`` says why it refuses jobs; ``layers`` are those between the
    code that it tests and its machine.  ``seen_at`` is when it last spoke.
    """

    id: str
    host: str
    state: WorkerState
    reason: str | None = None
    layers: tuple[str, ...] = ()
    seen_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Recorded:
    """A delivery is kept.

    ``fresh`` is false when it was seen before; ``run`` is the run that it
    created, now or then.
    """

    fresh: bool
    run: str | None


@dataclass(frozen=True, slots=True)
class Attempt:
    """The right to carry out a run, until its lease ends."""

    run: RunRecord
    number: int


@dataclass(frozen=True, slots=True)
class Busy:
    """Another attempt at the run is under way, for ``seconds`` at most."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Over:
    """Nothing is left to do: the run is finished, given up or unknown."""

    reason: str
