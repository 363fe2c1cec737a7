"""Run the tests marked slow, file by file, as many at once as there are cores, up to four.

Usage: python scripts/slow.py [SECONDS]

A file that the time does not suffice for is named and is no failure.  Each commit
begins with another file, so that none is left out for ever.  The last line sums up.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTEST = (sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-m", "slow")
LEAST_SECONDS = 10.0
GRACE_SECONDS = 30.0
NO_LIMIT = 24 * 3600.0
NOTHING_COLLECTED = 5


def main(arguments: Sequence[str]) -> int:
    """Run what the time suffices for; return the exit status."""
    began = time.monotonic()
    deadline = began + (float(arguments[0]) if arguments else NO_LIMIT)
    files = _rotated(_files())
    with ThreadPoolExecutor(min(os.cpu_count() or 1, 4)) as pool:
        ran = list(pool.map(lambda file: _run(file, deadline), files))
    for file, (status, output) in zip(files, ran, strict=True):
        if status is not None:
            print(f"== {file}\n{output}", end="")
    left_out = [file for file, (status, _) in zip(files, ran, strict=True) if status is None]
    if left_out:
        print(f"== left out, for the time was up: {' '.join(left_out)}")
    _close("".join(output for _, output in ran), time.monotonic() - began)
    return 1 if any(status for status, _ in ran) else 0


def _files() -> list[str]:
    """Return the files that have tests marked slow, in the order of their names."""
    listed = subprocess.run(
        [*PYTEST, "--collect-only"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode not in (0, NOTHING_COLLECTED):
        sys.exit(f"{listed.stdout}{listed.stderr}the tests could not be collected")
    return sorted({line.split("::")[0] for line in listed.stdout.splitlines() if "::" in line})


def _rotated(files: list[str]) -> list[str]:
    counted = subprocess.run(
        ["git", "rev-list", "--count", "HEAD"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    first = int(counted.stdout or 0) % max(len(files), 1)
    return files[first:] + files[:first]


def _run(file: str, deadline: float) -> tuple[int | None, str]:
    """Return the status (``None`` if the time was up) and output of a file's slow tests."""
    if deadline - time.monotonic() < LEAST_SECONDS:
        return None, ""
    with subprocess.Popen(
        [*PYTEST, file], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            output, _ = process.communicate(timeout=deadline - time.monotonic())
        except subprocess.TimeoutExpired:
            _stop(process)
            return None, ""
        return process.returncode, output


def _stop(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGINT)
    try:
        process.communicate(timeout=GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()


def _close(outputs: str, seconds: float) -> None:
    sys.stdout.flush()
    subprocess.run(
        [ROOT / "scripts" / "closing", str(round(seconds))], input=outputs, text=True, check=True
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
