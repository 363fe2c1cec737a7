"""Runs the double as a process: ``python -m tests.github_double --state FILE``."""

from __future__ import annotations

import argparse
import json
import signal
import threading
from pathlib import Path

from tests.github_double.double import GithubDouble


def main() -> None:
    """Serve until SIGTERM or SIGINT.

    FILE gets the address and the settings once the double listens, and at
    the end the summary as well.
    """
    parser = argparse.ArgumentParser(prog="python -m tests.github_double", description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--folder", type=Path, required=True, help="for repositories and keys")
    parser.add_argument("--state", type=Path, required=True, help="where to say where it is")
    chosen = parser.parse_args()
    over = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: over.set())
    with GithubDouble(chosen.folder, port=chosen.port) as github:
        told = {
            "url": github.url,
            "settings": github.settings(),
            "secret": github.secret,
            "installation": github.installation.id,
        }
        _write(chosen.state, told)
        over.wait()
        _write(chosen.state, told | {"summary": json.loads(json.dumps(_summary(github)))})


def _summary(github: GithubDouble) -> dict[str, object]:
    from tests.github_double.control import Control

    return Control(github).summary()


def _write(path: Path, told: dict[str, object]) -> None:
    part = path.with_suffix(".part")
    part.write_text(json.dumps(told, indent=1))
    part.replace(path)


if __name__ == "__main__":
    main()
