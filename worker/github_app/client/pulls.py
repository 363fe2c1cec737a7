"""Pull requests and what they change."""

from __future__ import annotations

from itertools import islice

from github.File import File
from github.PullRequest import PullRequest as Pull

from worker.github_app.client.api import Api
from worker.github_app.client.models import completed, listed

MOST_OPEN = 1000
_NEEDED = ("number", "state", "head.sha", "head.ref", "base.sha", "base.ref", "updated_at")

__all__ = ["Pull", "commits", "files", "get", "with_head"]


def get(api: Api, repository: str, number: int) -> Pull:
    """Return one pull request."""
    return completed(api.repository(repository).get_pull(number), *_NEEDED)


def files(api: Api, repository: str, number: int) -> list[File]:
    """Return the files that it changes: GitHub lists 3,000 and says nothing of others."""
    pull = api.repository(repository).get_pull(number)
    return list(listed(pull.get_files(), "filename", "status"))


def with_head(api: Api, repository: str, sha: str) -> list[Pull]:
    """Return the open pull requests with a head, also from forks.

    Only the ``MOST_OPEN`` that were touched last are looked through.  GitHub's
    own list of a commit's pull requests knows none of a fork's.
    """
    latest = api.repository(repository).get_pulls("open", sort="updated", direction="desc")
    pulls = islice(listed(latest, "number", "head.sha"), MOST_OPEN)
    return [pull for pull in pulls if pull.head.sha == sha]


def commits(api: Api, repository: str, number: int) -> list[str]:
    """Return the full names of its commits, the oldest first; GitHub tells of 250 at most."""
    pull = api.repository(repository).get_pull(number)
    return [commit.sha for commit in listed(pull.get_commits(), "sha")]
