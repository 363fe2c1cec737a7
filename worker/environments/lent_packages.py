"""The guest's own needs, in a folder beside the project's packages, in our own versions.

For our own minor version of Python they are copied, for another they come from the index.
"""

from __future__ import annotations

import os
import re
import shutil
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution, distributions
from pathlib import Path

from packaging.markers import UndefinedEnvironmentName
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from worker.environments.declarations.declaration import Declaration, RequiredPackage
from worker.environments.environment import Pin, Resolution, write_manifest
from worker.environments.interpreters import Interpreter

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


NEEDED = {
    "crosshair-tool": "no symbolic search",
    "hypothesis": "no valid inputs are drawn",
    "pytest": "the project's tests that need pytest tell nothing of valid inputs",
}
"""The guest's needs, and what is to be said where one cannot be had."""

OLDEST_SERVING = {"hypothesis": ">=6.100", "pytest": ">=7"}
PACKAGES = "packages"


def layer_declaration(*, foreign: bool = False) -> Declaration:
    """Return the guest's needs as a declaration, older ones too for a ``foreign`` Python."""
    found = {canonicalize_name(each.name): each.version for each in _closure()}
    loose = OLDEST_SERVING if foreign else {}
    wanted = [
        RequiredPackage(name, loose.get(name, f"=={version}"))
        for name, version in found.items()
        if name in NEEDED
    ]
    bounds = [RequiredPackage(name, f"=={found[name]}") for name in found if name not in loose]
    return Declaration(["the guest's own needs"], wanted, constraints=bounds)


def lacking(packages: Mapping[str, str], wanted: Iterable[RequiredPackage]) -> list[str]:
    """Return which of the guest's needs ``packages`` do not meet in a version that serves."""
    return [
        each.name
        for each in wanted
        if each.name not in packages
        or not SpecifierSet(each.specifier).contains(packages[each.name])
    ]


def copy_layer(folder: Path, interpreter: Interpreter) -> None:
    """Fill an empty folder with our own packages that the guest needs."""
    packages = folder / PACKAGES
    packages.mkdir()
    found = Resolution()
    for each in _closure():
        found.pins[canonicalize_name(each.name)] = Pin(each.name, each.version)
        copy_own(each.name, packages)
    write_manifest(folder, interpreter.version, found)


def _closure() -> Iterator[Distribution]:
    pending, seen = list(NEEDED), set[str]()
    while pending:
        name = canonicalize_name(pending.pop())
        if name in seen:
            continue
        seen.add(name)
        try:
            found = distribution(name)
        except PackageNotFoundError:
            continue
        yield found
        pending += [
            need.name for text in found.requires or () if _applies(need := Requirement(text))
        ]


def _applies(need: Requirement) -> bool:
    try:
        return need.marker is None or need.marker.evaluate({"extra": ""})
    except UndefinedEnvironmentName:
        return False
