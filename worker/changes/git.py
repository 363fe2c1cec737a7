"""The git command, run so that a hostile repository can make it run nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from worker.errors import MachineError

SECONDS = 120.0

_KEPT = ("HOME", "PATH", "XDG_CONFIG_HOME", "TMPDIR")
_ENVIRONMENT = {
    "LC_ALL": "C",
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
}
_CONFIGURATION = (
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.hooksPath=/dev/null",
    "core.quotePath=false",
    "core.precomposeUnicode=false",
    "submodule.recurse=false",
)


class GitError(Exception):
    """Git ended with an error; ``message`` is what it said."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


@dataclass(frozen=True, slots=True)
class Git:
    """Git in one directory.

    Nothing of the caller's ``GIT_*`` environment reaches it, no protocol is
    allowed, and hooks and file-system monitors are off.
    """

    directory: Path
    environment: Mapping[str, str] = field(default_factory=dict[str, str])

    def run(
        self,
        *arguments: str,
        stdin: bytes = b"",
        environment: Mapping[str, str] | None = None,
    ) -> bytes:
        """Run one git command and return its standard output.

        Raises ``GitError`` when git fails and ``MachineError`` when it is
        missing or does not end within ``SECONDS``.
        """
        try:
            done = subprocess.run(  # noqa: S603 - fixed program, no shell
                self.command(*arguments),
                input=stdin,
                capture_output=True,
                cwd=self.directory,
                env=self.variables | dict(environment or {}),
                timeout=SECONDS,
                check=False,
                start_new_session=True,
            )
        except subprocess.TimeoutExpired as error:
            raise MachineError(
                f"git {arguments[0]} did not end within {SECONDS:.0f} s",
                "Look whether the disk is slow or the repository damaged (git fsck).",
            ) from error
        if done.returncode:
            raise GitError(done.stderr.decode(errors="replace").strip())
        return done.stdout

    def line(self, *arguments: str) -> str:
        """Run one git command and return its output without the last newline."""
        return os.fsdecode(self.run(*arguments)).removesuffix("\n")

    def command(self, *arguments: str) -> list[str]:
        """The command line of a hardened git."""
        program = shutil.which("git")
        if program is None:
            raise MachineError("git is not installed", "Install git 2.30 or newer.")
        settings = [part for each in _CONFIGURATION for part in ("-c", each)]
        return [program, "--no-pager", *settings, *arguments]

    @property
    def variables(self) -> dict[str, str]:
        """The whole environment that git gets."""
        kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
        return kept | _ENVIRONMENT | dict(self.environment)
