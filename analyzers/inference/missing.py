"""Why nothing can be said of a framework's code: it is not there."""

from __future__ import annotations

from analyzers.ports import Bench


def not_installed(package: str, bench: Bench) -> str | None:
    """What to say where a stand-in took a package's place in what was run; else ``None``."""
    if package not in bench.standins:
        return None
    return f"{package} is not installed in the project's environment"
