"""Who asks: the App by its JWT, an installation by its token."""

from __future__ import annotations

import base64
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass

import jwt

from tests.github_double.responses import RefusalError, not_found
from tests.github_double.state import Installation, Repository, State, Token

LEVELS = {"read": 1, "write": 2, "admin": 3}


@dataclass(frozen=True)
class App:
    """The one App that the double knows."""

    id: int
    slug: str
    public_key: str

    @property
    def bot(self) -> str:
        return f"{self.slug}[bot]"


@dataclass(frozen=True)
class Actor:
    """Who asks; without a token it is the App itself or, at git's door, nobody."""

    token: Token | None = None
    app: bool = False

    @property
    def installation(self) -> Installation | None:
        return self.token.installation if self.token else None

    def may(self, permission: str, level: str) -> bool:
        if self.token is None:
            return False
        given = self.token.permissions.get(permission)
        return given is not None and LEVELS[given] >= LEVELS[level]

    def sees(self, repository: Repository) -> bool:
        if self.token is None:
            return False
        chosen = self.token.repositories
        inside = repository.id in self.token.installation.repositories
        return inside and (chosen is None or repository.id in chosen)


def credentials(header: str | None) -> str:
    """The token of an ``Authorization`` header, "" where there is none."""
    scheme, _, value = (header or "").partition(" ")
    if scheme.lower() in {"bearer", "token"}:
        return value.strip()
    if scheme.lower() == "basic":
        try:
            return base64.b64decode(value).decode().partition(":")[2]
        except (ValueError, UnicodeDecodeError):
            return ""
    return ""


def check_app(app: App, header: str | None) -> Actor:
    """The App, as proved by its JWT: RS256, at most 10 minutes, not from the future."""
    try:
        claims = jwt.decode(
            credentials(header),
            app.public_key,
            algorithms=["RS256"],
            options={"require": ["iat", "exp", "iss"], "verify_iat": False, "verify_iss": False},
        )
    except jwt.ExpiredSignatureError as error:
        raise RefusalError(401, _EXPIRY) from error
    except jwt.InvalidTokenError as error:
        raise RefusalError(401, "A JSON web token could not be decoded") from error
    _check_times(claims["iat"], claims["exp"])
    if str(claims["iss"]) != str(app.id):
        raise RefusalError(401, "'Issuer' claim ('iss') must be an Integer")
    return Actor(app=True)


_EXPIRY = (
    "'Expiration time' claim ('exp') must be a numeric value representing the future time at "
    "which the assertion expires"
)


def _check_times(issued: object, expires: object) -> None:
    if not isinstance(issued, int) or issued > time.time() + 60:
        raise RefusalError(
            401,
            "'Issued at' claim ('iat') must be an Integer representing the time that the "
            "assertion was issued",
        )
    if not isinstance(expires, int) or expires > time.time() + 660 or expires - issued > 660:
        raise RefusalError(401, "'Expiration time' claim ('exp') is too far in the future")


def check_token(state: State, header: str | None) -> Actor:
    """An installation, as proved by its token."""
    value = credentials(header)
    if not value:
        raise RefusalError(401, "Requires authentication")
    token = state.tokens.get(value)
    if token is None or token.expires <= time.time() or token.installation.deleted:
        raise RefusalError(401, "Bad credentials")
    if token.installation.suspended_at:
        raise RefusalError(403, "This installation has been suspended")
    return Actor(token)


def grant(
    state: State, installation: Installation, wanted: Mapping[str, object], seconds: float
) -> Token:
    """A new token, narrowed as wanted; what the installation lacks is refused."""
    permissions = _narrowed(installation, wanted.get("permissions"))
    repositories = _chosen(state, installation, wanted)
    value = f"ghs_{secrets.token_hex(18)}"
    token = Token(value, installation, permissions, repositories, time.time() + seconds)
    state.tokens[value] = token
    return token


def _narrowed(installation: Installation, wanted: object) -> dict[str, str]:
    if not isinstance(wanted, dict):
        return dict(installation.permissions)
    for name, level in wanted.items():
        if LEVELS[level] > LEVELS.get(installation.permissions.get(name, ""), 0):
            raise RefusalError(
                422, "The permissions requested are not granted to this installation."
            )
    return {"metadata": "read", **wanted}


def _chosen(
    state: State, installation: Installation, wanted: Mapping[str, object]
) -> set[int] | None:
    ids = wanted.get("repository_ids")
    names = wanted.get("repositories")
    if not isinstance(ids, list) and not isinstance(names, list):
        return None
    chosen = set(ids) if isinstance(ids, list) else set()
    owner = installation.account.login
    for name in names if isinstance(names, list) else []:
        found = state.by_name.get(f"{owner}/{name}".lower())
        chosen.add(found.id if found else -1)
    if not chosen <= installation.repositories:
        raise RefusalError(
            422,
            "There is at least one repository that does not exist or is not accessible to the "
            "parent installation.",
        )
    return chosen


def installation_of(state: State, number: str) -> Installation:
    found = state.installations.get(int(number)) if number.isdigit() else None
    if found is None or found.deleted:
        raise not_found()
    return found
