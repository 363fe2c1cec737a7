"""What a resolution comes to."""

from __future__ import annotations

from dataclasses import dataclass, field

from worker.environments.declarations import LeftOut
from worker.environments.sources.nouns import Sourced


@dataclass(frozen=True, slots=True)
class Pin:
    """One wheel to install: ``size`` in bytes, 0 where the index does not say.

    ``lent``: it is the package of our own interpreter.
    """

    name: str
    version: str
    hashes: tuple[str, ...] = ()
    size: int = 0
    lent: bool = False

    @property
    def line(self) -> str:
        """For the installer."""
        hashes = [f"--hash={value}" for value in self.hashes]
        # "==" would take another build of the version, too
        return " ".join([f"{self.name}==={self.version}", *hashes])


@dataclass(slots=True)
class Resolution:
    """The wheels, what is missing, what stands in another version.

    ``sourced`` are packages without which something is missing or exchanged,
    and which exist only as source; ``built`` are those that were built.
    """

    pins: dict[str, Pin] = field(default_factory=dict[str, Pin])
    missing: list[LeftOut] = field(default_factory=list[LeftOut])
    replaced: list[str] = field(default_factory=list[str])
    sourced: dict[str, Sourced] = field(default_factory=dict[str, Sourced])
    built: list[str] = field(default_factory=list[str])

    def drop(self, name: str, reason: str) -> None:
        """Leave a wheel out."""
        pin = self.pins.pop(name)
        self.missing.append(LeftOut(f"{name}=={pin.version}", reason))

    def source(self, name: str, specifier: str, hashes: tuple[str, ...]) -> None:
        """Remember that a package has no wheel in the versions of a specifier."""
        known = self.sourced.get(name, Sourced(name))
        specifiers = ",".join(filter(None, dict.fromkeys((known.specifier, specifier))))
        self.sourced[name] = Sourced(name, specifiers, known.hashes or hashes)
