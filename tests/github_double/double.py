"""The double itself: a GitHub on the loopback that remembers what was done to it."""

from __future__ import annotations

import time
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.github_double.control import Control
from tests.github_double.events import EventSender
from tests.github_double.github_users import PullRequest, Repo
from tests.github_double.graphql_api import GraphQL
from tests.github_double.hooks import Deliveries
from tests.github_double.injected_faults import Faults
from tests.github_double.oauth import OAuth
from tests.github_double.rest_objects import MANIFEST, Shapes
from tests.github_double.server import DoubleServer, Parts
from tests.github_double.service import Service
from tests.github_double.shared_services import Hub, Limits
from tests.github_double.smart_http import SmartHttp
from tests.github_double.state import Account, CheckRun, Installation, Logged, State, Violation
from tests.github_double.state_changes import Deeds
from tests.github_double.tokens import App, grant

APP = 4711
SLUG = "assayer"
SECRET = "It's a Secret to Everybody"
OWNER = "acme"
PERMISSIONS: dict[str, str] = MANIFEST["default_permissions"]
_NOT_WRITES = frozenset(
    {
        "apps/create-installation-access-token",
        "apps/revoke-installation-access-token",
        "apps/redeliver-webhook-delivery",
        "oauth",
        "git",
    }
)


