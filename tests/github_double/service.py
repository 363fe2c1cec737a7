"""Answers REST requests: who asks, what for, may they, is it well formed, and what is true."""

from __future__ import annotations

import json
import secrets
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.github_double import openapi_description
from tests.github_double.incoming_request import Call
from tests.github_double.openapi_description import Operation
from tests.github_double.permissions import NEEDED
from tests.github_double.responses import Answer, RefusalError, forbidden, not_found
from tests.github_double.rest import HANDLERS
from tests.github_double.shared_services import Hub
from tests.github_double.state import Installation, Logged, Repository
from tests.github_double.state_changes import Deeds
from tests.github_double.tokens import Actor, check_app, check_token

_HOUR = 3600
_VERSIONS = {"2022-11-28", "2026-03-10"}
_OPEN = {
    "rate-limit/get",
    "apps/list-repos-accessible-to-installation",
    "users/get-by-username",
    "apps/revoke-installation-access-token",
}


@dataclass(frozen=True)
class Request:
    """A request as it came."""

    method: str
    target: str
    headers: Any
    body: bytes

    @property
    def path(self) -> str:
        return urlsplit(self.target).path

    @property
    def query(self) -> list[tuple[str, str]]:
        return parse_qsl(urlsplit(self.target).query, keep_blank_values=True)


