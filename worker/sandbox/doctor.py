"""What the doctor says about isolation."""

from __future__ import annotations

import sys
from pathlib import Path

from worker.errors import MachineError
from worker.sandbox.attacks import run_battery
from worker.sandbox.checks import Check
from worker.sandbox.isolation import Choice, Isolation, NoIsolation, find_isolation
from worker.sandbox.slots import UIDS

RESTRICTION = (
    "Do not test other people's code on this machine: what got through here, "
    "gets through there. Update bubblewrap, libseccomp and the kernel."
)


def examine_isolation(
    uid_range: range = UIDS, choice: Choice = "auto", python: Path | str = sys.executable
) -> list[Check]:
    """Find the isolation of this machine and try the known escapes against it.

    ``choice`` asks for one set of layers; ``python`` runs the attacks.
    """
    try:
        isolation = find_isolation(uid_range, choice=choice, python=Path(python))
    except NoIsolation as error:
        return [
            Check("isolation", ok=False, detail=problem, remedy=remedy)
            for problem, remedy in zip(error.problems, error.remedies, strict=True)
        ]
    except MachineError as error:
        return [Check("isolation", ok=False, detail=error.message, remedy=error.remedy)]
    found = Check("isolation", ok=True, detail=", ".join(isolation.layers))
    return [found, *_attacked(isolation, python)]


def _attacked(isolation: Isolation, python: Path | str) -> list[Check]:
    try:
        attacks = run_battery(isolation, python=python)
    except MachineError as error:
        return [Check("escapes", ok=False, detail=error.message, remedy=error.remedy)]
    through = [
        Check(f"escape: {attack.name}", ok=False, detail=attack.detail, remedy=RESTRICTION)
        for attack in attacks
        if not attack.held
    ]
    held = len(attacks) - len(through)
    summary = f"{held} of {len(attacks)} attempts held"
    return [Check("escapes", not through, summary, RESTRICTION if through else ""), *through]
