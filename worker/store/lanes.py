"""How lanes are called: errands of one lane are done one after the other."""

from __future__ import annotations

from worker.store.records import Job

APP = "app"


def pull_lane(repository: int, number: int) -> str:
    """Whatever writes to a pull request."""
    return f"pull:{repository}:{number}"


def head_lane(repository: int, sha: str) -> str:
    """Whatever writes to a commit outside of pull requests."""
    return f"head:{repository}:{sha}"


def clone_lane(run_id: str) -> str:
    """A run's clone; it writes nothing to GitHub."""
    return f"clone:{run_id}"


def audit_lane(repository: int) -> str:
    """A repository's audit."""
    return f"audit:{repository}"


def lane_of(job: Job) -> str:
    """Return the lane in which a job's answers are written.

    Raises ``ValueError`` for a job that comes from no repository at GitHub.
    """
    if job.repository_id is None:
        raise ValueError("a job that is answered at GitHub has a repository_id")
    if job.pull is not None:
        return pull_lane(job.repository_id, job.pull)
    return head_lane(job.repository_id, job.head or "")