class Service:
    """The REST API."""

    def __init__(self, hub: Hub, deeds: Deeds) -> None:
        self._hub = hub
        self._deeds = deeds
        self._described = openapi_description.operations()

    def answer(self, request: Request, logged: Logged) -> Answer:
        """Do what is asked; a refusal is an answer too."""
        with self._hub.state.lock:
            found = self._described.find(request.method, self._settled(request.path))
            if found is None:
                return self._unknown(request)
            operation, parts = found
            logged.operation = operation.id
            answer = self._refusing(operation, parts, request, logged)
        body = answer.body if answer.kind.startswith("application/json") else None
        if body is not None or answer.status == 204:
            self._hub.violated(
                f"answer {request.method} {request.path}",
                *self._described.wrong_with_answer(operation, answer.status, body),
            )
        return answer

    def _settled(self, path: str) -> str:
        """``/repositories/<id>/…``, where redirects of renamed ones lead, by its name."""
        if not path.startswith("/repositories/"):
            return path
        number, _, rest = path.removeprefix("/repositories/").partition("/")
        found = self._hub.state.repositories.get(int(number)) if number.isdigit() else None
        return f"/repos/{found.full_name}{'/' if rest else ''}{rest}" if found else path

    def _unknown(self, request: Request) -> Answer:
        what = f"{request.method} {request.path}"
        self._hub.violated(what, "the double does not know this operation")
        return Answer(501, {"message": f"The double of GitHub does not know {what}"})

    def _refusing(
        self, operation: Operation, parts: dict[str, str], request: Request, logged: Logged
    ) -> Answer:
        actor: Actor | None = None
        try:
            actor = self._actor(operation, request)
            logged.installation = actor.installation.id if actor.installation else None
            answer = self._done(operation, parts, request, actor, logged)
        except RefusalError as refusal:
            answer = Answer(refusal.status, refusal.body, dict(refusal.headers))
            logged.answer = refusal.body
            self._hub.refusals.append(logged)
        told = {name.lower() for name in answer.headers}
        limits = self._limits(actor.installation if actor else None)
        answer.headers.update({n: v for n, v in limits.items() if n.lower() not in told})
        return answer

    def _done(
        self,
        operation: Operation,
        parts: dict[str, str],
        request: Request,
        actor: Actor,
        logged: Logged,
    ) -> Answer:
        if actor.installation:
            self.spend(actor.installation, request, logged)
        repository = self._repository(operation, parts, actor, request.method)
        self._permit(operation, actor, request.method, repository)
        body = self._checked(operation, request)
        logged.body = body
        handler = HANDLERS.get(operation.id)
        if operation.id == "rate-limit/get":
            return Answer(200, self._rates(actor.installation))
        if handler is None:
            raise RefusalError(501, f"The double of GitHub does not do {operation.id}")
        call = Call(
            self._hub,
            self._deeds,
            actor,
            request.path,
            parts,
            dict(request.query),
            body,
            _kind(request.headers.get("Accept")),
            repository,
        )
        answer = handler(call)
        logged.done = True
        return answer

    def _actor(self, operation: Operation, request: Request) -> Actor:
        if not request.headers.get("User-Agent"):
            raise RefusalError(
                403,
                "Request forbidden by administrative rules. Please make sure your "
                "request has a User-Agent header",
            )
        header = request.headers.get("Authorization")
        app = operation.template.startswith("/app") or operation.id == "apps/get-repo-installation"
        return check_app(self._hub.app, header) if app else check_token(self._hub.state, header)

    def spend(self, installation: Installation, request: Request, logged: Logged) -> None:
        """One request of the hour's; more than there are, or while blocked, is refused."""
        at = time.time()
        if at - installation.window >= _HOUR:
            installation.window, installation.spent = at, 0
        if at < installation.blocked_until:
            self._hub.hasty.append(logged)
            raise secondary(installation.blocked_until - at)
        installation.spent += 1
        if installation.spent > self._hub.limits.requests:
            self._hub.hasty.append(logged)
            raise RefusalError(
                403,
                f"API rate limit exceeded for installation ID {installation.id}.",
                x_ratelimit_remaining="0",
                x_ratelimit_reset=str(int(installation.window + _HOUR)),
            )
        self._check_content(installation, request, at)

    def _check_content(self, installation: Installation, request: Request, at: float) -> None:
        most = self._hub.limits.content
        if most is None or request.method == "GET":
            return
        recent = [
            one
            for one in self._hub.requests[-5 * most :]
            if one.installation == installation.id and one.method != "GET" and one.at > at - 60
        ]
        if len(recent) > most:
            raise secondary(60)

    def _repository(
        self, operation: Operation, parts: dict[str, str], actor: Actor, method: str
    ) -> Repository | None:
        if "repo" not in parts or actor.app:
            return None
        name = f"{parts['owner']}/{parts['repo']}"
        moved = self._hub.state.former.get(name.lower())
        if moved and name.lower() not in self._hub.state.by_name and actor.sees(moved):
            rest = operation.template.removeprefix("/repos/{owner}/{repo}").format(**parts)
            place = f"{self._hub.shapes.api}/repositories/{moved.id}{rest}"
            status = 301 if method == "GET" else 307
            raise RefusalError(status, "Moved Permanently", Location=place)
        found = self._hub.repository(parts["owner"], parts["repo"])
        if not actor.sees(found):
            if found.private:
                raise not_found()
            if method != "GET":
                raise forbidden()
        return found

    def _permit(
        self, operation: Operation, actor: Actor, method: str, repository: Repository | None
    ) -> None:
        """The permission the operation needs; what is public elsewhere anybody reads."""
        if actor.app or operation.id in _OPEN:
            return
        if repository and method == "GET" and not actor.sees(repository):
            return
        if not any(actor.may(name, level) for name, level in NEEDED[operation.id]):
            raise forbidden()

    def _checked(self, operation: Operation, request: Request) -> dict[str, Any]:
        """The body, once the description has nothing against the request."""
        try:
            body = json.loads(request.body) if request.body else None
        except ValueError as error:
            self._hub.violated(f"request {operation.id}", "the body is no JSON")
            raise RefusalError(400, "Problems parsing JSON") from error
        version = request.headers.get("X-GitHub-Api-Version")
        wrong = self._described.wrong_with_query(operation, request.query)
        wrong += self._described.wrong_with_body(operation, body)
        if version and version not in _VERSIONS:
            wrong.append(f"X-GitHub-Api-Version {version} is not supported")
        if wrong:
            self._hub.violated(f"request {operation.id}", *wrong)
            raise RefusalError(422, f"Invalid request.\n\n{wrong[0]}")
        return body or {}

    def _limits(self, installation: Installation | None) -> dict[str, str]:
        core = self._core(installation)
        return {
            "X-RateLimit-Limit": str(core["limit"]),
            "X-RateLimit-Remaining": str(core["remaining"]),
            "X-RateLimit-Used": str(core["used"]),
            "X-RateLimit-Reset": str(core["reset"]),
            "X-RateLimit-Resource": "core",
            "X-GitHub-Media-Type": "github.v3; format=json",
            "X-GitHub-Request-Id": secrets.token_hex(8).upper(),
        }

    def _core(self, installation: Installation | None) -> dict[str, int]:
        limit = self._hub.limits.requests
        used = min(installation.spent, limit) if installation else 0
        start = installation.window if installation else time.time()
        reset = int(start + _HOUR)
        return {"limit": limit, "used": used, "remaining": limit - used, "reset": reset}

    def _rates(self, installation: Installation | None) -> dict[str, Any]:
        core = self._core(installation)
        return {"resources": {"core": core, "search": core, "graphql": core}, "rate": core}


def secondary(seconds: float | None, status: int = 403) -> RefusalError:
    """The secondary limit; without ``seconds`` it does not say how long to wait."""
    headers = {} if seconds is None else {"Retry_After": str(max(1, round(seconds)))}
    return RefusalError(
        status,
        "You have exceeded a secondary rate limit and have been temporarily blocked from content "
        "creation. Please retry your request again later.",
        **headers,
    )


def _kind(accept: str | None) -> str:
    return (accept or "").split(",")[0].split(";")[0].strip()
