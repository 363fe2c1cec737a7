"""What a GitHub event asks of us."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from worker.store import Job

_TESTED_ACTIONS = frozenset({"opened", "reopened", "synchronize"})
"""What happens to a pull request that gives it a head not tested yet."""

_SHA = Field(pattern="^[0-9a-f]{40}([0-9a-f]{24})?$")


class MalformedError(Exception):
    """A payload that is not what GitHub documents for its event."""


class _Part(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


class _Commit(_Part):
    sha: str = _SHA


class _Place(_Part):
    id: int


class _Base(_Commit):
    repo: _Place


class _Head(_Commit):
    """``repo`` is null when the fork is gone."""

    repo: _Place | None


class _PullRequest(_Part):
    number: int
    base: _Base
    head: _Head

    @property
    def from_fork(self) -> bool:
        return self.head.repo is None or self.head.repo.id != self.base.repo.id


class _Repository(_Part):
    full_name: str = Field(pattern="^[A-Za-z0-9_.-]{1,100}/[A-Za-z0-9_.-]{1,100}$")
    private: bool


class _PullRequestEvent(_Part):
    action: str
    pull_request: _PullRequest
    repository: _Repository


def job_of(event: str, payload: object) -> Job | None:
    """Return the check that an event asks for, if it asks for one.

    Raises ``MalformedError`` when a payload lacks what its event must have.
    """
    if event != "pull_request":
        return None
    try:
        heard = _PullRequestEvent.model_validate(payload)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise MalformedError(f"{place}: {first['msg']}") from error
    if heard.action not in _TESTED_ACTIONS:
        return None
    return Job(
        repository=heard.repository.full_name,
        base=heard.pull_request.base.sha,
        head=heard.pull_request.head.sha,
        reason=f"pull request {heard.pull_request.number} {heard.action}",
        private=heard.repository.private,
        fork=heard.pull_request.from_fork,
    )
