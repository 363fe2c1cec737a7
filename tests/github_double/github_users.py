"""What people do at GitHub, for tests: repositories, pull requests, comments, buttons."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from tests.github_double import anchors
from tests.github_double.rest.reviews import wrong_place
from tests.github_double.shared_services import Hub
from tests.github_double.state import (
    ROLES,
    Account,
    CheckRun,
    Issue,
    IssueComment,
    Pull,
    Reaction,
    Repository,
    Review,
    ReviewComment,
    Status,
    Thread,
    now,
)
from tests.github_double.state_changes import Deeds

Files = Mapping[str, str | bytes | None]
_FENCE = re.compile(r"^(?P<fence>`{3,}|~{3,})[ \t]*suggestion[^\n`]*\n", re.MULTILINE)


class Repo:
    """A repository, and what people do in it."""

    def __init__(self, hub: Hub, deeds: Deeds, repository: Repository) -> None:
        self._hub = hub
        self._deeds = deeds
        self.state = repository

    @property
    def id(self) -> int:
        return self.state.id

    @property
    def name(self) -> str:
        return self.state.name

    @property
    def full_name(self) -> str:
        return self.state.full_name

    @property
    def installation(self) -> int | None:
        """The id of the installation that sees it."""
        found = self._hub.installation_of(self.state)
        return found.id if found else None

    @property
    def clone_url(self) -> str:
        return f"{self._hub.shapes.web}/{self.full_name}.git"

    def _user(self, login: str) -> Account:
        return self._hub.state.account(login)

    def head(self, branch: str = "main") -> str:
        """The newest commit of a branch."""
        found = self.state.git.head(branch)
        if found is None:
            raise ValueError(f"{self.full_name} has no branch {branch}")
        return found

    def commit(
        self,
        branch: str,
        files: Files,
        *,
        message: str = "Change",
        user: str = "alice",
        parent: str | None = None,
    ) -> str:
        """Push a commit with ``files`` (``None`` removes one) on ``parent`` or the branch.

        A new branch starts at the default branch.
        """
        with self._hub.state.lock:
            git = self.state.git
            start = parent or git.head(branch) or git.head(self.state.default_branch)
            sha = git.commit(branch, files, message=message, author=user, parent=start)
            self._deeds.pushed(self.state, branch, sha, self._user(user))
            return sha

    def read(self, path: str, ref: str = "main") -> bytes | None:
        """A file as it stands at a branch or commit."""
        sha = self.state.git.resolve(ref)
        return self.state.git.show(sha, path) if sha else None

    def branch(self, name: str, sha: str, *, user: str = "alice") -> None:
        """Set a branch, forcing it where it was elsewhere."""
        with self._hub.state.lock:
            self.state.git.set_ref(f"refs/heads/{name}", sha)
            self._deeds.pushed(self.state, name, sha, self._user(user))

    def fork(self, owner: str, name: str | None = None) -> Repo:
        """A fork with the default branch; the App is not installed there."""
        with self._hub.state.lock:
            account = self._user(owner)
            made = self._deeds.repository(
                account, name or self.name, private=self.state.private, parent=self.state
            )
            main = self.state.default_branch
            made.git.fetch(self.state.git, self.head(main), f"refs/heads/{main}")
            return Repo(self._hub, self._deeds, made)

    def role(self, login: str, role: str) -> None:
        """Give somebody a role: none, read, triage, write, maintain or admin."""
        if role not in ROLES:
            raise ValueError(f"{role} is none of {', '.join(ROLES)}")
        self._user(login)
        self.state.roles[login.lower()] = role

    def pull(
        self,
        head: str = "feature",
        *,
        files: Files | None = None,
        base: str = "main",
        user: str = "alice",
        title: str = "Change something",
        body: str | None = None,
        draft: bool = False,
        fork: Repo | None = None,
        maintainers_edit: bool = False,
    ) -> PullRequest:
        """Open a pull request from ``head`` (of ``fork``), after pushing ``files`` to it."""
        source = fork or self
        if files is not None:
            source.commit(head, files, user=user)
        with self._hub.state.lock:
            issue = self._deeds.issue(self.state, self._user(user), title, body)
            made = self._deeds.pull(
                self.state,
                (source.state, head),
                issue,
                base=base,
                draft=draft,
                maintainers_edit=maintainers_edit,
            )
            return PullRequest(self._hub, self._deeds, made)

    def issue(self, title: str, body: str | None = None, *, user: str = "alice") -> Issue:
        """Open an issue."""
        with self._hub.state.lock:
            return self._deeds.issue(self.state, self._user(user), title, body)

    def issues(self) -> list[Issue]:
        """Issues that are no pull requests, oldest first."""
        there = self._hub.state.issues.values()
        return [one for one in there if one.repository is self.state and one.pull is None]

    def comment(self, issue: Issue, user: str, body: str) -> IssueComment:
        """Comment on an issue."""
        with self._hub.state.lock:
            return self._deeds.comment(issue, self._user(user), body)

    def check_runs(self, sha: str) -> list[CheckRun]:
        """All check runs of a commit, oldest first."""
        return list(self._hub.state.runs_of.get((self.id, sha), []))

    def check_run(self, sha: str, name: str = "Assayer") -> CheckRun | None:
        """The newest check run of a commit with that name: the one that counts."""
        found = [run for run in self.check_runs(sha) if run.name == name]
        return found[-1] if found else None

    def passes(self, sha: str, name: str = "Assayer") -> bool:
        """Whether a required check of that name lets a commit be merged."""
        run = self.check_run(sha, name)
        return run is not None and run.conclusion in {"success", "neutral", "skipped"}

    def statuses(self, sha: str) -> list[Status]:
        return list(self._hub.state.statuses.get((self.id, sha), []))

    def press(self, run: CheckRun, identifier: str, user: str = "alice") -> None:
        """Press a button of a check run: they show once it is completed."""
        if run.status != "completed":
            raise ValueError("buttons show on completed check runs only")
        if identifier not in {action["identifier"] for action in run.actions}:
            raise ValueError(f"the check run has no button {identifier}")
        with self._hub.state.lock:
            self._deeds.events.check_run(
                "requested_action",
                run,
                self._user(user),
                requested_action={"identifier": identifier},
            )

    def rerun(self, run: CheckRun, user: str = "alice") -> None:
        """Press "Re-run" beside one check run."""
        with self._hub.state.lock:
            self._deeds.rerequest_run(run, self._user(user))

    def rerun_all(self, sha: str, user: str = "alice") -> None:
        """Press "Re-run all checks"."""
        with self._hub.state.lock:
            self._deeds.rerequest_suite(self._deeds.suite(self.state, sha), self._user(user))

    def merge_group(self, pull: PullRequest, user: str = "alice") -> str:
        """Put a pull request into the merge queue; returns the head of its merge group."""
        with self._hub.state.lock:
            git, base = self.state.git, self.head(pull.state.base_ref)
            message = f"Merge pull request #{pull.number} from {pull.state.head_ref}"
            sha = git.merged(base, pull.head, message)
            ref = f"refs/heads/gh-readonly-queue/{pull.state.base_ref}/pr-{pull.number}-{base}"
            git.set_ref(ref, sha)
            entry = git.entry(sha)
            group = {
                "head_sha": sha,
                "head_ref": ref,
                "base_sha": base,
                "base_ref": f"refs/heads/{pull.state.base_ref}",
                "head_commit": {
                    "id": sha,
                    "tree_id": entry["tree"],
                    "message": message,
                    "timestamp": now(),
                    "author": {"name": "GitHub", "email": "noreply@github.example"},
                    "committer": {"name": "GitHub", "email": "noreply@github.example"},
                },
            }
            self._deeds.events.merge_group("checks_requested", self.state, group, self._user(user))
            return sha

    def rename(self, name: str, user: str = "alice") -> None:
        """Rename it; the old name redirects."""
        with self._hub.state.lock:
            before = self.state.name
            self._renamed(lambda: setattr(self.state, "name", name))
            changes = {"repository": {"name": {"from": before}}}
            self._deeds.events.repository("renamed", self.state, self._user(user), changes=changes)

    def transfer(self, owner: str, user: str = "alice") -> None:
        """Give it to another account, where the App is installed too if that account has it."""
        with self._hub.state.lock:
            old = self._hub.installation_of(self.state)
            before, account = self.state.owner, self._user(owner)
            self._renamed(lambda: setattr(self.state, "owner", account))
            target = next(
                (i for i in self._hub.state.installations.values() if i.account is account), None
            )
            if old and target is not old:
                old.repositories.discard(self.id)
            if target:
                target.repositories.add(self.id)
            origin = {"user": self._hub.shapes.user(before)}
            self._deeds.events.repository(
                "transferred", self.state, self._user(user), changes={"owner": {"from": origin}}
            )

    def _renamed(self, change: Any) -> None:
        state = self._hub.state
        state.by_name.pop(self.full_name.lower(), None)
        state.former[self.full_name.lower()] = self.state
        change()
        state.by_name[self.full_name.lower()] = self.state

    def delete(self, user: str = "alice") -> None:
        """Delete it: pull requests from it are left without a head repository."""
        with self._hub.state.lock:
            self._deeds.events.repository("deleted", self.state, self._user(user))
            self.state.deleted = True
            self._hub.state.by_name.pop(self.full_name.lower(), None)
            for installation in self._hub.state.installations.values():
                installation.repositories.discard(self.id)
            for pull in self._hub.state.pulls.values():
                if pull.head_repository is self.state:
                    pull.head_repository = None


class PullRequest:
    """A pull request, and what people do in it."""

    def __init__(self, hub: Hub, deeds: Deeds, pull: Pull) -> None:
        self._hub = hub
        self._deeds = deeds
        self.state = pull

    @property
    def number(self) -> int:
        return self.state.number

    @property
    def head(self) -> str:
        """The newest commit."""
        return self.state.head_sha

    @property
    def base(self) -> str:
        """The base commit that GitHub names."""
        return self.state.base_sha

    @property
    def repository(self) -> Repo:
        return Repo(self._hub, self._deeds, self.state.repository)

    @property
    def source(self) -> Repo:
        """Where its head lies."""
        if self.state.head_repository is None:
            raise ValueError("its fork is gone")
        return Repo(self._hub, self._deeds, self.state.head_repository)

    def _user(self, login: str) -> Account:
        return self._hub.state.account(login)

    def push(
        self, files: Files, *, user: str = "alice", message: str = "Change", force: bool = False
    ) -> str:
        """Push a commit to its branch; ``force`` puts it on the base instead of the head."""
        parent = anchors.base_of(self.state) if force else None
        return self.source.commit(
            self.state.head_ref, files, user=user, message=message, parent=parent
        )

    def close(self, user: str = "alice") -> None:
        with self._hub.state.lock:
            self._deeds.pull_state(self.state, "closed", self._user(user))

    def reopen(self, user: str = "alice") -> None:
        with self._hub.state.lock:
            self._deeds.pull_state(self.state, "open", self._user(user))

    def merge(self, user: str = "alice") -> str:
        """Merge it into its base."""
        with self._hub.state.lock:
            pull, git = self.state, self.state.repository.git
            base = self.repository.head(pull.base_ref)
            sha = git.merged(base, pull.head_sha, f"Merge pull request #{pull.number}")
            git.set_ref(f"refs/heads/{pull.base_ref}", sha)
            pull.merged_at = now()
            self._deeds.pull_state(pull, "closed", self._user(user))
            self._deeds.pushed(pull.repository, pull.base_ref, sha, self._user(user))
            return sha

    def ready(self, user: str = "alice") -> None:
        """Mark a draft as ready for review."""
        with self._hub.state.lock:
            self.state.draft = False
            self._told("ready_for_review", user)

    def to_draft(self, user: str = "alice") -> None:
        with self._hub.state.lock:
            self.state.draft = True
            self._told("converted_to_draft", user)

    def retarget(self, base: str, user: str = "alice") -> None:
        """Point it at another base branch."""
        with self._hub.state.lock:
            before = {"ref": {"from": self.state.base_ref}, "sha": {"from": self.state.base_sha}}
            self.state.base_ref = base
            self.state.base_sha = self.repository.head(base)
            self._told("edited", user, changes={"base": before})

    def retitle(self, title: str, user: str = "alice") -> None:
        with self._hub.state.lock:
            before, self.state.issue.title = self.state.issue.title, title
            self._told("edited", user, changes={"title": {"from": before}})

    def _told(self, action: str, user: str, **more: Any) -> None:
        self.state.issue.updated_at = now()
        self._deeds.events.pull(action, self.state, self._user(user), **more)

    def comment(self, user: str, body: str) -> IssueComment:
        """Write in its conversation."""
        with self._hub.state.lock:
            return self._deeds.comment(self.state.issue, self._user(user), body)

    def edit(self, comment: IssueComment | ReviewComment, body: str, user: str = "alice") -> None:
        """Edit somebody's comment."""
        with self._hub.state.lock:
            if isinstance(comment, IssueComment):
                self._deeds.edit_comment(comment, body, self._user(user))
            else:
                self._deeds.edit_review_comment(comment, body, self._user(user))

    def delete(self, comment: IssueComment | ReviewComment, user: str = "alice") -> None:
        """Delete somebody's comment."""
        with self._hub.state.lock:
            if isinstance(comment, IssueComment):
                self._deeds.delete_comment(comment, self._user(user))
            else:
                self._deeds.delete_review_comment(comment, self._user(user))

    def remark(
        self, user: str, path: str, line: int, body: str, *, side: str = "RIGHT"
    ) -> ReviewComment:
        """Comment on a line of the diff."""
        with self._hub.state.lock:
            place = {"path": path, "line": line, "side": side}
            wrong = wrong_place(self.state, self.head, place)
            if wrong:
                raise ValueError(wrong)
            thread = self._deeds.thread(self.state, path, self.head, line=line, side=side)
            return self._answered(thread, user, body)

    def reply(self, to: ReviewComment | Thread, user: str, body: str) -> ReviewComment:
        """Answer in a review thread."""
        thread = to if isinstance(to, Thread) else to.thread
        with self._hub.state.lock:
            return self._answered(thread, user, body)

    def _answered(self, thread: Thread, user: str, body: str) -> ReviewComment:
        account = self._user(user)
        review = self._deeds.review(self.state, account, "", "COMMENTED", self.head)
        return self._deeds.review_comment(thread, review, account, body)

    def resolve(self, thread: Thread, user: str = "alice") -> None:
        with self._hub.state.lock:
            thread.resolved_by = self._user(user)

    def comments(self) -> list[IssueComment]:
        """The conversation, oldest first."""
        return list(self._hub.state.comments_of.get(self.state.issue.id, []))

    def bot_comments(self) -> list[IssueComment]:
        """What the App wrote in the conversation."""
        return [comment for comment in self.comments() if comment.user is self._hub.bot]

    def threads(self) -> list[Thread]:
        """The review threads, pending ones too, oldest first."""
        return list(self._hub.state.threads_of.get(self.state.id, []))

    def review_comments(self) -> list[ReviewComment]:
        """All comments of all threads, oldest first."""
        found = [comment for thread in self.threads() for comment in thread.comments]
        return sorted(found, key=lambda comment: comment.id)

    def reviews(self) -> list[Review]:
        """The reviews, pending ones too."""
        return [one for one in self._hub.state.reviews.values() if one.pull is self.state]

    def reactions(self, comment: IssueComment | ReviewComment) -> list[Reaction]:
        """The reactions to a comment."""
        kind = "issue comment" if isinstance(comment, IssueComment) else "pull"
        return list(self._hub.state.reactions.get((kind, comment.id), []))

    def check_runs(self) -> list[CheckRun]:
        """The check runs of its head."""
        return self.repository.check_runs(self.head)

    def line_of(self, thread: Thread) -> int | None:
        """Where a thread is now; ``None`` when it is outdated or on a whole file."""
        place = anchors.now_at(thread)
        return place.line if place else None

    def outdated(self, thread: Thread) -> bool:
        return anchors.outdated(thread)

    def accept(self, comment: ReviewComment, user: str = "alice") -> str:
        """Press "Commit suggestion": the anchored lines are replaced, verbatim.

        Raises ``ValueError`` where GitHub would show no such button.
        """
        thread = comment.thread
        place = anchors.now_at(thread)
        if place is None or thread.side == "LEFT" or thread.start_side == "LEFT":
            raise ValueError("suggestions apply to lines of the newest head only")
        content = self.source.read(thread.path, self.head) or b""
        lines = content.decode().splitlines(keepends=True)
        start = place.start or place.line
        new = _ended(suggestion_in(comment.body), lines[start - 1 : place.line])
        text = "".join([*lines[: start - 1], new, *lines[place.line :]])
        return self.push({thread.path: text.encode()}, user=user, message="Apply suggestion")


def suggestion_in(body: str) -> str:
    """The text of a comment's only suggestion block, as CommonMark fences read."""
    text = body.replace("\r\n", "\n")
    opened = list(_FENCE.finditer(text))
    if not opened:
        raise ValueError("the comment has no suggestion")
    fence = opened[0]["fence"]
    kept = []
    for line in text[opened[0].end() :].split("\n"):
        bare = line.strip()
        if len(bare) >= len(fence) and set(bare) == {fence[0]}:
            return "\n".join(kept)
        kept.append(line)
    raise ValueError("the suggestion is not closed")


def _ended(text: str, replaced: Sequence[str]) -> str:
    """GitHub keeps the file's own line ends."""
    if text == "":
        return ""
    end = next((e for e in ("\r\n", "\n") if replaced and replaced[0].endswith(e)), "\n")
    last = end if replaced and replaced[-1].endswith("\n") else ""
    return end.join(text.split("\n")) + last
