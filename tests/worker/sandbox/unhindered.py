"""The battery's attacks where nothing holds them: in a plain process of ours."""

import json
import os
import resource
import socket
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

from worker.sandbox.attacks import LIMITS
from worker.sandbox.canaries import Canaries

PROGRAM = "import sys; from worker.sandbox.attack_battery.main import main; main(int(sys.argv[1]))"


def unhindered(put_out: Canaries, attacks: Collection[str] = (), alone: str = "") -> dict[str, str]:
    """Return what each attack got, by its name; one that got nothing is left out."""
    bounds = ("file_size", "open_files", "files", "scratch", "address_space")
    canary = {
        **put_out.orders(),
        "project": str(put_out.tree),
        "hold": 0,
        **{name: getattr(LIMITS, name) for name in bounds},
    }
    orders = json.dumps({"attacks": list(attacks), "alone": alone, "canary": canary}).encode()
    ours, theirs = socket.socketpair()
    with ours, theirs, Path("/dev/null").open() as forgotten:
        os.set_inheritable(forgotten.fileno(), True)
        ours.sendall(len(orders).to_bytes(4, "big") + orders)
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, str(theirs.fileno())],
            pass_fds=(theirs.fileno(), forgotten.fileno()),
            preexec_fn=_limited,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=120,
            check=True,
        )
    said = [json.loads(line) for line in done.stdout.splitlines() if line.startswith(b'{"attack"')]
    assert not [each for each in said if "itself failed" in each["detail"]]
    return {each["attack"]: each["detail"] for each in said if not each["held"]}


def _limited() -> None:
    """Allow core dumps, and leave room for a limit to be raised."""
    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024))
