"""The base of the change that a workflow of GitHub or a pipeline of GitLab is about.

Checkouts there have one commit.  What is missing is fetched from ``origin``, with the
configuration of the checkout.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worker.changes.checkout import Checkout, is_full_name, open_checkout, read_regular, resolve
from worker.changes.git import Git, GitError
from worker.errors import MachineError, UsageError

MOST_EVENT_BYTES = 32 << 20
DEPTHS = (50, 500, 5000)
_FETCHING = {"GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh"}
_KEPT = ("GIT_SSH_COMMAND", "SSH_AUTH_SOCK", "GIT_ASKPASS", "HTTPS_PROXY", "https_proxy")


@dataclass(frozen=True, slots=True)
class ComparedBase:
    """The commit that the head is compared with, and a sentence that says why."""

    base: str
    said: str


def compared_base(
    repository: Path, environment: Mapping[str, str] = os.environ
) -> ComparedBase | None:
    """Return the base of the event that runs us; ``None`` outside of a workflow or without one.

    Raises ``UsageError`` where it cannot be had, with what to do.
    """
    if environment.get("GITHUB_ACTIONS") == "true":
        return _of_github(_Clone(open_checkout(repository), environment), environment)
    if environment.get("GITLAB_CI") == "true":
        return _of_gitlab(_Clone(open_checkout(repository), environment), environment)
    return None


def _of_github(clone: _Clone, environment: Mapping[str, str]) -> ComparedBase | None:
    event = _event(environment)
    pull, group = _part(event, "pull_request"), _part(event, "merge_group")
    if pull:
        return _of_pull_request(clone, pull, environment)
    if group:
        base = clone.fetched(str(group.get("base_sha")))
        return ComparedBase(base, f"Merge group on {base[:12]}")
    if event.get("before") and event.get("after"):
        return _of_push(clone, str(event["before"]), _part(event, "repository"))
    return None


def _of_pull_request(
    clone: _Clone, pull: Mapping[str, Any], environment: Mapping[str, str]
) -> ComparedBase:
    """Return the first parent of GitHub's merge commit, else where the head left the base."""
    base = _part(pull, "base")
    name = environment.get("GITHUB_BASE_REF") or base.get("ref")
    said = f"Pull request #{pull.get('number')} into {name}"
    head = str(_part(pull, "head").get("sha"))
    parents = clone.parents() if clone.head != base.get("sha") else []
    if head in parents[1:]:
        return ComparedBase(parents[0], f"{said}: its merge with {parents[0][:12]} is tested")
    if clone.head == base.get("sha"):
        raise UsageError(
            f"{said}: the checkout has its base, not its change; in a workflow on"
            " pull_request_target, check the change out (actions/checkout with ref:"
            " refs/pull/NUMBER/merge), or run on pull_request"
        )
    merge_base = clone.merge_base(str(base.get("sha")))
    return ComparedBase(merge_base, f"{said}: compared with {merge_base[:12]}")


def _of_push(clone: _Clone, before: str, repository: Mapping[str, Any]) -> ComparedBase | None:
    if before.strip("0"):
        with suppress(UsageError):
            base = clone.fetched(before)
            return ComparedBase(base, f"Push: compared with {base[:12]}, the commit before it")
    default = str(repository.get("default_branch") or "")
    tip = clone.branch(default) if default else None
    if tip is not None and tip != clone.head:
        base = clone.merge_base(tip)
        return ComparedBase(base, f"Push of a new branch: compared with {default} at {base[:12]}")
    parents = clone.parents()
    if not parents:
        return None
    said = f"Push: compared with {parents[0][:12]}, the parent of its last commit"
    return ComparedBase(parents[0], said)


def _of_gitlab(clone: _Clone, environment: Mapping[str, str]) -> ComparedBase | None:
    base = environment.get("CI_MERGE_REQUEST_DIFF_BASE_SHA")
    if base:
        name = environment.get("CI_MERGE_REQUEST_TARGET_BRANCH_NAME")
        return ComparedBase(clone.fetched(base), f"Merge request into {name}: from {base[:12]}")
    repository = {"default_branch": environment.get("CI_DEFAULT_BRANCH")}
    return _of_push(clone, environment.get("CI_COMMIT_BEFORE_SHA", ""), repository)


def _event(environment: Mapping[str, str]) -> Mapping[str, Any]:
    """Return the event file of GitHub; raise ``UsageError`` where it is none."""
    place = environment.get("GITHUB_EVENT_PATH")
    if not place:
        return {}
    try:
        event = json.loads(read_regular(Path(place), MOST_EVENT_BYTES))
    except (OSError, ValueError) as error:
        raise UsageError(
            f"the event of this workflow cannot be read ({error}); pass --base", file=place
        ) from error
    return event if isinstance(event, dict) else {}


def _part(event: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = event.get(name)
    return part if isinstance(part, dict) else {}


class _Clone:
    """A checkout of few commits, and what can be fetched into it."""

    def __init__(self, checkout: Checkout, environment: Mapping[str, str]) -> None:
        self._checkout = checkout
        kept = {name: environment[name] for name in _KEPT if name in environment}
        self._git = Git(checkout.root, _FETCHING | kept)
        self.head = resolve(checkout, "HEAD")

    def fetched(self, commit: str) -> str:
        """Return a commit that is there or could be fetched; raise ``UsageError``."""
        if not is_full_name(commit):
            raise UsageError(f"the event names no commit: {commit[:80]!r}; pass --base")
        if not self._has(commit):
            self._fetch("--depth=1", commit)
        return commit

    def parents(self) -> list[str]:
        """Return the parents of the head, fetched where the clone lacks them."""
        if self._checkout.shallow and not self._has(f"{self.head}^"):
            self._fetch("--depth=2", self.head)
        return (self._line("rev-parse", f"{self.head}^@") or "").split()

    def branch(self, name: str) -> str | None:
        """Return the commit of a branch of the origin."""
        said = self._line("ls-remote", "--end-of-options", "origin", f"refs/heads/{name}")
        commit = (said or "").partition("\t")[0]
        return commit if is_full_name(commit) else None

    def merge_base(self, commit: str) -> str:
        """Return where the head left a commit's history, fetching as much as that needs."""
        self.fetched(commit)
        found = self._line("merge-base", commit, self.head)
        for depth in DEPTHS if self._checkout.shallow else ():
            if found:
                break
            self._fetch(f"--depth={depth}", commit, self.head)
            found = self._line("merge-base", commit, self.head)
        if not found:
            raise UsageError(
                f"the change and {commit[:12]} have no common commit in the last {DEPTHS[-1]:,}; "
                "fetch more (actions/checkout with fetch-depth: 0), or pass --base"
            )
        return found

    def _has(self, commit: str) -> bool:
        return self._line("cat-file", "-e", f"{commit}^{{commit}}") is not None

    def _line(self, *arguments: str) -> str | None:
        try:
            return self._git.line(*arguments)
        except GitError:
            return None

    def _fetch(self, depth: str, *commits: str) -> None:
        quiet = ("--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head")
        try:
            self._git.run("fetch", *quiet, depth, "--end-of-options", "origin", *commits)
        except MachineError as error:
            names = ", ".join(each[:12] for each in commits)
            raise UsageError(
                f"{names} is not in this shallow clone and cannot be fetched from origin "
                f"({error.message}); check out with fetch-depth: 0, or pass --base"
            ) from error
