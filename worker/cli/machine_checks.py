"""Examine environments for the doctor: the packages' source, and which torch there is."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from worker.environments.declarations.declaration import Declaration, RequiredPackage
from worker.environments.environment import Resolution
from worker.environments.installer import Installer
from worker.environments.interpreters import our_interpreter
from worker.environments.lent_packages import ACCELERATOR
from worker.environments.uv import Unreachable
from worker.errors import MachineError
from worker.sandbox.attacks import Starter, run_battery
from worker.sandbox.forked_attackers import ForkedAttackers
from worker.sandbox.guest_process import GuestProcess
from worker.sandbox.isolation import Choice, Isolation, IsolationUnavailable, find_isolation
from worker.sandbox.uid_slots import UIDS
from worker.sandbox.warm_sandbox import Unforkable
from worker.sandbox.warm_sandboxes import NO_NAMESPACES
from worker.settings.operator_settings import EnvironmentSettings


@dataclass(frozen=True, slots=True)
class MachineCheck:
    """The result of one check: its subject, whether it works, and what to do where it does not.

    ``unset``: nobody asked for it, so that nothing is wrong.
    """

    name: str
    ok: bool
    detail: str
    remedy: str = ""
    unset: bool = False

    @property
    def mark(self) -> str:
        """Return ``ok``, ``–`` (not set) or ``missing``."""
        return "–" if self.unset else "ok" if self.ok else "missing"


RESTRICTION = (
    "Do not test other people's code on this machine: what got through here, "
    "gets through there. Update bubblewrap, libseccomp and the kernel."
)


def examine_isolation(
    uid_range: range = UIDS, choice: Choice = "auto", python: Path | str = sys.executable
) -> list[MachineCheck]:
    """Find this machine's isolation (or ``choice``) and try the known escapes against it."""
    try:
        isolation = find_isolation(uid_range, choice=choice, python=Path(python))
    except IsolationUnavailable as error:
        return [
            MachineCheck("isolation", ok=False, detail=problem, remedy=remedy)
            for problem, remedy in zip(error.problems, error.remedies, strict=True)
        ]
    except MachineError as error:
        return [MachineCheck("isolation", ok=False, detail=error.message, remedy=error.remedy)]
    found = MachineCheck("isolation", ok=True, detail=", ".join(isolation.layers))
    checks = [found, *_check_attacks(isolation, python, "escapes", GuestProcess)]
    return [*checks, *_check_forked_attacks(isolation, python)]


FORKED = "escapes of forked guests"


def _check_forked_attacks(isolation: Isolation, python: Path | str) -> list[MachineCheck]:
    if not isolation.namespaces:
        return [MachineCheck(FORKED, ok=True, detail=NO_NAMESPACES, unset=True)]
    try:
        with ForkedAttackers() as attackers:
            return _check_attacks(isolation, python, FORKED, attackers)
    except Unforkable as reason:
        return [MachineCheck(FORKED, ok=True, detail=f"none is forked: {reason}", unset=True)]


def _check_attacks(
    isolation: Isolation, python: Path | str, name: str, start: Starter
) -> list[MachineCheck]:
    try:
        attacks = run_battery(isolation, python=python, start=start)
    except MachineError as error:
        return [MachineCheck(name, ok=False, detail=error.message, remedy=error.remedy)]
    through = [
        MachineCheck(f"escape: {attack.name}", ok=False, detail=attack.detail, remedy=RESTRICTION)
        for attack in attacks
        if not attack.held
    ]
    held = len(attacks) - len(through)
    summary = f"{held} of {len(attacks)} attempts held"
    return [MachineCheck(name, not through, summary, RESTRICTION if through else ""), *through]


SECONDS = 60.0
FRAMEWORK = "torch"
NOT_TESTED = "Code that needs it is not tested until then: verdict error."
REMEDY = (
    f"Install torch into Assayer's own environment, or set [environments] index, cpu_index, "
    f"largest or size. {NOT_TESTED}"
)


def examine_environments(settings: EnvironmentSettings, python: Path) -> Iterator[MachineCheck]:
    """Look at where packages come from, and for the framework that most projects ask for."""
    if settings.install == "never":
        detail = "installing is turned off: code runs on Assayer's own packages"
        yield MachineCheck(
            "packages", ok=False, detail=detail, remedy="Set [environments] install."
        )
        return
    if python != Path(sys.executable):
        yield MachineCheck("packages", ok=True, detail=f"those of {python}, by [sandbox] python")
        return
    installer = Installer(settings, None, lambda _: None)
    yield MachineCheck("packages", ok=True, detail=", ".join(installer.places))
    yield _framework(installer)


def _framework(installer: Installer) -> MachineCheck:
    name = f"framework {FRAMEWORK}"
    declaration = Declaration([], [RequiredPackage(FRAMEWORK)])
    try:
        found = installer.offered(our_interpreter(), declaration, SECONDS)
    except Unreachable as reason:
        return MachineCheck(name, ok=False, detail=str(reason), remedy=REMEDY)
    if FRAMEWORK not in found.pins:
        reasons = "; ".join(map(str, found.missing))
        return MachineCheck(name, ok=False, detail=reasons, remedy=REMEDY)
    return MachineCheck(name, ok=True, detail=_described(found))


def _described(found: Resolution) -> str:
    pin = found.pins[FRAMEWORK]
    if pin.lent:
        return f"{pin.version}, Assayer's own, where a project's version range admits it"
    libraries = [each for each in found.pins.values() if ACCELERATOR.match(each.name)]
    if not libraries:
        return f"{pin.version}, {pin.size >> 20} MiB"
    size = sum(each.size for each in (pin, *libraries)) >> 20
    return (
        f"{pin.version} with {len(libraries)} libraries for a GPU, {size} MiB to download: an "
        "index of builds for the CPU ([environments] cpu_index), or torch in Assayer's own "
        "environment, makes that less"
    )
