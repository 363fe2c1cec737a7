"""The nouns of the store: plain, frozen, without a database in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Any, Literal


class RunState(StrEnum):
    """The state of a run; one that prepares waits for its clone."""

    PREPARING = "preparing"
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def over(self) -> bool:
        """Return whether it will change no more."""
        return self in {RunState.DONE, RunState.FAILED, RunState.CANCELLED}


@dataclass(frozen=True, slots=True)
class Delivery:
    """One webhook event; ``digest`` is the SHA-256 of its raw ``body``.

    ``body`` is empty once it was heard and forgotten; ``installation`` is
    ``None`` where the event names none.
    """

    id: str
    event: str
    action: str | None
    digest: str
    installation: int | None = None
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class InstallationRecord:
    """The App on somebody's account; ``updated_at`` is GitHub's time of this news."""

    id: int
    account: str
    suspended: bool = False
    updated_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class RepositoryRecord:
    """A repository that an installation may see; ``id`` outlives its name.

    ``updated_at`` is GitHub's time of this news, where it told.
    """

    id: int
    full_name: str
    private: bool
    installation: int
    default_branch: str | None = None
    updated_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class PullRecord:
    """A pull request as GitHub last told of it.

    ``base`` and ``head`` are commits.  ``head_repository`` and ``head_name``
    are ``None`` where the fork is gone; ``maintainers_edit`` lets those who
    may write to the base push to the fork's branch.
    """

    repository: int
    number: int
    base_ref: str
    base: str
    head_ref: str
    head: str
    head_repository: int | None
    head_name: str | None
    author: str
    draft: bool
    open: bool
    maintainers_edit: bool
    updated_at: datetime

    @property
    def fork(self) -> bool:
        """Return whether the head is not known to lie in the repository itself."""
        return self.head_repository != self.repository


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options of a rerun; ``None`` takes the configuration's value.

    ``fresh``: no result of an earlier run is taken.
    """

    inputs: int | None = None
    target: str | None = None
    analyzer: str | None = None
    seed: int | None = None
    everything: bool = False
    fresh: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    """The subject of a check, and its reason.

    ``repository`` is ``owner/name`` or a path.  ``base`` and ``head`` are
    revisions; ``None`` takes the pipeline's default.  ``fork``: the head is
    not known to lie in the repository itself.  ``repository_id``,
    ``installation`` and ``pull`` say where at GitHub to answer; a job
    without an installation answers nowhere.  Of the jobs with one ``key``
    only the first becomes a run.
    """

    repository: str
    base: str | None
    head: str | None
    reason: str
    private: bool = True
    fork: bool = True
    repository_id: int | None = None
    installation: int | None = None
    pull: int | None = None
    options: RunOptions = RunOptions()
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Approval:
    """The approval that lets one commit of a fork ask paid engines: by whom, and when (UTC)."""

    repository: str
    head: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A job and what became of it.

    ``verdict`` is the report's; ``error`` says why a run failed, which is
    always our own fault or the machine's, or why it was cancelled.
    ``queue`` is where it waits, ``without_gpu`` that it waited for a GPU in
    vain, ``refused`` that ``error`` is a mistake in what was asked and not a
    failure of ours, ``progress`` what it is doing.  Times are aware, in UTC.
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
    check_run: int | None = None
    queue: str = "cpu"
    without_gpu: bool = False
    refused: bool = False
    progress: str | None = None


class WorkerState(StrEnum):
    """The state of a worker: it tries its isolation, takes jobs, or takes none."""

    STARTING = "starting"
    READY = "ready"
    REFUSING = "refusing"


@dataclass(frozen=True, slots=True)
class WorkerRecord:
    """A worker as it says of itself.

    ``reason`` says why it refuses jobs; ``layers`` are those between the
    code that it tests and its machine; ``queues`` are those that it takes
    from.  ``seen_at`` is when it last spoke.
    """

    id: str
    host: str
    state: WorkerState
    reason: str | None = None
    layers: tuple[str, ...] = ()
    seen_at: datetime | None = None
    queues: tuple[str, ...] = ("cpu",)


@dataclass(frozen=True, slots=True)
class Policy:
    """The decisions of a repository's maintainers about our comments.

    ``gate`` is the conclusion of a failure, ``fail_open`` makes an outage
    neutral, ``inline_comments`` is how many a review may have, ``commands``
    who may use slash-commands: a permission, or logins.  ``inputs`` is how
    many inputs a goal gets where a rerun does not say.
    """

    gate: Literal["failure", "neutral"] = "failure"
    fail_open: bool = False
    inline_comments: int = 5
    commands: str | tuple[str, ...] = "write"
    inputs: int = 10


@dataclass(frozen=True, slots=True)
class Attempt:
    """The right to carry out a run, until its lease ends."""

    run: RunRecord
    number: int


@dataclass(frozen=True, slots=True)
class RunBusy:
    """Another attempt at the run is under way, for ``seconds`` at most."""

    seconds: float


@dataclass(frozen=True, slots=True)
class RunOver:
    """Nothing is left to do: the run is finished, given up or unknown."""

    reason: str


class OutboxTaskKind(StrEnum):
    """The kinds of tasks at GitHub, the most urgent first."""

    ANNOUNCE = "announce"
    PREPARE = "prepare"
    COMMAND = "command"
    BUTTON = "button"
    RERUN = "rerun"
    PUBLISH = "publish"
    PROGRESS = "progress"
    AUDIT = "audit"
    REDELIVER = "redeliver"


@dataclass(frozen=True, slots=True)
class OutboxTask:
    """Something to do at GitHub for ``installation`` (0: for the App itself).

    Errands of one ``lane`` are done one after the other; of those with one
    ``key`` only the first is kept.  ``run`` is the run that it is about,
    ``order`` what else it needs, plain JSON.
    """

    kind: OutboxTaskKind
    installation: int
    ordering_key: str
    key: str
    run: str | None = None
    order: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class OutboxTaskRecord:
    """An errand that waits; ``attempts`` counts those that failed."""

    id: int
    task: OutboxTask
    attempts: int
    created_at: datetime
    due_at: datetime


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to do the errands of a lane until ``until``.

    ``fence`` grows with every lease of the lane: who holds an older one has
    lost it.
    """

    ordering_key: str
    fence: int
    until: datetime


class IdempotencyState(StrEnum):
    """The state of a creation at GitHub: done, not done, or unknown."""

    INTENDED = "intended"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class IdempotencyRecord:
    """Something created at GitHub once; ``made`` is what GitHub calls it."""

    key: str
    state: IdempotencyState
    made: str | None = None


class IgnoreKind(StrEnum):
    """The reason why a finding is ignored: silenced, or older than the App."""

    IGNORED = "ignored"
    BASELINE = "baseline"


@dataclass(frozen=True, slots=True)
class IgnoreRecord:
    """A finding that people chose not to hear of; it counts again after ``until``.

    ``target`` is where it was found: a run that tests it and does not find
    it again shows that the ignore is no longer needed.
    """

    repository: int
    fingerprint: str
    reason: str
    by: str
    at: datetime
    until: date | None = None
    kind: IgnoreKind = IgnoreKind.IGNORED
    target: str | None = None


@dataclass(frozen=True, slots=True)
class StoredReviewComment:
    """A comment of ours about one finding in a pull request.

    ``comment`` is GitHub's id; ``resolved``: we said that it is gone.
    """

    repository: int
    pull: int
    fingerprint: str
    comment: int
    resolved: bool = False
