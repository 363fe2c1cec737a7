"""Permissions and events of an App: the same as in docs/operating/github-app-manifest.json."""

from __future__ import annotations

from collections.abc import Mapping

PERMISSIONS: Mapping[str, str] = {
    "checks": "write",
    "contents": "write",
    "issues": "write",
    "merge_queues": "read",
    "metadata": "read",
    "pull_requests": "write",
}
"""``contents: write`` is for committed suggestions, ``merge_queues`` for ``merge_group``."""

EVENTS = frozenset(
    {
        "check_run",
        "check_suite",
        "issue_comment",
        "merge_group",
        "pull_request",
        "pull_request_review_comment",
        "repository",
    }
)

UNASKED = frozenset({"installation", "installation_repositories"})
"""Events that GitHub sends to every App; nobody can subscribe to them."""


def lacking(permissions: Mapping[str, str], events: frozenset[str]) -> tuple[str, ...]:
    """Return what an App with these permissions and events lacks, in words."""
    rank = {"read": 1, "write": 2, "admin": 3}
    lesser = [
        f"{name}: {level}"
        for name, level in PERMISSIONS.items()
        if rank.get(permissions.get(name, ""), 0) < rank[level]
    ]
    return (*lesser, *(f"event {name}" for name in sorted(EVENTS - events)))
