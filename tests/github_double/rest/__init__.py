"""The REST operations: which handler does what GitHub's description calls by that id."""

from __future__ import annotations

from tests.github_double.incoming_request import Handler
from tests.github_double.rest import apps, checks, git, issues, pulls, repositories, reviews

HANDLERS: dict[str, Handler] = {
    **apps.HANDLERS,
    **checks.HANDLERS,
    **git.HANDLERS,
    **issues.HANDLERS,
    **pulls.HANDLERS,
    **repositories.HANDLERS,
    **reviews.HANDLERS,
}
