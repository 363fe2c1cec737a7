"""Fetching from a git server that may be hostile: what comes is bounded and checked."""

from __future__ import annotations

import base64
import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from worker.changes.checkout import is_full_name, read_regular
from worker.changes.git import OURS, Git, GitError, ProcessCall, run_bounded
from worker.errors import MachineError, UsageError
from worker.system.programs import environment
from worker.system.temporary_files import owned_folder, remove

PERIOD = 0.05
MAX_COMPLAINTS = 1 << 20
STALL_SECONDS = 20
MEMORY = 2 << 30
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})

_KEPT = ("HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR")
_HARMLESS = (
    "badDate", "badDateOverflow", "badEmail", "badTimezone", "missingEmail",
    "missingNameBeforeEmail", "missingSpaceBeforeDate", "missingSpaceBeforeEmail",
    "zeroPaddedDate", "zeroPaddedFilemode",
)  # fmt: skip
_SETTINGS = (
    "core.askPass=", "credential.helper=", "fetch.fsckObjects=true", "fetch.unpackLimit=1",
    "gc.auto=0", "http.followRedirects=false", "http.lowSpeedLimit=1",
    "http.sslVerify=true", "maintenance.auto=false",
    "protocol.version=2", "transfer.fsckObjects=true",
    *(f"fetch.fsck.{problem}=ignore" for problem in _HARMLESS),
)  # fmt: skip
_REJECTED = 1
_DENIED = re.compile(r"The requested URL returned error: 40[134]|Authentication failed")
_LESS = "What is checked has to fit into that."
_GONE = "Try again later; the address and the access of the token may have changed."


class CloneTooLargeError(MachineError):
    """There is more to fetch than the bounds allow."""


class RefusedPushError(MachineError):
    """The server did not take a commit; ``message`` is what it said."""


@dataclass(frozen=True, slots=True)
class RemoteOrigin:
    """A repository on a server: ``https`` only, or ``http`` on this machine where allowed.

    ``token`` reaches git in its environment alone.  Raises ``UsageError`` for other addresses.
    """

    url: str
    token: str | None = field(default=None, repr=False)
    user: str = "x-access-token"
    loopback: bool = False

    def __post_init__(self) -> None:
        """Refuse other addresses."""
        try:
            parts = urlsplit(self.url)
            allowed = self._allows(parts)
        except ValueError:
            allowed = False
        if not allowed:
            raise UsageError(f"{self.url!r} is no https address of a repository without a password")

    def _allows(self, parts: SplitResult) -> bool:
        plain = self.url.isascii() and self.url.isprintable() and " " not in self.url
        local = self.loopback and parts.scheme == "http" and parts.hostname in LOOPBACK
        named = bool(parts.hostname) and not str(parts.hostname).startswith("-")
        extra = "@" in parts.netloc or parts.query or parts.fragment
        return (
            plain and named and not extra and (parts.scheme == "https" or local) and parts.port != 0
        )

    @property
    def environment(self) -> dict[str, str]:
        """Return what lets git speak to this server and no other, with the token."""
        parts = urlsplit(self.url)
        allowed = {"GIT_ALLOW_PROTOCOL": parts.scheme}
        if self.token is None:
            return allowed
        return allowed | {
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": f"http.{parts.scheme}://{parts.netloc}/.extraHeader",
            "GIT_CONFIG_VALUE_0": f"Authorization: Basic {self._basic}",
        }

    def redacted(self, text: str) -> str:
        """The text without the token, in whatever form it has."""
        for secret in (self.token, self._basic if self.token else None):
            text = text.replace(secret, "***") if secret else text
        return text

    @property
    def _basic(self) -> str:
        return base64.b64encode(f"{self.user}:{self.token}".encode()).decode()


@dataclass(frozen=True, slots=True)
class FetchBounds:
    """The most that a clone may cost: bytes on disk (and so received), and seconds."""

    size: int = 1 << 30
    seconds: float = 600.0


