"""Which deliveries are kept, and the little that the web process reads of them."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field, ValidationError

HANDLED: Mapping[str, frozenset[str]] = {
    "pull_request": frozenset(
        {"opened", "synchronize", "reopened", "ready_for_review", "edited", "closed"}
    ),
    "check_run": frozenset({"rerequested", "requested_action"}),
    "check_suite": frozenset({"requested", "rerequested"}),
    "issue_comment": frozenset({"created"}),
    "pull_request_review_comment": frozenset({"created"}),
    "merge_group": frozenset({"checks_requested", "destroyed"}),
    "installation": frozenset(
        {"created", "deleted", "suspend", "unsuspend", "new_permissions_accepted"}
    ),
    "installation_repositories": frozenset({"added", "removed"}),
    "repository": frozenset(
        {"renamed", "transferred", "deleted", "privatized", "publicized", "edited"}
    ),
}
"""The actions of each event that ``worker.events`` interprets; others are dropped."""

PING = "ping"


class MalformedError(Exception):
    """A body that is not what GitHub documents for any event."""


class _Part(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


class _Installation(_Part):
    id: int


class Envelope(_Part):
    """What is read of a delivery before it is kept: all else waits for who interprets it."""

    action: str | None = Field(default=None, max_length=64)
    installation: _Installation | None = None

    @property
    def installation_id(self) -> int | None:
        """Whose App the event is told to, where the event names one."""
        return None if self.installation is None else self.installation.id


def read_envelope(body: bytes) -> Envelope:
    """Read a payload in one scan; raises ``MalformedError``."""
    try:
        return Envelope.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        reason = "the body is not JSON" if first["type"] == "json_invalid" else first["msg"]
        raise MalformedError(f"{place}: {reason}" if place else reason) from None


def is_handled(event: str, action: str | None) -> bool:
    """Tell whether anybody interprets such a delivery."""
    return action in HANDLED.get(event, frozenset())
