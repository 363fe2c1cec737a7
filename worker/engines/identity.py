"""The name under which a local engine's answers are recorded."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def local_identity(package: str, revision: int) -> str:
    """Package, version, and the revision of our own part."""
    try:
        return f"local-{package}-{version(package)}-{revision}"
    except PackageNotFoundError:
        return f"local-{package}-missing"
