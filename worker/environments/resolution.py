"""From a declaration to pinned wheels; what has none is named, not fatal."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from worker.environments.declarations.declaration import (
    Declaration,
    RequiredPackage,
    SkippedRequirement,
)
from worker.environments.environment import Pin, Resolution
from worker.environments.lent_packages import ACCELERATOR, TORCH
from worker.environments.uv import Unsatisfiable, Uv

ON_A_PROCESSOR = {
    "tensorflow": "tensorflow-cpu",
    "tensorflow-gpu": "tensorflow-cpu",
    "onnxruntime-gpu": "onnxruntime",
    "faiss-gpu": "faiss-cpu",
    "opencv-python": "opencv-python-headless",
    "opencv-contrib-python": "opencv-contrib-python-headless",
}
"""The same modules in a build that needs no GPU and no screen."""
_ONLY_AS_SOURCE = re.compile(
    r"(?<![\w.-])(?P<name>[\w.-]+)(\[[\w,.-]+\])?(?P<versions>[=<>!~]\S*)? "
    r"(has|have) no usable wheels"
)
_FOR_A_GPU = re.compile(r"\+(cu\d+|rocm[\d.]+|cpu)\Z")
_UNLOADED = re.compile(r"cuda-(bindings|pathfinder|toolkit)\Z|(pytorch-)?triton\Z")
"""Packages that builds for a GPU load only where there is one."""
FIRST_WITH_NUMPY_2 = Version("2.3")
"""The first torch that goes together with NumPy 2."""
_MOST_ROUNDS = 8

_Question: TypeAlias = tuple[
    tuple[RequiredPackage, ...], tuple[str, ...], tuple[str, ...], tuple[str, ...]
]


class Resolver:
    """Resolves a declaration for one interpreter; wheels only.

    ``unbuilt`` and ``sources`` say why packages are not built; ``own`` versions may be lent.
    """

    def __init__(
        self,
        uv: Uv,
        python: Path,
        declaration: Declaration,
        sources: str = "only as source",
        own: Mapping[str, str] | None = None,
    ) -> None:
        self._own = own or {}
        self.unbuilt: dict[str, str] = {}
        self._answers: dict[_Question, dict[str, Pin] | Unsatisfiable] = {}
        self._sources = sources
        self._uv = uv
        self._python = python
        self._complete = declaration.complete
        self._bounds = declaration.constraints
        self._constraints = [wanted.text for wanted in declaration.constraints]
        self._wanted = [_on_a_processor(wanted) for wanted in declaration.wanted]
        self._locked_for_cpu = [
            each.name
            for each in declaration.wanted
            if declaration.complete and each.name in TORCH and each.specifier.endswith("+cpu")
        ]

    def resolve(self, largest: int, most: int) -> Resolution:
        """Pin what can be had within ``largest`` and ``most`` bytes; raise ``Unreachable``."""
        found = Resolution()
        self._answers.clear()
        kept = self._satisfiable(self._wanted, found)
        while (pins := self._together(kept)) is None:
            kept = self._without_first_conflict(kept, found)
        found.pins |= self._without_gpu(kept, pins, found)
        found.pins |= self._numpy(found.pins)
        for wanted in self._wanted:
            pin = found.pins.get(wanted.name)
            if (
                pin is not None
                and not pin.lent
                and wanted.hashes
                and wanted.specifier == f"=={pin.version}"
            ):
                found.pins[pin.name] = replace(pin, hashes=wanted.hashes)
        _fit(found, largest, most)
        return found

    def _satisfiable(
        self, wanted: Sequence[RequiredPackage], found: Resolution
    ) -> list[RequiredPackage]:
        """Return those that can be met each by itself: what uv blames alone, else halves."""
        if not wanted:
            return []
        try:
            self._compile(wanted)
        except Unsatisfiable as reason:
            if len(wanted) == 1:
                return self._nearest(wanted[0], str(reason), found)
            blamed = [each for each in wanted if _blames(str(reason), each)]
            cut = len(wanted) // 2
            if 0 < len(blamed) < len(wanted) and not self._is_satisfiable(blamed):
                first, rest = blamed, [each for each in wanted if each not in blamed]
            else:
                first, rest = list(wanted[:cut]), list(wanted[cut:])
            return [*self._satisfiable(first, found), *self._satisfiable(rest, found)]
        return list(wanted)

    def _is_satisfiable(self, wanted: Sequence[RequiredPackage]) -> bool:
        try:
            self._compile(wanted)
        except Unsatisfiable:
            return False
        return True

    def _nearest(
        self, wanted: RequiredPackage, reason: str, found: Resolution
    ) -> list[RequiredPackage]:
        source = self._source(wanted, reason, found)
        pinned = Requirement(wanted.text).specifier
        exact = [each.version for each in pinned if each.operator == "=="]
        if exact and "not found in the package registry" not in reason:
            above = replace(wanted, specifier=f">={exact[0].removesuffix('.*')}", hashes=())
            try:
                pins = self._compile([above], "--resolution", "lowest-direct", deps=True)
            except Unsatisfiable:
                pins = {}
            if wanted.name in pins:
                version = pins[wanted.name].version
                why = f" ({self.unbuilt[source]})" if source in self.unbuilt else ""
                found.replaced.append(f"{wanted.text} → {version}{why}")
                if self._complete:
                    found.pins.update(pins)
                return [replace(wanted, specifier=f"=={version}", hashes=())]
        said = self.unbuilt.get(source, self._sources) if source else _short(reason)
        if source not in ("", wanted.name):
            said = f"needs {source}, {said}"
        found.missing.append(SkippedRequirement(wanted.text, said, wanted.place))
        return []

    def _source(self, wanted: RequiredPackage, reason: str, found: Resolution) -> str:
        blamed = _ONLY_AS_SOURCE.search(reason)
        if blamed is None:
            return ""
        name = canonicalize_name(blamed["name"])
        if name == wanted.name:
            found.source(name, wanted.specifier, wanted.hashes)
        else:
            bounds = [each.specifier for each in self._bounds if each.name == name]
            found.source(name, ",".join(filter(None, [blamed["versions"] or "", *bounds])), ())
        return str(name)

    def _together(
        self, kept: Sequence[RequiredPackage], bounds: Sequence[str] = ()
    ) -> dict[str, Pin] | None:
        """Pin all of them together, if that can be; ``bounds`` bound what others bring.

        Else exact versions count more than what packages say of each other, as pip froze them.
        """
        exact = [each.text for each in kept if each.specifier.startswith("==")]
        for overrides in ([], exact) if exact else ([],):
            try:
                return self._compile(kept, bounds=bounds, overrides=overrides) if kept else {}
            except Unsatisfiable:
                continue
        return None

    def _without_gpu(
        self, kept: Sequence[RequiredPackage], pins: dict[str, Pin], found: Resolution
    ) -> dict[str, Pin]:
        """Exchange GPU builds, for our own torch first: both kinds do not load together."""
        if pins.keys().isdisjoint(TORCH):
            return pins
        loose = [each for each in kept if not ACCELERATOR.match(each.name)]
        for other in self._builds_for_cpu(loose, pins):
            if _kinds(other) == {True}:
                return other
        if (with_ours := self._with_own_torch(loose, found)) is not None:
            return with_ours
        if _kinds(pins) == {True, False}:
            cpu = [pins[name] for name in TORCH if name in pins and _is_for_cpu(pins[name])]
            pins = self._together(kept, [f"{pin.name}!={pin.version}" for pin in cpu]) or pins
        named = {each.name for each in kept}
        return {n: pin for n, pin in pins.items() if n in named or not _UNLOADED.match(n)}

    def _with_own_torch(
        self, kept: Sequence[RequiredPackage], found: Resolution
    ) -> dict[str, Pin] | None:
        """Return pins with our own torch for builds of a lock for the CPU that no index has.

        What is left of such a lock, a build for a GPU without its libraries, does not load.
        """
        ours = {name: self._own[name] for name in self._locked_for_cpu if name in self._own}
        if not ours:
            return None
        lent = [RequiredPackage(name, f"=={version}") for name, version in ours.items()]
        others = self._together([each for each in kept if each.name not in ours])
        try:
            pins = self._compile(lent, deps=True) | (others or {})
        except Unsatisfiable:
            return None
        found.replaced += [f"{each.text} → {ours[each.name]}" for each in kept if each.name in ours]
        return pins

    def _numpy(self, pins: Mapping[str, Pin]) -> dict[str, Pin]:
        """Return NumPy for torch that comes without: the guest compares results by it."""
        if "torch" not in pins or "numpy" in pins:
            return {}
        is_old = Version(pins["torch"].version) < FIRST_WITH_NUMPY_2
        try:
            return self._compile([RequiredPackage("numpy", "<2" if is_old else "")])
        except Unsatisfiable:
            return {}

    def _builds_for_cpu(
        self, kept: Sequence[RequiredPackage], pins: Mapping[str, Pin]
    ) -> Iterator[dict[str, Pin]]:
        lent = [f"{name}=={self._own[name]}" for name in TORCH if name in self._own]
        if lent and (other := self._together(kept, lent)) is not None:
            yield other
        excluded = {name for name in pins if ACCELERATOR.match(name)}
        for _ in range(_MOST_ROUNDS):
            other = self._together(kept, [f"{name}<0" for name in sorted(excluded)])
            if other is None:
                return
            more = {name for name in other if ACCELERATOR.match(name)} - excluded
            if not more:
                yield other
                return
            excluded |= more

    def _pin(self, package: dict[str, Any]) -> Pin:
        """Return the pin of a package; ours where it is of that version."""
        pin = _pin(package)
        if self._own.get(pin.name) != pin.version:
            return pin
        return replace(pin, hashes=(), size=0, lent=True)

    def _without_first_conflict(
        self, kept: Sequence[RequiredPackage], found: Resolution
    ) -> list[RequiredPackage]:
        low, high = 0, len(kept)
        reason = ""
        while high - low > 1:
            middle = (low + high) // 2
            try:
                self._compile(kept[:middle])
                low = middle
            except Unsatisfiable as conflict:
                high, reason = middle, str(conflict)
        dropped = kept[high - 1]
        said = f"contradicts the others: {_short(reason)}" if reason else "contradicts the others"
        found.missing.append(SkippedRequirement(dropped.text, said, dropped.place))
        return [*kept[: high - 1], *kept[high:]]

    def _compile(
        self,
        wanted: Sequence[RequiredPackage],
        *options: str,
        deps: bool = False,
        bounds: Sequence[str] = (),
        overrides: Sequence[str] = (),
    ) -> dict[str, Pin]:
        """Pins of those wanted; what was asked before is known.  Raises ``Unsatisfiable``."""
        alone = () if deps or not self._complete else ("--no-deps",)
        question = (tuple(wanted), alone + options, tuple(bounds), tuple(overrides))
        if question not in self._answers:
            self._answers[question] = self._compiled(*question)
        answer = self._answers[question]
        if isinstance(answer, Unsatisfiable):
            raise answer
        return dict(answer)

    def _compiled(
        self,
        wanted: Sequence[RequiredPackage],
        options: Sequence[str],
        bounds: Sequence[str],
        overrides: Sequence[str],
    ) -> dict[str, Pin] | Unsatisfiable:
        more = {"--constraints": [*self._constraints, *bounds], "--overrides": overrides}
        lines = [each.text for each in wanted]
        try:
            document = self._uv.compile(lines, self._python, *options, bounds=more)
        except Unsatisfiable as reason:
            return reason
        pins = [self._pin(package) for package in tomllib.loads(document).get("packages", [])]
        return {pin.name: pin for pin in pins}


def _blames(reason: str, wanted: RequiredPackage) -> bool:
    name = re.escape(wanted.name)
    said = r"(has no (usable )?wheels|was not found)"
    return bool(
        re.search(rf"(?<![\w.-]){name}(\[[\w,-]+\])?([=<>!~]\S*)? {said}", reason)
        or re.search(rf"there (is|are) no versions? of {name}(?![\w-])", reason)
    )


def _on_a_processor(wanted: RequiredPackage) -> RequiredPackage:
    if wanted.name in TORCH and _FOR_A_GPU.search(wanted.specifier):
        # a local version names one build: the version is what the project asks for
        return replace(wanted, specifier=_FOR_A_GPU.sub("", wanted.specifier), hashes=())
    other = ON_A_PROCESSOR.get(wanted.name)
    return wanted if other is None else replace(wanted, name=other, hashes=())


def _kinds(pins: Mapping[str, Pin]) -> set[bool]:
    return {_is_for_cpu(pins[name]) for name in TORCH if name in pins}


def _is_for_cpu(pin: Pin) -> bool:
    return pin.lent or (Version(pin.version).local or "").startswith("cpu")


def _pin(package: dict[str, Any]) -> Pin:
    wheels: list[dict[str, Any]] = package.get("wheels", [])
    hashes = [f"{kind}:{value}" for w in wheels for kind, value in w.get("hashes", {}).items()]
    size = max((int(wheel.get("size", 0)) for wheel in wheels), default=0)
    name = canonicalize_name(str(package["name"]))
    return Pin(name, str(package["version"]), tuple(sorted(hashes)), size)


def _fit(found: Resolution, largest: int, most: int) -> None:
    allowed = f"[environments] largest allows {largest >> 20} MiB"
    for pin in list(found.pins.values()):
        if pin.size > largest:
            found.drop(pin.name, f"its wheel has {pin.size >> 20} MiB; {allowed}")
    lost = [each for each in found.missing if ACCELERATOR.match(each.requirement)]
    if lost and "torch" in found.pins:
        found.drop("torch", f"needs {lost[0]}")
    _without_orphans(found)
    while sum(pin.size for pin in found.pins.values()) > most:
        worst = max(found.pins.values(), key=lambda pin: pin.size)
        reason = f"the environment would be too large ({worst.size >> 20} MiB of it)"
        found.drop(worst.name, f"{reason}; [environments] size allows {most >> 20} MiB of wheels")
        _without_orphans(found)


def _without_orphans(found: Resolution) -> None:
    if any(missing.requirement.startswith("torch==") for missing in found.missing):
        for name in [name for name in found.pins if ACCELERATOR.match(name)]:
            found.pins.pop(name)


def _short(reason: str) -> str:
    """Uv's explanation without its conclusion; not one that begins a list."""
    if reason.rstrip().endswith(":"):
        return "no versions of all go together"
    return re.sub(r"^Because |,? (?:and you require|we can conclude).*$", "", reason)