@cache
def key_pair() -> tuple[bytes, str]:
    """The App's private and public key, PEM; one for all doubles of a process."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    )
    public = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return private, public.decode()


class GithubDouble:
    """A GitHub with one App, installed for one account; a context manager.

    ``folder`` takes the repositories and the keys.  ``permissions`` are what
    the installation grants; ``api_url`` is where its API is said to be, if
    something stands before it.
    """

    def __init__(
        self,
        folder: Path,
        *,
        port: int = 0,
        owner: str = OWNER,
        permissions: dict[str, str] | None = None,
        api_url: str | None = None,
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        private, public = key_pair()
        self._folder = folder
        (folder / "app.pem").write_bytes(private)
        (folder / "app.pem").chmod(0o600)
        (folder / "webhook-secret").write_text(SECRET)
        self._server = DoubleServer(port)
        state, app = State(), App(APP, SLUG, public)
        self.api_url = api_url or self.url
        shapes = Shapes(state, app, self.api_url, self.url)
        self.hub = Hub(folder / "repositories", app, state, shapes)
        self.deliveries = self.hub.deliveries = Deliveries(SECRET.encode(), APP)
        self.events = EventSender(self.hub)
        self._deeds = Deeds(self.hub, self.events)
        self.hub.bot.login = app.bot
        self.oauth = OAuth(state)
        self.owner = state.account(owner, "Organization")
        self.installation = self._deeds.install(
            self.owner, dict(PERMISSIONS if permissions is None else permissions)
        )

    def __enter__(self) -> GithubDouble:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def start(self) -> None:
        rest = Service(self.hub, self._deeds)
        parts = Parts(
            self.hub,
            rest,
            SmartHttp(self.hub, self._deeds),
            GraphQL(self.hub, self._deeds, rest),
            Control(self),
            self.oauth,
        )
        self._server.start(parts)

    def stop(self) -> None:
        self._server.stop()
        self.deliveries.close()

    @property
    def url(self) -> str:
        """Where the API, the pages and git are: one address for all."""
        return self._server.address

    @property
    def state(self) -> State:
        return self.hub.state

    @property
    def faults(self) -> Faults:
        return self.hub.faults

    @property
    def limits(self) -> Limits:
        return self.hub.limits

    @property
    def violations(self) -> list[Violation]:
        """What broke GitHub's description, in requests, answers and payloads."""
        return self.hub.violations

    @property
    def refusals(self) -> list[Logged]:
        """Requests that were refused (4xx), and queries with errors."""
        return self.hub.refusals

    @property
    def requests(self) -> list[Logged]:
        """Every request, in the order they came."""
        return self.hub.requests

    @property
    def hasty(self) -> list[Logged]:
        """Requests that came while a rate limit forbade them."""
        return self.hub.hasty

    @property
    def writes(self) -> list[Logged]:
        """The requests that change something people see, in the order they came."""
        return [one for one in list(self.requests) if _writes(one)]

    def spacing(self, installation: int | None = None) -> float:
        """The shortest time (seconds) from one write's end to the next one's start.

        Negative when two overlap; infinite with fewer than two.
        """
        number = self.installation.id if installation is None else installation
        there = [one for one in self.writes if one.installation == number]
        gaps = [after.at - before.ended for before, after in pairwise(there)]
        return min(gaps, default=float("inf"))

    def settings(self) -> dict[str, Any]:
        """The ``[github]`` section of the server's settings."""
        return {
            "api_url": self.api_url,
            "web_url": self.url,
            "app_id": APP,
            "slug": SLUG,
            "private_key_file": str(self._folder / "app.pem"),
            "webhook_secret": f"file:{self._folder / 'webhook-secret'}",
        }

    @property
    def secret(self) -> str:
        """What webhooks are signed with."""
        return SECRET

    @property
    def bot(self) -> Account:
        return self.hub.bot

    def user(self, login: str) -> Account:
        """An account, made when it is first spoken of."""
        return self.state.account(login)

    def repository(
        self, name: str, *, private: bool = False, files: dict[str, str | bytes] | None = None
    ) -> Repo:
        """A new repository (``name`` or ``owner/name``) with a first commit on ``main``.

        The App sees it when it is installed for its owner.
        """
        owner, _, short = name.rpartition("/")
        with self.state.lock:
            account = self.state.account(owner) if owner else self.owner
            made = self._deeds.repository(account, short, private=private)
            for installation in self.state.installations.values():
                if installation.account is account and installation.selection == "all":
                    installation.repositories.add(made.id)
            made.git.commit("main", files or {"README.md": "# A project\n"}, message="Start")
            made.roles["alice"] = "write"
        return Repo(self.hub, self._deeds, made)

    def find(self, full_name: str) -> Repo:
        """A repository by its name."""
        return Repo(self.hub, self._deeds, self.hub.repository(*full_name.split("/")))

    def pull(self, full_name: str, number: int) -> PullRequest:
        """A pull request by its number."""
        found = self.state.pulls[self.find(full_name).id, number]
        return PullRequest(self.hub, self._deeds, found)

    def check_runs(self, sha: str) -> list[CheckRun]:
        """The check runs of a commit in any repository, oldest first."""
        with self.state.lock:
            return [run for run in self.state.runs.values() if run.head_sha == sha]

    def all_check_runs(self) -> list[CheckRun]:
        with self.state.lock:
            return list(self.state.runs.values())

    def install(self, login: str, permissions: dict[str, str] | None = None) -> Installation:
        """Install the App for another account."""
        with self.state.lock:
            given = dict(permissions or PERMISSIONS)
            return self._deeds.install(self.state.account(login), given)

    def uninstall(self, installation: Installation | None = None) -> None:
        with self.state.lock:
            gone = installation or self.installation
            self.events.installation("deleted", gone, gone.account)
            gone.deleted = True

    def suspend(self, installation: Installation | None = None) -> None:
        with self.state.lock:
            one = installation or self.installation
            one.suspended_at = "2026-01-02T00:00:00Z"
            self.events.installation("suspend", one, one.account)

    def unsuspend(self, installation: Installation | None = None) -> None:
        with self.state.lock:
            one = installation or self.installation
            one.suspended_at = None
            self.events.installation("unsuspend", one, one.account)

    def add_repository(self, repo: Repo, installation: Installation | None = None) -> None:
        """Let the App see a repository."""
        with self.state.lock:
            one = installation or self.installation
            one.repositories.add(repo.id)
            self.events.installation_repositories(one, [repo.id], [], one.account)

    def remove_repository(self, repo: Repo, installation: Installation | None = None) -> None:
        """Let the App see a repository no more."""
        with self.state.lock:
            one = installation or self.installation
            one.repositories.discard(repo.id)
            self.events.installation_repositories(one, [], [repo.id], one.account)

    def ping(self) -> None:
        with self.state.lock:
            self.events.ping(self.owner)

    def token(
        self, *, permissions: dict[str, str] | None = None, repositories: list[Repo] | None = None
    ) -> str:
        """An installation token, for tests that ask the API by themselves."""
        wanted: dict[str, object] = {}
        if permissions is not None:
            wanted["permissions"] = permissions
        if repositories is not None:
            wanted["repository_ids"] = [repo.id for repo in repositories]
        with self.state.lock:
            return grant(self.state, self.installation, wanted, 3600).value

    def expire_tokens(self) -> None:
        """Let every token end now, as after an hour."""
        with self.state.lock:
            for token in self.state.tokens.values():
                token.expires = time.time() - 1

    def check(self) -> None:
        """Raise ``AssertionError`` if anything broke GitHub's description."""
        found = "\n".join(str(one) for one in self.violations[:20])
        if found:
            raise AssertionError(f"{len(self.violations)} violations:\n{found}")


def _writes(logged: Logged) -> bool:
    if logged.method == "GET" or logged.operation in _NOT_WRITES:
        return False
    if logged.path.endswith(("/git-upload-pack", "/git-receive-pack")):
        return False
    if logged.operation == "graphql":
        return "mutation" in str((logged.body or {}).get("query", ""))
    return logged.path not in {"/graphql"} and not logged.path.endswith("/access_tokens")
