"""Manifests: the record of a folder of packages, written when it is made."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from worker.environments.cache import MANIFEST, size_on_disk
from worker.environments.declarations import LeftOut
from worker.environments.nouns import Contents
from worker.environments.pins import Resolution


def write_manifest(
    folder: Path, python: str, found: Resolution, wheels: Sequence[str] = (), shared: int = 0
) -> None:
    """Write down what is in the folder; ``shared`` of its bytes are those of ``wheels``."""
    contents = Contents(
        python,
        {pin.name: pin.version for pin in found.pins.values()},
        tuple(found.missing),
        tuple(found.replaced),
        max(size_on_disk(folder) - shared, 0),
        tuple(found.built),
        tuple(wheels),
    )
    (folder / MANIFEST).write_text(json.dumps(asdict(contents)), encoding="utf-8")


def contents_of(manifest: Mapping[str, Any]) -> Contents:
    """The contents of a manifest."""
    missing = tuple(LeftOut(**each) for each in manifest["missing"])
    return Contents(
        manifest["python"],
        manifest["packages"],
        missing,
        tuple(manifest["replaced"]),
        manifest["size"],
        tuple(manifest["built"]),
        tuple(manifest["wheels"]),
    )
