"""The App, its installations, tokens and deliveries."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

from tests.github_double.hooks import Delivery
from tests.github_double.incoming_request import Call, Handler
from tests.github_double.responses import Answer, RefusalError, not_found
from tests.github_double.tokens import grant, installation_of

_KEPT_SECONDS = 3 * 24 * 3600


def get(call: Call) -> Answer:
    return Answer(200, call.shapes.registered())


def installations(call: Call) -> Answer:
    there = [one for one in call.state.installations.values() if not one.deleted]
    return call.page(there, call.shapes.installation)


def installation(call: Call) -> Answer:
    found = installation_of(call.state, call.parts["installation_id"])
    return Answer(200, call.shapes.installation(found))


def create_token(call: Call) -> Answer:
    found = installation_of(call.state, call.parts["installation_id"])
    if found.suspended_at:
        raise RefusalError(403, "This installation has been suspended")
    token = grant(call.state, found, call.body, call.hub.limits.token_seconds)
    expires = datetime.fromtimestamp(token.expires, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    body: dict[str, Any] = {
        "token": token.value,
        "expires_at": expires,
        "permissions": token.permissions,
        "repository_selection": "all" if token.repositories is None else "selected",
    }
    if token.repositories is not None:
        chosen = [call.state.repositories[number] for number in sorted(token.repositories)]
        body["repositories"] = [call.shapes.repository(one) for one in chosen]
    return Answer(201, body)


def revoke_token(call: Call) -> Answer:
    assert call.actor.token is not None
    call.state.tokens.pop(call.actor.token.value, None)
    return Answer(204)


def repositories(call: Call) -> Answer:
    there = [
        one for one in call.state.repositories.values() if call.actor.sees(one) and not one.deleted
    ]
    return call.page(
        there,
        call.shapes.repository,
        lambda shown, total: {"total_count": total, "repositories": shown},
    )


def of_repository(call: Call) -> Answer:
    found = call.hub.installation_of(call.hub.repository(call.parts["owner"], call.parts["repo"]))
    if found is None:
        raise not_found()
    return Answer(200, call.shapes.installation(found))


def deliveries(call: Call) -> Answer:
    """Newest first, by cursor."""
    size = min(int(call.query.get("per_page", "30")), 100)
    there: list[Delivery] = call.hub.deliveries.newest_first()
    wanted = call.query.get("status")
    if wanted:
        there = [one for one in there if one.ok == (wanted == "success")]
    cursor = call.query.get("cursor")
    if cursor:
        if not cursor.removeprefix("v1_").isdigit():
            raise RefusalError(400, "Invalid cursor")
        there = [one for one in there if one.id <= int(cursor.removeprefix("v1_"))]
    headers = {}
    if len(there) > size:
        more = f"per_page={size}&cursor=v1_{there[size].id}"
        if wanted:
            more += f"&status={wanted}"
        headers["Link"] = f'<{call.shapes.api}/app/hook/deliveries?{more}>; rel="next"'
    return Answer(200, [one.shape() for one in there[:size]], headers)


def _delivery(call: Call) -> Delivery:
    found: Delivery | None = call.hub.deliveries.find(call.number("delivery_id"))
    if found is None or found.at < time.time() - _KEPT_SECONDS:
        raise not_found()
    return found


def delivery(call: Call) -> Answer:
    return Answer(200, _delivery(call).full(call.hub.deliveries.url or "https://hook.example/"))


def redeliver(call: Call) -> Answer:
    call.hub.deliveries.again(_delivery(call))
    return Answer(202, {})


def user(call: Call) -> Answer:
    found = call.state.accounts.get(call.parts["username"].lower())
    if found is None:
        raise not_found()
    return Answer(200, call.shapes.full_user(found))


HANDLERS: dict[str, Handler] = {
    "apps/get-authenticated": get,
    "apps/list-installations": installations,
    "apps/get-installation": installation,
    "apps/create-installation-access-token": create_token,
    "apps/revoke-installation-access-token": revoke_token,
    "apps/list-repos-accessible-to-installation": repositories,
    "apps/get-repo-installation": of_repository,
    "apps/list-webhook-deliveries": deliveries,
    "apps/get-webhook-delivery": delivery,
    "apps/redeliver-webhook-delivery": redeliver,
    "users/get-by-username": user,
}
