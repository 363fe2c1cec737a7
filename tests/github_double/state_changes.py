"""What can happen at GitHub, whoever does it: the state changes and webhooks tell of it."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from tests.github_double import anchors
from tests.github_double.bare import BareRepository
from tests.github_double.events import EventSender
from tests.github_double.shared_services import Hub
from tests.github_double.state import (
    Account,
    CheckRun,
    CheckSuite,
    Installation,
    Issue,
    IssueComment,
    Pull,
    Repository,
    Review,
    ReviewComment,
    Thread,
    now,
)


class Deeds:
    """Changes of the state; the caller holds its lock."""

    def __init__(self, hub: Hub, events: EventSender) -> None:
        self.hub = hub
        self.state = hub.state
        self.events = events

    def repository(
        self, owner: Account, name: str, *, private: bool, parent: Repository | None = None
    ) -> Repository:
        number = self.state.id()
        folder = self.hub.folder / f"{number}.git"
        repository = Repository(
            number, owner, name, private, BareRepository.create(folder), parent=parent
        )
        repository.roles[owner.login.lower()] = "admin"
        self.state.repositories[number] = repository
        self.state.by_name[repository.full_name.lower()] = repository
        return repository

    def install(self, account: Account, permissions: dict[str, str]) -> Installation:
        owned = {r.id for r in self.state.repositories.values() if r.owner is account}
        installation = Installation(self.state.id(), account, permissions, owned)
        self.state.installations[installation.id] = installation
        self.events.installation("created", installation, account)
        return installation

    def suite(self, repository: Repository, sha: str, branch: str | None = None) -> CheckSuite:
        """The App's check suite of a commit."""
        found = self.state.suites_of.get((repository.id, sha))
        if found is None:
            found = CheckSuite(self.state.id(), repository, sha, branch)
            self.state.suites[found.id] = found
            self.state.suites_of[repository.id, sha] = found
        return found

    def pushed(self, repository: Repository, branch: str, sha: str, sender: Account) -> None:
        """A branch moved to ``sha``."""
        new = (repository.id, sha) not in self.state.suites_of
        installation = self.hub.installation_of(repository)
        if new and installation and installation.permissions.get("checks") == "write":
            self.events.check_suite("requested", self.suite(repository, sha, branch), sender)
        for pull in list(self.state.pulls.values()):
            if pull.head_repository is repository and pull.head_ref == branch and pull.open:
                self._moved(pull, sha, sender)

    def _moved(self, pull: Pull, sha: str, sender: Account) -> None:
        if pull.head_sha == sha:
            return
        before, pull.head_sha = pull.head_sha, sha
        pull.heads.append(sha)
        pull.base_sha = pull.repository.git.head(pull.base_ref) or pull.base_sha
        self._take(pull)
        pull.issue.updated_at = now()
        self.events.pull("synchronize", pull, sender, before=before, after=sha)

    def _take(self, pull: Pull) -> None:
        assert pull.head_repository is not None
        pull.repository.git.fetch(
            pull.head_repository.git, pull.head_sha, f"refs/pull/{pull.number}/head"
        )

    def issue(self, repository: Repository, user: Account, title: str, body: str | None) -> Issue:
        issue = Issue(self.state.id(), next(repository.numbers), repository, user, title, body)
        self.state.issues[repository.id, issue.number] = issue
        return issue

    def pull(
        self, repository: Repository, head: tuple[Repository, str], issue: Issue, **more: Any
    ) -> Pull:
        source, ref = head
        sha = source.git.head(ref)
        base = more.pop("base")
        base_sha = repository.git.head(base)
        if sha is None or base_sha is None:
            raise ValueError(f"{base} and {ref} must both have commits")
        pull = Pull(
            self.state.id(),
            issue.number,
            issue,
            repository,
            base,
            base_sha,
            source,
            source.owner,
            ref,
            sha,
            heads=[sha],
            **more,
        )
        issue.pull = pull
        self.state.pulls[repository.id, pull.number] = pull
        self._take(pull)
        self.events.pull("opened", pull, issue.user)
        return pull

    def pull_state(self, pull: Pull, state: str, sender: Account) -> None:
        pull.issue.state = state
        pull.issue.closed_at = now() if state == "closed" else None
        pull.issue.updated_at = now()
        self.events.pull("closed" if state == "closed" else "reopened", pull, sender)

    def comment(self, issue: Issue, user: Account, body: str) -> IssueComment:
        comment = IssueComment(self.state.id(), issue, user, body, by_app=user is self.hub.bot)
        self.state.issue_comments[comment.id] = comment
        self.state.comments_of.setdefault(issue.id, []).append(comment)
        issue.updated_at = now()
        self.events.issue_comment("created", comment, user)
        return comment

    def edit_comment(self, comment: IssueComment, body: str, sender: Account) -> None:
        before, comment.body = comment.body, body
        comment.updated_at = now()
        changes = {"body": {"from": before}}
        self.events.issue_comment("edited", comment, sender, changes=changes)

    def delete_comment(self, comment: IssueComment, sender: Account) -> None:
        del self.state.issue_comments[comment.id]
        self.state.comments_of[comment.issue.id].remove(comment)
        self.events.issue_comment("deleted", comment, sender)

    def review(self, pull: Pull, user: Account, body: str, state: str, commit: str) -> Review:
        at = None if state == "PENDING" else now()
        review = Review(self.state.id(), pull, user, body, state, commit, at)
        self.state.reviews[review.id] = review
        if at:
            pull.issue.updated_at = now()
        return review

    def thread(self, pull: Pull, path: str, commit: str, **place: Any) -> Thread:
        """A new place in the diff; ``line`` etc. were checked before."""
        found = anchors.file(pull, path, commit)
        line, side = place.get("line"), place.get("side") or "RIGHT"
        hunk = anchors.hunk_text(found, side, line) if found and line else ""
        thread = Thread(
            self.state.id(),
            pull,
            path,
            commit,
            line,
            place.get("start_line"),
            side,
            (place.get("start_side") or side) if place.get("start_line") else None,
            hunk,
        )
        self.state.threads[thread.id] = thread
        self.state.threads_of.setdefault(pull.id, []).append(thread)
        return thread

    def review_comment(
        self, thread: Thread, review: Review, user: Account, body: str
    ) -> ReviewComment:
        comment = ReviewComment(self.state.id(), thread, review, user, body)
        thread.comments.append(comment)
        self.state.review_comments[comment.id] = comment
        if review.state != "PENDING":
            self.events.review_comment("created", comment, user)
        return comment

    def submit(self, review: Review, state: str, body: str | None) -> None:
        review.state, review.submitted_at = state, now()
        review.body = body if body is not None else review.body
        for comment in self.comments_of(review):
            self.events.review_comment("created", comment, review.user)

    def comments_of(self, review: Review) -> list[ReviewComment]:
        return [c for c in self.state.review_comments.values() if c.review is review]

    def edit_review_comment(self, comment: ReviewComment, body: str, sender: Account) -> None:
        before, comment.body = comment.body, body
        comment.updated_at = now()
        changes = {"body": {"from": before}}
        self.events.review_comment("edited", comment, sender, changes=changes)

    def delete_review_comment(self, comment: ReviewComment, sender: Account) -> None:
        del self.state.review_comments[comment.id]
        comment.deleted = True
        thread = comment.thread
        thread.comments.remove(comment)
        if not comment.pending:
            self._told_deleted(comment, sender)
        if not thread.comments:
            del self.state.threads[thread.id]
            self.state.threads_of[thread.pull.id].remove(thread)

    def _told_deleted(self, comment: ReviewComment, sender: Account) -> None:
        whole = replace(comment.thread, comments=[*comment.thread.comments, comment])
        self.events.review_comment("deleted", replace(comment, thread=whole), sender)

    def check_run(self, run: CheckRun) -> None:
        self.state.runs[run.id] = run
        key = (run.repository.id, run.head_sha)
        self.state.runs_of.setdefault(key, []).append(run)
        self.touched(run)
        self.events.check_run("created", run, self.hub.bot)
        if run.status == "completed":
            self.events.check_run("completed", run, self.hub.bot)

    def touched(self, run: CheckRun) -> None:
        """Note where a run stands now."""
        run.suite.reset = False
        run.suite.updated_at = now()
        run.history.append((time.time(), run.status, run.conclusion))

    def completed(self, run: CheckRun) -> None:
        self.events.check_run("completed", run, self.hub.bot)

    def rerequest_run(self, run: CheckRun, sender: Account) -> None:
        run.suite.reset = True
        self.events.check_run("rerequested", run, sender)

    def rerequest_suite(self, suite: CheckSuite, sender: Account) -> None:
        suite.reset = True
        self.events.check_suite("rerequested", suite, sender)
