"""Pull requests and what they change."""

from __future__ import annotations

from itertools import islice

from pydantic import AwareDatetime, StrictBool, StrictInt, StrictStr

from worker.github_app.client.api import Api
from worker.github_app.client.models import Noun, User, read, read_all, repository_path

# GitHub lists no more files than these, and says nothing of the others
MOST_FILES = 3000
MOST_OPEN = 1000


class Place(Noun):
    """The repository of one side."""

    id: StrictInt
    full_name: StrictStr
    private: StrictBool = True


class Side(Noun):
    """A branch and its commit; ``repo`` is ``None`` where the fork was deleted."""

    ref: StrictStr
    sha: StrictStr
    repo: Place | None = None


class Pull(Noun):
    """A pull request; ``user`` is ``None`` where the account is gone."""

    number: StrictInt
    state: StrictStr
    title: StrictStr = ""
    draft: StrictBool = False
    user: User | None = None
    head: Side
    base: Side
    updated_at: AwareDatetime
    maintainer_can_modify: StrictBool = False
    changed_files: StrictInt | None = None

    @property
    def open(self) -> bool:
        """Whether it is neither closed nor merged."""
        return self.state == "open"


class _Commit(Noun):
    sha: StrictStr


class PullFile(Noun):
    """A file that a pull request changes.

    ``patch`` holds the hunks, without a file header; ``None`` for binary and
    very large files.
    """

    filename: StrictStr
    status: StrictStr
    previous_filename: StrictStr | None = None
    patch: StrictStr | None = None
    additions: StrictInt = 0
    deletions: StrictInt = 0


def get(api: Api, repository: str, number: int) -> Pull:
    """One pull request."""
    return read(Pull, api.get(f"{repository_path(repository)}/pulls/{number}"))


def files(api: Api, repository: str, number: int) -> tuple[PullFile, ...]:
    """The files that it changes; the first ``MOST_FILES`` of them."""
    path = f"{repository_path(repository)}/pulls/{number}/files"
    return read_all(PullFile, api.pages(path))


def diff(api: Api, repository: str, number: int) -> str:
    """It as one diff; ``TooLargeError`` over 300 files or 20,000 lines."""
    return api.diff(f"{repository_path(repository)}/pulls/{number}")


def with_head(api: Api, repository: str, sha: str) -> tuple[Pull, ...]:
    """The open pull requests with a head, also from forks.

    Only the ``MOST_OPEN`` that were touched last are looked through.  GitHub's
    own list of a commit's pull requests knows none of a fork's.
    """
    latest = {"state": "open", "sort": "updated", "direction": "desc"}
    listed = islice(api.pages(f"{repository_path(repository)}/pulls", latest), MOST_OPEN)
    return tuple(pull for pull in read_all(Pull, listed) if pull.head.sha == sha)


def commits(api: Api, repository: str, number: int) -> tuple[str, ...]:
    """The full names of its commits, the oldest first; GitHub tells of 250 at most."""
    path = f"{repository_path(repository)}/pulls/{number}/commits"
    return tuple(commit.sha for commit in read_all(_Commit, api.pages(path)))
