"""AUDIT: a run over all of a repository's default branch."""

from __future__ import annotations

from worker.github import repositories
from worker.publishing.desk import Desk
from worker.store.records import ErrandRecord, Job, Options

REASON = "nightly audit"


def audit(errand: ErrandRecord, desk: Desk) -> None:
    """Ask for a run over everything at the head of the default branch.

    The order names ``repository_id`` and ``date``; of one date there is one
    run.  Its answer is an issue.  Raises ``GithubError``.
    """
    number, date = int(errand.errand.order["repository_id"]), str(errand.errand.order["date"])
    with desk.store.look() as books:
        known = books.installations.repository(number)
    if known is None:
        return
    api = desk.api(known.installation, known.id, metadata="read", contents="read")
    found = repositories.get(api, known.full_name)
    if found.archived or found.default_branch is None:
        return
    head = repositories.branch_head(api, found.full_name, found.default_branch)
    job = Job(
        repository=found.full_name,
        base=None,
        head=head,
        reason=REASON,
        private=found.private,
        fork=False,
        repository_id=known.id,
        installation=known.installation,
        options=Options(everything=True),
        key=f"audit:{known.id}:{date}",
    )
    with desk.store.begin() as books:
        books.runs.ask(job)
