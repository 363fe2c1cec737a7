"""uv, run on requirement lines of ours, with nothing of its user's about it and builds off."""

from __future__ import annotations

import os
import re
import select
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from urllib.parse import quote, urlsplit, urlunsplit

from uv import find_uv_bin

from worker.environments.declarations.declaration import printable
from worker.environments.package_indexes import Indexes, without_secrets
from worker.errors import MachineError
from worker.system.programs import environment

PASSED = (
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"),
    *("http_proxy", "https_proxy", "all_proxy", "no_proxy", "LANG"),
)
POLL_SECONDS = 0.2
RETRIES = 2
_PREFIX = ("setpriv", "--no-new-privs", "--pdeathsig", "KILL", "--")
_UNSATISFIABLE = 1


class Unsatisfiable(Exception):  # noqa: N818 - a fact about requirements
    """The index has no wheels that meet the requirements; says which."""


class Unreachable(Exception):  # noqa: N818 - a fact about the index
    """uv could not do its work: no index, no time, no space; says why."""


@dataclass(frozen=True, slots=True)
class Index:
    """The package index; ``secret`` is ``user:password`` and shown nowhere."""

    url: str
    secret: str | None = None

    @property
    def address(self) -> str:
        """The address with the secret, for uv's environment alone."""
        if self.secret is None:
            return self.url
        parts = urlsplit(self.url)
        user, _, password = self.secret.partition(":")
        known = f"{quote(user, safe='')}:{quote(password, safe='')}@{parts.netloc}"
        return urlunsplit(parts._replace(netloc=known))


def uv_version() -> str:
    """Return the version of the installer, which is part of an environment's key."""
    return version("uv")


class Uv:
    """Runs uv until ``deadline`` (monotonic), in ``work``; ``watch`` may raise to stop it."""

    def __init__(
        self,
        indexes: Indexes,
        downloads: Path,
        work: Path,
        deadline: float,
        watch: Callable[[], None] = lambda: None,
    ) -> None:
        try:
            self._program = find_uv_bin()
        except FileNotFoundError as error:
            raise MachineError("uv is not installed.", "Install Assayer again.") from error
        self._indexes = indexes
        self._downloads = downloads
        self._work = work
        self._deadline = deadline
        self._watch = watch
        self._runs = 0
        self.wheels = work / "wheels"
        self.wheels.mkdir(exist_ok=True)

    def compile(
        self,
        lines: Sequence[str],
        python: Path,
        *options: str,
        bounds: Mapping[str, Sequence[str]] | None = None,
    ) -> str:
        """Return a ``pylock.toml`` of wheels alone; raise ``Unsatisfiable`` or ``Unreachable``."""
        wanted, output = self._file("in", lines), self._work / f"pylock.{self._runs}.toml"
        more = [f"{name}={self._file('bounds', part)}" for name, part in (bounds or {}).items()]
        self._run(
            *("pip", "compile", str(wanted), "--output-file", str(output), *more),
            *("--format", "pylock.toml", "--only-binary", ":all:", "--no-sources"),
            *("--python", str(python), *options),
        )
        return output.read_text(encoding="utf-8")

    def install(self, lines: Sequence[str], python: Path, folder: Path) -> None:
        """Unpack these packages into a folder; raise ``Unsatisfiable`` or ``Unreachable``.

        Where another process cleans what was downloaded meanwhile, it is done once more.
        """
        install = (
            *("pip", "install", "--requirement", str(self._file("pins", lines)), "--no-deps"),
            *("--only-binary", ":all:", "--no-sources", "--target", str(folder)),
            *("--python", str(python), "--compile-bytecode"),
        )
        try:
            self._run(*install)
        except (Unsatisfiable, Unreachable) as failure:
            if str(self._downloads) not in str(failure):
                raise
            self._run(*install)

    def default_index(self) -> str:
        """Return the address of the index that uv asks where none is set."""
        output = self._work / "default.txt"
        self._run(
            *("pip", "compile", str(self._file("in", ())), "--output-file", str(output)),
            *("--no-header", "--emit-index-url"),
        )
        found = re.search(r"^--index-url (\S+)$", output.read_text("utf-8"), re.MULTILINE)
        return found[1] if found else ""

    def clean(self) -> None:
        """Forget what was downloaded."""
        self._run("cache", "clean")

    def _file(self, name: str, lines: Sequence[str]) -> Path:
        self._runs += 1
        place = self._work / f"{name}.{self._runs}.txt"
        place.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return place

    def _run(self, *arguments: str) -> None:
        self._runs += 1
        printed = self._work / f"printed.{self._runs}"
        with printed.open("wb") as output:
            try:
                process = subprocess.Popen(  # noqa: S603 - uv, with arguments of ours
                    [*_PREFIX, self._program, *arguments, "--quiet"],
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    cwd=self._work,
                    env=self._environment(),
                    start_new_session=True,
                )
            except OSError as error:
                raise Unreachable(f"uv does not start: {error.strerror}") from error
            try:
                ended = os.pidfd_open(process.pid)
                try:
                    while not select.select([ended], [], [], POLL_SECONDS)[0]:
                        if time.monotonic() > self._deadline:
                            raise Unreachable("the time for installing was over")
                        self._watch()
                finally:
                    os.close(ended)
                process.wait()
            finally:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, 9)
                process.wait()
        if process.returncode:
            said = self._said(printed)
            kind = Unsatisfiable if process.returncode == _UNSATISFIABLE else Unreachable
            raise kind(said)

    def _environment(self) -> Mapping[str, str]:
        home = self._work / "home"
        home.mkdir(exist_ok=True)
        return {
            **environment(*PASSED),
            "HOME": str(home),
            "TMPDIR": str(self._work),
            "UV_CACHE_DIR": str(self._downloads),
            "UV_FIND_LINKS": ",".join((str(self.wheels), *self._indexes.links)),
            **self._indexes.variables(),
            "UV_NO_CONFIG": "1",
            "UV_NO_BUILD": "1",
            "UV_KEYRING_PROVIDER": "disabled",
            "UV_PYTHON_DOWNLOADS": "never",
            "UV_SYSTEM_CERTS": "1",
            "UV_HTTP_RETRIES": str(RETRIES),
            "UV_HTTP_TIMEOUT": "30",
            "UV_NO_PROGRESS": "1",
            "NO_COLOR": "1",
        }

    def _said(self, printed: Path) -> str:
        with printed.open("rb") as file:
            said = file.read(65_536).decode("utf-8", "replace")
        said = without_secrets(said)
        causes = re.findall(r"^\s*(?:error|cause): (.*)$", said, re.MULTILINE)
        return printable("; ".join(causes[1:] or causes) or said.strip(), 300)
