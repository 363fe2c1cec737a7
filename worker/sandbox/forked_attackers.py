"""Attackers that are forked from a template, as most guests of a check are."""

from __future__ import annotations

import compileall
import os
import select
import shutil
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from worker.sandbox.attacks import BATTERY
from worker.sandbox.guest_launch import GuestProgram
from worker.sandbox.guest_process import guest_program
from worker.sandbox.guest_spawn import LaunchPlan
from worker.sandbox.warm_sandbox import WarmSandbox
from worker.system.temporary_files import owned_folder

KILLED = -9
_NAME = "_forked"
_EXIT_CODE = 52 - 3
"""Of ``/proc/PID/stat`` (proc_pid_stat(5)), counted from the state."""


def forked_program(folder: Path, package: Path, module: str = "main") -> GuestProgram:
    """Return the real template in ``folder``, with another package's ``main`` for the guest's."""
    whole = folder / _NAME
    if not whole.exists():
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(guest_program().folder, whole, ignore=ignored)
        shutil.copytree(package, whole / "other", ignore=ignored)
        (whole / "main.py").write_text(f"from .other.{module} import main\n", encoding="utf-8")
        compileall.compile_dir(whole, quiet=2)
        for path in (whole, *whole.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
    return GuestProgram(whole, _NAME)


class ForkedAttacker:
    """An attacker in a sandbox of its own, which it ``ended``, or which is ``clean`` behind it."""

    def __init__(self, plan: LaunchPlan) -> None:
        self.sandbox = WarmSandbox(plan, ())
        try:
            self._guest = self.sandbox.fork()
        except BaseException:
            self.sandbox.close()
            raise
        self._guest.on_close = self._look
        self.channel, self.root = self._guest.channel, self._guest.root
        self.clean: bool | None = None
        self.ended = False

    @property
    def stopped(self) -> str | None:
        """Return why we stopped it."""
        return self._guest.stopped

    def stderr_tail(self) -> str:
        """Return the end of what it has printed."""
        return self._guest.stderr_tail()

    def wait(self, seconds: float) -> int | None:
        """Wait for the end; the template keeps the process until it is asked to clear."""
        ready, _, _ = select.select([self._guest.process], [], [], seconds)
        try:
            text = Path(f"/proc/{self._guest.pid}/stat").read_text(encoding="utf-8")
        except OSError:
            return KILLED  # with its sandbox
        fields = text.rpartition(")")[2].split()
        return os.waitstatus_to_exitcode(int(fields[_EXIT_CODE])) if ready else None

    def _look(self) -> None:
        self.ended = self.sandbox.ended
        self.clean = self.sandbox.recovered()
        self.sandbox.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._guest.close()


class ForkedAttackers:
    """Starts attackers by forking; a context manager that holds their program."""

    def __init__(self) -> None:
        self._held = ExitStack()
        self._program = forked_program(
            self._held.enter_context(owned_folder("attackers")), BATTERY.folder
        )
        self.started: list[ForkedAttacker] = []

    def __call__(self, plan: LaunchPlan) -> ForkedAttacker:
        """Start one; raise ``Unforkable`` where none can be forked."""
        if plan.program == BATTERY:
            plan = replace(plan, program=self._program)
        attacker = ForkedAttacker(plan)
        self.started.append(attacker)
        return attacker

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._held.close()
