"""Packages of our own interpreter that a project's environment may have: nothing to download."""

from __future__ import annotations

import os
import re
import shutil
import zipfile
from collections.abc import Iterator
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution, distributions
from pathlib import Path

from packaging.utils import canonicalize_name

TORCH = ("torch", "torchaudio", "torchvision")
"""Packages that are built together: each for its own build of the first."""
ACCELERATOR = re.compile(r"(nvidia|cuda)-|(pytorch-)?triton\Z")
"""Packages that builds for a GPU bring along."""


@cache
def lendable() -> dict[str, str]:
    """Return the versions of what may be lent, by name: torch's packages, and what they rest on."""
    found: dict[str, str] = {}
    for name in TORCH:
        try:
            found[name] = distribution(name).version
        except PackageNotFoundError:
            continue
    if found:
        names = ((canonicalize_name(each.name), each.version) for each in distributions())
        found |= {name: version for name, version in names if ACCELERATOR.match(name)}
    return found


def describe(name: str, folder: Path) -> None:
    """Put a wheel into a folder that tells what a package of ours needs, and holds no code."""
    ours = distribution(name)
    module = re.sub(r"[-.]+", "_", name)
    info = f"{module}-{ours.version}.dist-info"
    wheel = ours.read_text("WHEEL") or ""
    tags = re.findall(r"^Tag: (\S+)$", wheel, re.MULTILINE) or ["py3-none-any"]
    texts = {"METADATA": ours.read_text("METADATA") or "", "WHEEL": wheel, "RECORD": ""}
    with zipfile.ZipFile(folder / f"{module}-{ours.version}-{tags[0]}.whl", "w") as archive:
        for file, text in texts.items():
            archive.writestr(f"{info}/{file}", text)


def copy_own(name: str, packages: Path) -> None:
    """Give a package of ours to another folder of packages, as links where that can be."""
    for source, file in _files(distribution(name)):
        place = packages / file
        place.parent.mkdir(parents=True, exist_ok=True)
        link(source, place)


def _files(ours: Distribution) -> Iterator[tuple[Path, str]]:
    """The files of a package that lie among the packages, with their relative paths."""
    for file in ours.files or ():
        source = Path(str(file.locate()))
        if ".." not in file.parts and source.is_file():
            yield source, str(file)


def link(source: Path, place: Path) -> None:
    """Give a file a second name, or copy it where that cannot be."""
    try:
        os.link(source, place)
    except OSError:
        shutil.copy2(source, place)
