"""Warm sandboxes of one check: taken for a guest, given back clean, started ahead of need."""

from __future__ import annotations

import threading
import time
from collections.abc import Collection
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from math import inf
from threading import TIMEOUT_MAX
from typing import Self
from weakref import WeakSet

from worker.errors import MachineError
from worker.sandbox.guest_process import GuestProcess
from worker.sandbox.guest_spawn import LaunchPlan
from worker.sandbox.warm_sandbox import ForkedGuest, Guest, Unforkable, WarmSandbox

LAUNCHERS = 2
MOST_IDLE = 6
MOST_KEPT = 6
STOPPED = "it was interrupted"
NO_NAMESPACES = "guests without namespaces of their own start afresh"


@dataclass(frozen=True, slots=True)
class LoadedFile:
    """A file of a tree that a guest has loaded, with the ``files`` whose runs it records.

    Of one that ``runs`` the file anew nothing is loaded but what the file imports.
    """

    path: str
    runs: bool
    files: frozenset[str]

    def serves(self, wanted: LoadedFile) -> bool:
        """Return whether a guest with this file can be asked for another."""
        alike = (self.path, self.runs) == (wanted.path, wanted.runs)
        return alike and wanted.files <= self.files


class WarmSandboxes:
    """Guests forked from templates; ``notes`` say where none can be forked, and why.

    Guests that have loaded a file are kept for the next target of the file.
    Each sandbox is started by a thread of this pool, which outlives those that use it.
    """

    def __init__(self) -> None:
        self._launchers = ThreadPoolExecutor(LAUNCHERS, "launch")
        self._lock = threading.Lock()
        self._idle: list[WarmSandbox] = []
        self._kept: list[tuple[LaunchPlan, LoadedFile, ForkedGuest]] = []
        self._coming: list[tuple[LaunchPlan, frozenset[str], Future[WarmSandbox]]] = []
        self._unforkable: dict[tuple[str, frozenset[str]], str] = {}
        self._live: WeakSet[GuestProcess | ForkedGuest] = WeakSet()
        self._stopped = False
        self._closed = False
        self.notes: dict[str, None] = {}

    def guest(
        self, plan: LaunchPlan, modules: Collection[str] | None = None, until: float = inf
    ) -> Guest:
        """Return a guest, forked where these modules are imported if that can be.

        Without ``modules`` it is started afresh.  Libraries are not waited for after ``until``, a
        time of ``time.monotonic``.  Raises ``MachineError`` where none starts and
        ``KeyboardInterrupt`` once the pool was stopped.
        """
        guest = self._begun(plan, modules, until)
        with self._lock:
            self._live.add(guest)
        if self._stopped:
            guest.close()
            raise KeyboardInterrupt
        return guest

    def keep(self, plan: LaunchPlan, loaded: LoadedFile, guest: ForkedGuest) -> None:
        """Keep a guest that is asked nothing now; the one that was kept first ends."""
        with self._lock:
            self._kept.append((plan, loaded, guest))
            surplus = self._kept.pop(0) if len(self._kept) > MOST_KEPT or self._closed else None
        if surplus is not None:
            surplus[2].close()

    def kept_guest(self, plan: LaunchPlan, wanted: LoadedFile) -> ForkedGuest | None:
        """Return the guest that was kept last of those that have loaded a file, if there is one."""
        with self._lock:
            at = self._position(plan, wanted)
            guest = None if at is None else self._kept.pop(at)[2]
        if guest is not None:
            guest.renew()
        return guest

    def keeps(self, plan: LaunchPlan, wanted: LoadedFile) -> bool:
        """Return whether a guest that has loaded a file is kept."""
        with self._lock:
            return self._position(plan, wanted) is not None

    def _position(self, plan: LaunchPlan, wanted: LoadedFile) -> int | None:
        fitting = (
            at
            for at, (started, loaded, _) in enumerate(self._kept)
            if started == plan and loaded.serves(wanted)
        )
        return max(fitting, default=None)

    def stop(self) -> None:
        """End all guests, from another thread than theirs; those that are asked for find out."""
        self._stopped = True
        with self._lock:
            live = list(self._live)
        for guest in live:
            guest.stop(STOPPED)

    def _begun(
        self, plan: LaunchPlan, modules: Collection[str] | None, until: float
    ) -> GuestProcess | ForkedGuest:
        if modules is None or self._stopped or not self._can_fork(plan, modules):
            return GuestProcess(plan)
        try:
            return self._forked(plan, frozenset(modules), until)
        except TimeoutError:
            return GuestProcess(plan)
        except Unforkable as reason:
            self._give_up(plan, modules, str(reason))
            return GuestProcess(plan)

    def prepare(self, plan: LaunchPlan, modules: Collection[str]) -> None:
        """Start a sandbox that will be wanted soon, without waiting for it."""
        if self._can_fork(plan, modules):
            with self._lock:
                self._launch(plan, frozenset(modules))

    def _can_fork(self, plan: LaunchPlan, modules: Collection[str]) -> bool:
        if not (plan.isolation.isolated and plan.isolation.namespaces):
            if plan.isolation.isolated:
                self.notes[NO_NAMESPACES] = None
            return False
        return (str(plan.python), frozenset(modules)) not in self._unforkable

    def _give_up(self, plan: LaunchPlan, modules: Collection[str], reason: str) -> None:
        self._unforkable[str(plan.python), frozenset(modules)] = reason
        self.notes[f"each guest imports its libraries afresh: {reason}"] = None

    def _forked(self, plan: LaunchPlan, modules: frozenset[str], until: float) -> ForkedGuest:
        while (sandbox := self._taken(plan, modules)) is not None:
            with suppress(Unforkable):
                return self._guest_of(sandbox)
            sandbox.close()
        with self._lock:
            future = self._take_coming(plan, modules) or self._submitted(plan, modules)
        try:
            sandbox = future.result(min(until - time.monotonic(), TIMEOUT_MAX))
        except TimeoutError:
            with self._lock:
                self._coming.append((plan, modules, future))
            raise
        try:
            return self._guest_of(sandbox)
        except BaseException:
            sandbox.close()
            raise

    def _guest_of(self, sandbox: WarmSandbox) -> ForkedGuest:
        guest = sandbox.fork()
        guest.on_close = partial(self._give_back, sandbox)
        return guest

    def _taken(self, plan: LaunchPlan, modules: frozenset[str]) -> WarmSandbox | None:
        """Take an idle sandbox that has imported these modules, or else some of them."""
        with self._lock:
            fitting = [each for each in self._idle if each.plan == plan and each.modules == modules]
            if not fitting:
                return None
            self._idle.remove(fitting[-1])
            return fitting[-1]

    def _take_coming(self, plan: LaunchPlan, modules: frozenset[str]) -> Future[WarmSandbox] | None:
        for entry in self._coming:
            if entry[:2] == (plan, modules):
                self._coming.remove(entry)
                return entry[2]
        return None

    def _launch(self, plan: LaunchPlan, modules: frozenset[str]) -> None:
        self._coming.append((plan, modules, self._submitted(plan, modules)))

    def _submitted(self, plan: LaunchPlan, modules: frozenset[str]) -> Future[WarmSandbox]:
        return self._launchers.submit(WarmSandbox, plan, sorted(modules))

    def _give_back(self, sandbox: WarmSandbox) -> None:
        """Take a sandbox back where nothing is left in it of its guest."""
        if not self._closed and sandbox.recovered():
            with self._lock:
                self._idle.append(sandbox)
                surplus = self._idle.pop(0) if len(self._idle) > MOST_IDLE else None
        else:
            surplus = sandbox
        if surplus is not None:
            surplus.close()

    def close(self) -> None:
        """End all sandboxes; guests that are still there end theirs when they are closed."""
        self._closed = True
        with self._lock:
            kept, self._kept = self._kept, []
            coming, self._coming = self._coming, []
            idle, self._idle = self._idle, []
        for _, _, guest in kept:
            guest.close()
        for _, _, future in coming:
            if not future.cancel():
                with suppress(MachineError, Unforkable):
                    idle.append(future.result())
        for sandbox in idle:
            sandbox.close()
        self._launchers.shutdown()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()
