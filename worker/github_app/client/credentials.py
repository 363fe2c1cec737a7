"""Credentials of the App itself, signed with its key."""

from __future__ import annotations

import threading
from abc import abstractmethod
from datetime import datetime, timedelta
from pathlib import Path

import jwt
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from github.Auth import Auth
from pydantic import SecretStr
from typing_extensions import override

from worker.errors import UsageError
from worker.github_app.client.limits import Clock, utc_now

ISSUED_BEFORE = timedelta(seconds=60)
LASTS = timedelta(seconds=540)
RENEWED_BEFORE = timedelta(seconds=60)
SKEW = timedelta(seconds=20)
MOST_KEY_BYTES = 65_536

_KEY_REMEDY = "download a private key from the App's settings at GitHub and name its file here"


class Credentials(Auth):
    """The credentials that sign calls: a token that is valid for some minutes.

    ``remedy`` says what to do when GitHub accepts not even a fresh one.
    """

    remedy = ""

    @property
    def token_type(self) -> str:
        """Return the scheme of the header."""
        return "Bearer"

    @override
    def authentication(self, headers: dict[str, str]) -> None:
        """Leave alone a request that its sender signed with a token of ours."""
        if "Authorization" not in headers:
            super().authentication(headers)

    @abstractmethod
    def renewed(self, refused: str, served_at: datetime | None) -> str | None:
        """Return another token in place of one that GitHub refused, if there is one."""


class Signer(Credentials):
    """The App's own tokens: JSON Web Tokens, signed with its private key.

    PyGithub's ``AppAuth`` signs anew for each request, by this machine's
    clock.  Here a token serves for some minutes, the key is read only then
    and not kept, and GitHub's clock is taken where ours differs.
    """

    remedy = (
        "Check that [github] app_id and private_key_file belong to the same App"
        " and that this machine's clock is right."
    )

    def __init__(
        self, app_id: int | str | None, key_file: Path | None, clock: Clock = utc_now
    ) -> None:
        self._app_id = app_id
        self._key_file = key_file
        self._clock = clock
        self._lock = threading.Lock()
        self._skew = timedelta()
        self._signed: SecretStr | None = None
        self._good_until: datetime | None = None

    @property
    def token(self) -> str:
        """Return a JSON Web Token.  Raise ``UsageError``: there is no App or no key."""
        with self._lock:
            now = self._clock()
            if self._signed is None or self._good_until is None or now >= self._good_until:
                self._signed = self._sign(now + self._skew)
                self._good_until = now + LASTS - RENEWED_BEFORE
            return self._signed.get_secret_value()

    def renewed(self, refused: str, served_at: datetime | None) -> str | None:
        """Sign by GitHub's clock, if that was what was wrong."""
        with self._lock:
            if self._signed is not None and self._signed.get_secret_value() != refused:
                return self._signed.get_secret_value()
            skew = timedelta() if served_at is None else served_at - self._clock()
            if abs(skew - self._skew) < SKEW:
                return None
            self._skew = skew
            self._signed = None
        return self.token

    def _sign(self, now: datetime) -> SecretStr:
        if self._app_id is None:
            raise UsageError(
                "is not set: write the App's id, which stands in its settings at GitHub",
                key="github.app_id",
            )
        claims = {
            "iat": int((now - ISSUED_BEFORE).timestamp()),
            "exp": int((now + LASTS).timestamp()),
            "iss": str(self._app_id),
        }
        return SecretStr(jwt.encode(claims, private_key(self._key_file), algorithm="RS256"))


def private_key(file: Path | None) -> RSAPrivateKey:
    """The App's private key.  Raises ``UsageError``, naming the file and what to do."""
    if file is None:
        raise UsageError(f"is not set: {_KEY_REMEDY}", key="github.private_key_file")
    try:
        with file.expanduser().open("rb") as opened:
            text = opened.read(MOST_KEY_BYTES)
    except OSError as error:
        raise _unusable(file, f"cannot be read ({error.strerror})") from None
    try:
        key = load_pem_private_key(text, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        # from None: the error may hold parts of the key
        raise _unusable(file, "is no private key in PEM format without a password") from None
    if not isinstance(key, RSAPrivateKey):
        raise _unusable(file, "is no RSA key")
    return key


def _unusable(file: Path, why: str) -> UsageError:
    return UsageError(f"{why}: {_KEY_REMEDY}", file=str(file), key="github.private_key_file")
