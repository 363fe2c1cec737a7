"""Examine environments for the doctor: the packages' source, and which torch there is."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from worker.environments.declarations import Declaration, Wanted
from worker.environments.installing import Installer
from worker.environments.own_packages import ACCELERATOR
from worker.environments.pins import Resolution
from worker.environments.pythons import our_interpreter
from worker.environments.uv import Unreachable
from worker.sandbox.checks import Check
from worker.settings.server import EnvironmentSettings

SECONDS = 60.0
FRAMEWORK = "torch"
NOT_TESTED = "Code that needs it is not tested until then: verdict error."
REMEDY = (
    f"Install torch into Assayer's own environment, or set [environments] index, cpu_index, "
    f"largest or size. {NOT_TESTED}"
)


def examine_environments(settings: EnvironmentSettings, python: Path) -> Iterator[Check]:
    """Look at where packages come from, and for the framework that most projects ask for."""
    if settings.install == "never":
        detail = "installing is turned off: code runs on Assayer's own packages"
        yield Check("packages", ok=False, detail=detail, remedy="Set [environments] install.")
        return
    if python != Path(sys.executable):
        yield Check("packages", ok=True, detail=f"those of {python}, by [sandbox] python")
        return
    installer = Installer(settings, None, lambda _: None)
    yield Check("packages", ok=True, detail=", ".join(installer.places))
    yield _framework(installer)


def _framework(installer: Installer) -> Check:
    name = f"framework {FRAMEWORK}"
    declaration = Declaration([], [Wanted(FRAMEWORK)])
    try:
        found = installer.offered(our_interpreter(), declaration, SECONDS)
    except Unreachable as reason:
        return Check(name, ok=False, detail=str(reason), remedy=REMEDY)
    if FRAMEWORK not in found.pins:
        reasons = "; ".join(map(str, found.missing))
        return Check(name, ok=False, detail=reasons, remedy=REMEDY)
    return Check(name, ok=True, detail=_described(found))


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
