"""What is installed beside torch."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Optional


def missing(*packages: str) -> Optional[str]:
    """Which of these is not installed; ``None`` where all are."""
    lacking = next((name for name in packages if not _is_there(name)), None)
    return None if lacking is None else f"{lacking} is not installed"


def _is_there(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):
        return False
