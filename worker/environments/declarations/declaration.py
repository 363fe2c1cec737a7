"""The nouns of a declaration; nothing in them is text that we have not checked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from packaging.markers import Marker, UndefinedComparison, UndefinedEnvironmentName
from packaging.markers import default_environment as host_environment
from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

MOST_REQUIREMENTS = 2000
LONGEST = 500
HASH = re.compile(r"sha(256|384|512):[0-9a-f]{64,128}\Z")
_VERSION = re.compile(r"[\w.!+*-]+\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class RequiredPackage:
    """One package that is wanted, by its normalised name; ``place`` is ``file:line``."""

    name: str
    specifier: str = ""
    extras: tuple[str, ...] = ()
    hashes: tuple[str, ...] = ()
    place: str = field(default="", compare=False)

    @property
    def text(self) -> str:
        """The requirement, without hashes."""
        extras = f"[{','.join(self.extras)}]" if self.extras else ""
        return f"{self.name}{extras}{self.specifier}"

    @property
    def line(self) -> str:
        """The requirement as we write it for the installer."""
        return " ".join([self.text, *(f"--hash={value}" for value in self.hashes)])


@dataclass(frozen=True, slots=True)
class SkippedRequirement:
    """A requirement that is not installed, and why."""

    requirement: str
    reason: str
    place: str = ""

    @property
    def name(self) -> str:
        """The package, by its normalised name."""
        return canonicalize_name(re.split(r"[^\w.-]", self.requirement, maxsplit=1)[0])

    def __str__(self) -> str:
        """One phrase for the report."""
        where = f"{self.place}: " if self.place else ""
        return f"{self.requirement} ({where}{self.reason})"


@dataclass(frozen=True, slots=True)
class TargetPython:
    """The interpreter that a declaration is read for: markers are decided by it."""

    version: str

    @property
    def minor(self) -> str:
        """``"3.11"``."""
        return ".".join(self.version.split(".")[:2])

    def applies(self, marker: Marker | str | None) -> bool:
        """Return whether a marker certainly holds here; raise ``InvalidMarker``."""
        if not marker:
            return True
        parsed = Marker(marker) if isinstance(marker, str) else marker
        environment = host_environment()
        environment["python_version"] = self.minor
        environment["python_full_version"] = self.version
        environment["implementation_version"] = self.version
        try:
            return parsed.evaluate({**environment, "extra": ""})  # type: ignore[dict-item]
        except (UndefinedComparison, UndefinedEnvironmentName):
            return False


@dataclass(slots=True)
class Declaration:
    """The dependencies that a tree declares; ``complete``: a lock named every package.

    ``development`` are those that its tests and examples use besides.
    """

    files: list[str] = field(default_factory=list[str])
    wanted: list[RequiredPackage] = field(default_factory=list[RequiredPackage])
    left_out: list[SkippedRequirement] = field(default_factory=list[SkippedRequirement])
    constraints: list[RequiredPackage] = field(default_factory=list[RequiredPackage])
    notes: list[str] = field(default_factory=list[str])
    complete: bool = False
    development: list[RequiredPackage] = field(default_factory=list[RequiredPackage])
    _known: set[RequiredPackage | SkippedRequirement] = field(
        default_factory=set["RequiredPackage | SkippedRequirement"], repr=False
    )

    def add(self, wanted: RequiredPackage) -> None:
        """Take a requirement in, once, up to a limit."""
        if wanted in self._known:
            return
        if len(self.wanted) >= MOST_REQUIREMENTS:
            self.leave_out(wanted.text, f"more than {MOST_REQUIREMENTS} requirements", wanted.place)
        else:
            self.wanted.append(wanted)
            self._known.add(wanted)

    def leave_out(self, requirement: str, reason: str, place: str) -> None:
        """Name a requirement that is not installed."""
        if len(self.left_out) >= MOST_REQUIREMENTS:
            return
        left_out = SkippedRequirement(printable(requirement), reason, place)
        if left_out not in self._known:
            self.left_out.append(left_out)
            self._known.add(left_out)

    def note(self, note: str) -> None:
        """Say something once."""
        if note not in self.notes:
            self.notes.append(note)

    def lines(self) -> Iterator[str]:
        """Yield the normalised content: equal declarations have equal lines."""
        yield "complete" if self.complete else "loose"
        yield from sorted(wanted.line for wanted in self.wanted)
        yield from sorted(f"constraint {wanted.text}" for wanted in self.constraints)
        yield from sorted(f"development {wanted.text}" for wanted in self.development)


def read_requirement(
    declaration: Declaration,
    text: str,
    place: str,
    target: TargetPython,
    hashes: Sequence[str] = (),
) -> None:
    """Take one PEP 508 requirement into the declaration, or name why not."""
    wanted = checked(declaration, text, place, target)
    if wanted is not None:
        kept = tuple(sorted(value for value in set(hashes) if HASH.match(value)))
        declaration.add(
            RequiredPackage(wanted.name, wanted.specifier, wanted.extras, kept, place)
            if kept
            else wanted
        )


def checked(
    declaration: Declaration, text: str, place: str, target: TargetPython
) -> RequiredPackage | None:
    """Return a requirement that may be passed on; else note why, unless its marker excludes it."""
    if len(text) > LONGEST:
        declaration.leave_out(text, "too long", place)
        return None
    try:
        requirement = Requirement(text)
        applies = target.applies(requirement.marker)
    except (InvalidRequirement, RecursionError):
        declaration.leave_out(text, "cannot be read", place)
        return None
    if not applies:
        return None
    return _allowed(declaration, requirement, place)


def _allowed(
    declaration: Declaration, requirement: Requirement, place: str
) -> RequiredPackage | None:
    name = canonicalize_name(requirement.name)
    if requirement.url is not None:
        declaration.leave_out(name, f"comes from {kind_of(requirement.url)}", place)
        return None
    if any(specifier.operator == "===" for specifier in requirement.specifier):
        declaration.leave_out(name, "=== is not supported", place)
        return None
    extras = tuple(sorted(canonicalize_name(extra) for extra in requirement.extras))
    return RequiredPackage(name, str(requirement.specifier), extras, place=place)


def pinned(
    declaration: Declaration, package: Mapping[str, object], place: str, hashes: Sequence[str] = ()
) -> None:
    """Take a lock's ``name`` and ``version`` into the declaration."""
    name, version = str(package.get("name", "")), str(package.get("version", ""))
    text = f"{name}=={version}"
    if not _VERSION.match(version):
        declaration.leave_out(text, "its version cannot be read", place)
        return
    read_requirement(declaration, text, place, TargetPython("0"), hashes)


def specifiers(text: str) -> SpecifierSet | None:
    """A set of version specifiers, ``None`` where it is none."""
    try:
        return SpecifierSet(text)
    except ValueError:
        return None


def kind_of(url: str) -> str:
    """Return what sort of place a direct reference names, in words."""
    scheme = url.partition(":")[0].lower()
    if scheme.startswith(("git", "hg", "svn", "bzr")):
        return "version control, not the index"
    if scheme in {"http", "https", "ftp"}:
        return "a direct address, not the index"
    return "a local path, not the index"


def printable(text: str, most: int = 100) -> str:
    """Hostile text for a report: one line, no control characters, not long."""
    clean = "".join(character if character.isprintable() else "?" for character in text)
    return clean if len(clean) <= most else clean[: most - 1] + "…"
