"""The guest's own needs, in a folder beside the project's packages.

They are what the symbolic search and the drawing of valid inputs import, in the
versions that we have ourselves.  For our own minor version of Python they are copied from here, for
another they come from the index.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.markers import UndefinedEnvironmentName
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from worker.environments.declarations import Declaration, Wanted
from worker.environments.manifests import write_manifest
from worker.environments.own_packages import copy_own
from worker.environments.pins import Pin, Resolution
from worker.environments.pythons import Interpreter

NEEDED = {
    "crosshair-tool": "no symbolic search",
    "hypothesis": "no valid inputs are drawn",
}
"""The guest's needs, and what is to be said where one cannot be had."""

OLDEST_SERVING = {"hypothesis": ">=6.100"}
PACKAGES = "packages"


def layer_declaration(*, foreign: bool = False) -> Declaration:
    """The guest's needs as a declaration: ours by version, what they need bounded by ours.

    ``foreign``: for another Python, for which ours may be too new where an
    older one serves too.
    """
    found = {canonicalize_name(each.name): each.version for each in _closure()}
    loose = OLDEST_SERVING if foreign else {}
    wanted = [
        Wanted(name, loose.get(name, f"=={version}"))
        for name, version in found.items()
        if name in NEEDED
    ]
    bounds = [Wanted(name, f"=={found[name]}") for name in found if name not in loose]
    return Declaration(["the guest's own needs"], wanted, constraints=bounds)


def lacking(packages: Mapping[str, str], wanted: Iterable[Wanted]) -> list[str]:
    """Which of the guest's needs are not among installed ``packages`` in a version that serves."""
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
    """What the needed packages need, as far as it is installed here."""
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