@dataclass(frozen=True, slots=True)
class ObjectStore:
    """A bare repository, filled from an origin within bounds; ``deadline`` is monotonic."""

    folder: Path
    origin: RemoteOrigin
    size: int
    deadline: float

    @property
    def git(self) -> Git:
        """Git in this repository: nobody else's configuration, home or remotes."""
        home = str(self.folder)
        return Git(self.folder, OURS | {"HOME": home, "XDG_CONFIG_HOME": home})

    def make(self, object_format: str) -> None:
        """Make the repository, empty and without hooks."""
        self.folder.mkdir(parents=True, exist_ok=True)
        options = ("--quiet", "--bare", "--template=", f"--object-format={object_format}")
        self.git.run("init", *options, ".")

    def fetch(self, *options_and_names: str) -> None:
        """Fetch objects by their full names.  Raises ``MachineError``."""
        status, said = self._converse(
            "fetch", "--quiet", "--no-tags", "--no-write-fetch-head",
            "--no-recurse-submodules", "--no-auto-maintenance", *options_and_names,
        )  # fmt: skip
        if status:
            raise self._failure(f"cannot be fetched: {said}")

    def push(self, commit: str, branch: str, expected: str) -> None:
        """Put a commit at the end of a branch that ends with ``expected``, a full name.

        Raises ``RefusedPushError``, and ``MachineError`` where the outcome is unknown.
        """
        ref = f"refs/heads/{branch}"
        status, said = self._converse(
            "push", "--quiet", "--no-verify", "--no-follow-tags", "--no-signed",
            "--recurse-submodules=no", f"--force-with-lease={ref}:{expected}",
            "--end-of-options", self.origin.url, f"{commit}:{ref}",
        )  # fmt: skip
        if status == _REJECTED or (status and _DENIED.search(said)):
            raise RefusedPushError(said, _GONE)
        if status:
            raise self._failure(f"cannot be pushed to: {said}")

    def _converse(self, *arguments: str) -> tuple[int, str]:
        """Let git speak to the origin; returns its status and what it said, without the token."""
        git = self.git
        stall = f"http.lowSpeedTime={STALL_SECONDS}"
        settings = [part for each in (*_SETTINGS, stall) for part in ("-c", each)]
        program, *rest = git.command(*settings, *arguments)
        kept = () if self.origin.loopback else _KEPT
        call = ProcessCall(
            [*self._bounded(), program, *rest],
            self.folder,
            environment(*kept) | git.variables | self.origin.environment,
        )
        with run_bounded(call, max(self.deadline - time.monotonic(), 0.0)) as process:
            while not process.ended(PERIOD):
                if process.complained > MAX_COMPLAINTS:
                    process.stop("floods us with messages")
                elif disk_usage(self.folder) > self.size:
                    process.stop(f"is larger than {self.size:,} bytes")
            status = process.close()
        if process.stopped:
            raise self._failure(process.stopped)
        return status, self.origin.redacted(process.said) or f"exit status {status}"

    def _bounded(self) -> tuple[str, ...]:
        return (
            *("setpriv", "--no-new-privs", "--pdeathsig", "KILL", "--"),
            *("prlimit", "--core=0", f"--fsize={self.size}", f"--as={MEMORY + self.size}", "--"),
        )

    def _failure(self, problem: str) -> MachineError:
        if disk_usage(self.folder) >= self.size:
            return CloneTooLargeError(
                f"{self.origin.url} is larger than {self.size:,} bytes", _LESS
            )
        return MachineError(f"{self.origin.url} {problem}", _GONE)


def disk_usage(folder: Path) -> int:
    """The bytes that the files below a folder take, those that vanish meanwhile left out."""
    total = 0
    for place, _, files in os.walk(folder):
        for name in files:
            try:
                total += os.lstat(f"{place}/{name}").st_size
            except OSError:
                continue
    return total


DEPTHS = (64, 1024, 16_384, 0x7FFFFFFF)
MAX_SHALLOW = 16 << 20


@dataclass(frozen=True, slots=True)
class Clone:
    """A bare repository that holds three commits without their history."""

    folder: Path
    base: str
    head: str
    merge_base: str


def clone(
    origin: RemoteOrigin, base: str, head: str, destination: Path, bounds: FetchBounds | None = None
) -> Clone:
    """Clone two commits (full names) of a server and their merge base; remove it on failure.

    Raises ``UsageError`` for wrong names or unrelated commits, ``MachineError`` for the server.
    """
    for name in (base, head):
        if not is_full_name(name):
            raise UsageError(f"{name!r} is not the full name of a commit")
    if destination.exists() and any(destination.iterdir()):
        raise UsageError(f"{destination} is not empty")
    bounds = bounds or FetchBounds()
    deadline = time.monotonic() + bounds.seconds
    try:
        with owned_folder("history") as folder:
            history = ObjectStore(folder, origin, bounds.size, deadline)
            parted = _merge_base(history, base, head)
        store = ObjectStore(destination, origin, bounds.size, deadline)
        store.make(_object_format(base))
        wanted = {"base": base, "head": head, "merge-base": parted}
        store.fetch("--depth=1", "--end-of-options", origin.url, *dict.fromkeys(wanted.values()))
        for name, commit in wanted.items():
            store.git.run("update-ref", f"refs/assayer/{name}", commit)
    except OSError as error:
        remove(destination)
        raise MachineError(
            f"{origin.url} cannot be written to {destination}: {error.strerror or error}",
            "Free some disk space.",
        ) from error
    except BaseException:
        remove(destination)
        raise
    return Clone(destination, base, head, parted)


def _object_format(name: str) -> str:
    return "sha1" if len(name) == 40 else "sha256"


def _merge_base(history: ObjectStore, base: str, head: str) -> str:
    history.make(_object_format(base))
    for depth in DEPTHS:
        history.fetch(
            "--filter=tree:0", f"--depth={depth}", "--end-of-options",
            history.origin.url, *dict.fromkeys((base, head)),
        )  # fmt: skip
        found = next(_common(history.git, base, head), None)
        if found is not None and _complete(history, base, head):
            return found
    raise UsageError(f"{base} and {head} have no common commit")


def _common(git: Git, base: str, head: str) -> Iterator[str]:
    try:
        yield git.line("merge-base", base, head)
    except GitError as error:
        if error.message:
            raise


def _complete(history: ObjectStore, base: str, head: str) -> bool:
    apart = set(history.git.line("rev-list", f"{base}...{head}").splitlines())
    shallow = history.folder / "shallow"
    if not shallow.exists():
        return True
    return apart.isdisjoint(read_regular(shallow, MAX_SHALLOW).decode("ascii").splitlines())
