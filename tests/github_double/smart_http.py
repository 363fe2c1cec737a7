"""Clones and pushes: git's own back end behind GitHub's doors."""

from __future__ import annotations

import gzip
import os
import re
import subprocess
from dataclasses import dataclass

from tests.github_double.responses import Answer, RefusalError
from tests.github_double.service import Request
from tests.github_double.shared_services import Hub
from tests.github_double.state import Repository
from tests.github_double.state_changes import Deeds
from tests.github_double.tokens import Actor, check_token, credentials

PATH = re.compile(
    r"/(?P<owner>[^/]+)/(?P<repo>[^/]+?)(?:\.git)?/(?P<what>info/refs|git-upload-pack|git-receive-pack)"
)
_NOBODY = Actor()


@dataclass(frozen=True)
class _Command:
    old: str
    new: str
    ref: str


class SmartHttp:
    """git over HTTP."""

    def __init__(self, hub: Hub, deeds: Deeds) -> None:
        self._hub = hub
        self._deeds = deeds

    def answer(self, request: Request) -> Answer:
        """Serve one request of git's."""
        try:
            return self._answered(request)
        except RefusalError as refusal:
            headers = {"WWW-Authenticate": 'Basic realm="GitHub"'} if refusal.status == 401 else {}
            text = refusal.body["message"]
            return Answer(refusal.status, f"{text}\n", headers, "text/plain; charset=utf-8")

    def _answered(self, request: Request) -> Answer:
        parts = PATH.fullmatch(request.path)
        assert parts is not None
        body = request.body
        if request.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        with self._hub.state.lock:
            actor = self._actor(request)
            repository = self._found(parts["owner"], parts["repo"])
            push = "git-receive-pack" in (parts["what"], dict(request.query).get("service"))
            if push:
                self._may_push(actor, repository, body if parts["what"] != "info/refs" else None)
            else:
                self._may_read(actor, repository)
            before = dict(repository.git.refs)
        answer = _backend(repository, request, parts["what"], body)
        if push and parts["what"] != "info/refs":
            self._pushed(repository, before)
        return answer

    def _actor(self, request: Request) -> Actor:
        header = request.headers.get("Authorization")
        return check_token(self._hub.state, header) if credentials(header) else _NOBODY

    def _found(self, owner: str, name: str) -> Repository:
        state = self._hub.state
        full = f"{owner}/{name}".lower()
        found = state.by_name.get(full) or state.former.get(full)
        if found is None or found.deleted:
            raise RefusalError(404, "Repository not found.")
        return found

    def _may_read(self, actor: Actor, repository: Repository) -> None:
        if not repository.private:
            return
        if actor is _NOBODY:
            raise RefusalError(401, "Authentication required")
        if not actor.sees(repository):
            raise RefusalError(404, "Repository not found.")
        if not actor.may("contents", "read"):
            raise RefusalError(403, "Write access to repository not granted.")

    def _may_push(self, actor: Actor, repository: Repository, body: bytes | None) -> None:
        """With ``contents: write``; to a fork only the branches that maintainers may edit."""
        if actor is _NOBODY:
            raise RefusalError(401, "Authentication required")
        name = f"{repository.full_name}.git"
        denied = RefusalError(403, f"Permission to {name} denied to {self._hub.app.bot}.")
        if not actor.may("contents", "write"):
            raise denied
        if actor.sees(repository):
            return
        if repository.private and not self._editable(actor, repository):
            raise RefusalError(404, "Repository not found.")
        allowed = self._editable(actor, repository)
        wanted = {command.ref for command in _commands(body)} if body is not None else set()
        if not allowed or not wanted <= allowed:
            raise denied

    def _editable(self, actor: Actor, fork: Repository) -> set[str]:
        return {
            f"refs/heads/{pull.head_ref}"
            for pull in self._hub.state.pulls.values()
            if pull.head_repository is fork
            and pull.open
            and pull.maintainers_edit
            and actor.sees(pull.repository)
        }

    def _pushed(self, repository: Repository, before: dict[str, str]) -> None:
        with self._hub.state.lock:
            repository.git.changed_outside()
            for name, sha in dict(repository.git.refs).items():
                if name.startswith("refs/heads/") and before.get(name) != sha:
                    branch = name.removeprefix("refs/heads/")
                    self._deeds.pushed(repository, branch, sha, self._hub.bot)


def _commands(body: bytes) -> list[_Command]:
    """The ref updates at the start of a push."""
    found = []
    at = 0
    while at + 4 <= len(body):
        size = int(body[at : at + 4], 16)
        if size == 0:
            break
        line = body[at + 4 : at + size].split(b"\0")[0].decode().strip()
        parts = line.split(" ")
        if len(parts) == 3:
            found.append(_Command(*parts))
        at += size
    return found


def _backend(repository: Repository, request: Request, what: str, body: bytes) -> Answer:
    folder = repository.git.folder
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment = kept | {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "GIT_CONFIG_VALUE_0": "*",
        "GIT_PROJECT_ROOT": str(folder.parent),
        "GIT_HTTP_EXPORT_ALL": "1",
        "PATH_INFO": f"/{folder.name}/{what}",
        "QUERY_STRING": request.target.partition("?")[2],
        "REQUEST_METHOD": request.method,
        "CONTENT_TYPE": request.headers.get("Content-Type") or "",
        "CONTENT_LENGTH": str(len(body)),
        "REMOTE_USER": "double",
        "REMOTE_ADDR": "127.0.0.1",
        "GIT_PROTOCOL": request.headers.get("Git-Protocol") or "",
    }
    done = subprocess.run(
        ["git", "http-backend"],
        input=body,
        capture_output=True,
        env=environment,
        timeout=600,
        check=False,
    )
    head, _, content = done.stdout.partition(b"\r\n\r\n")
    headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line)
    status = int(headers.pop("Status", "200 OK").split(" ")[0])
    kind = headers.pop("Content-Type", "text/plain")
    return Answer(status, content, headers, kind)
