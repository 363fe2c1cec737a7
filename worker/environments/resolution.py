"""From a declaration to pinned wheels; what has none is named, not fatal."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from worker.environments.declarations import Declaration, LeftOut, Wanted
from worker.environments.pins import Pin, Resolution
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
_ACCELERATOR = re.compile(r"(nvidia|cuda)-|(pytorch-)?triton\Z")


_Question: TypeAlias = tuple[tuple[Wanted, ...], tuple[str, ...], tuple[str, ...]]


class Resolver:
    """Resolves a declaration for one interpreter; wheels only.

    ``unbuilt`` says by name why a package was not built, ``sources`` why none
    is.
    """

    def __init__(
        self, uv: Uv, python: Path, declaration: Declaration, sources: str = "only as source"
    ) -> None:
        self.unbuilt: dict[str, str] = {}
        self._answers: dict[_Question, dict[str, Pin] | Unsatisfiable] = {}
        self._sources = sources
        self._uv = uv
        self._python = python
        self._complete = declaration.complete
        self._bounds = declaration.constraints
        self._constraints = [wanted.text for wanted in declaration.constraints]
        self._wanted = [_on_a_processor(wanted) for wanted in declaration.wanted]

    def resolve(self, largest: int, most: int) -> Resolution:
        """Pin what can be had; wheels above ``largest`` or ``most`` bytes together stay out.

        Raises ``Unreachable``.
        """
        found = Resolution()
        self._answers.clear()
        kept = self._satisfiable(self._wanted, found)
        while not (self._pinned(kept, found) or self._pinned_as_told(kept, found)):
            kept = self._without_first_conflict(kept, found)
        self._keep_hashes(found)
        _fit(found, largest, most)
        return found

    def _satisfiable(self, wanted: Sequence[Wanted], found: Resolution) -> list[Wanted]:
        """Those that can be met each by itself.

        Where the whole cannot, what uv blames is looked at alone, else halves.
        """
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

    def _is_satisfiable(self, wanted: Sequence[Wanted]) -> bool:
        try:
            self._compile(wanted)
        except Unsatisfiable:
            return False
        return True

    def _nearest(self, wanted: Wanted, reason: str, found: Resolution) -> list[Wanted]:
        """The oldest version above a pinned one that has a wheel, or nothing."""
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
        found.missing.append(LeftOut(wanted.text, said, wanted.place))
        return []

    def _source(self, wanted: Wanted, reason: str, found: Resolution) -> str:
        """The package that uv blames for having no wheel but a source, or nothing."""
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

    def _pinned(self, kept: Sequence[Wanted], found: Resolution) -> bool:
        """Pin all of them together, if that can be."""
        if not kept:
            return True
        try:
            found.pins |= self._compile(kept)
        except Unsatisfiable:
            return False
        return True

    def _pinned_as_told(self, kept: Sequence[Wanted], found: Resolution) -> bool:
        """Pin them where exact versions count more than what packages say of each other.

        That is what a frozen list of packages means; pip let such lists come about.
        """
        exact = [each.text for each in kept if each.specifier.startswith("==")]
        if not exact:
            return False
        try:
            found.pins |= self._compile(kept, overrides=exact)
        except Unsatisfiable:
            return False
        return True

    def _without_first_conflict(self, kept: Sequence[Wanted], found: Resolution) -> list[Wanted]:
        """All but the first that contradicts those before it."""
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
        found.missing.append(LeftOut(dropped.text, said, dropped.place))
        return [*kept[: high - 1], *kept[high:]]

    def _compile(
        self,
        wanted: Sequence[Wanted],
        *options: str,
        deps: bool = False,
        overrides: Sequence[str] = (),
    ) -> dict[str, Pin]:
        """Pins of those wanted; what was asked before is known.  Raises ``Unsatisfiable``."""
        alone = () if deps or not self._complete else ("--no-deps",)
        question = (tuple(wanted), alone + options, tuple(overrides))
        if question not in self._answers:
            self._answers[question] = self._compiled(*question)
        answer = self._answers[question]
        if isinstance(answer, Unsatisfiable):
            raise answer
        return dict(answer)

    def _compiled(
        self, wanted: Sequence[Wanted], options: Sequence[str], overrides: Sequence[str]
    ) -> dict[str, Pin] | Unsatisfiable:
        bounds = {"--constraints": self._constraints, "--overrides": overrides}
        lines = [each.text for each in wanted]
        try:
            document = self._uv.compile(lines, self._python, *options, bounds=bounds)
        except Unsatisfiable as reason:
            return reason
        pins = [_pin(package) for package in tomllib.loads(document).get("packages", [])]
        return {pin.name: pin for pin in pins}

    def _keep_hashes(self, found: Resolution) -> None:
        """What a declaration gives as hashes is what a wheel must have."""
        for wanted in self._wanted:
            pin = found.pins.get(wanted.name)
            if pin is not None and wanted.hashes and wanted.specifier == f"=={pin.version}":
                found.pins[pin.name] = replace(pin, hashes=wanted.hashes)


def _blames(reason: str, wanted: Wanted) -> bool:
    """Whether uv says of a package that there is none, or no wheel."""
    name = re.escape(wanted.name)
    said = r"(has no (usable )?wheels|was not found)"
    return bool(
        re.search(rf"(?<![\w.-]){name}(\[[\w,-]+\])?([=<>!~]\S*)? {said}", reason)
        or re.search(rf"there (is|are) no versions? of {name}(?![\w-])", reason)
    )


def _on_a_processor(wanted: Wanted) -> Wanted:
    other = ON_A_PROCESSOR.get(wanted.name)
    return wanted if other is None else replace(wanted, name=other, hashes=())


def _pin(package: dict[str, Any]) -> Pin:
    wheels: list[dict[str, Any]] = package.get("wheels", [])
    hashes = [f"{kind}:{value}" for w in wheels for kind, value in w.get("hashes", {}).items()]
    size = max((int(wheel.get("size", 0)) for wheel in wheels), default=0)
    name = canonicalize_name(str(package["name"]))
    return Pin(name, str(package["version"]), tuple(sorted(hashes)), size)


def _fit(found: Resolution, largest: int, most: int) -> None:
    """Drop wheels that are too large, and the libraries for GPUs that only they need."""
    for pin in list(found.pins.values()):
        if pin.size > largest:
            found.drop(pin.name, f"its wheel has {pin.size >> 20} MiB")
    if any(missing.requirement.startswith("torch==") for missing in found.missing):
        for name in [name for name in found.pins if _ACCELERATOR.match(name)]:
            found.pins.pop(name)
    while sum(pin.size for pin in found.pins.values()) > most:
        worst = max(found.pins.values(), key=lambda pin: pin.size)
        found.drop(worst.name, f"the environment would be too large ({worst.size >> 20} MiB)")


def _short(reason: str) -> str:
    """Uv's explanation without its conclusion; not one that begins a list."""
    if reason.rstrip().endswith(":"):
        return "no versions of all go together"
    return re.sub(r"^Because |,? (?:and you require|we can conclude).*$", "", reason)
