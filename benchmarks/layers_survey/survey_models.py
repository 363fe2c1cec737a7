"""What is found out of the constructor of a layer, before it is put together."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Bounds:
    """The ends of a legal range, each within it unless open, or all legal values.

    ``said_by`` and ``quote``: who says so, and the words.  ``firm`` is false for what
    follows from a noun alone (a number of channels is not negative).
    """

    low: float | None = None
    high: float | None = None
    open_low: bool = False
    open_high: bool = False
    choices: tuple[str, ...] = ()
    said_by: str = "documentation"
    quote: str = ""
    firm: bool = True

    def holds(self, value: float) -> bool:
        """Whether a number is legal."""
        if self.low is not None and (value <= self.low if self.open_low else value < self.low):
            return False
        if self.high is None:
            return True
        return value < self.high if self.open_high else value <= self.high

    @property
    def is_empty(self) -> bool:
        """No number is within: items of a tuple with ends of their own."""
        if self.low is None or self.high is None:
            return False
        return self.low > self.high or (self.low == self.high and (self.open_low or self.open_high))


@dataclass(frozen=True)
class Argument:
    """A parameter by its signature and documentation; ``default`` is a source or empty."""

    name: str
    kinds: tuple[str, ...]
    default: str = ""
    text: str = ""
    choices: tuple[str, ...] = ()
    length: int | None = None

    @property
    def numeric(self) -> str:
        """``int`` or ``float`` where numbers may be tried, else empty."""
        if "float" in self.kinds:
            return "float"
        return "int" if "int" in self.kinds else ""


@dataclass(frozen=True)
class Example:
    """A call that works: sources by parameter, and sources of what the layer is called with."""

    arguments: dict[str, str]
    inputs: tuple[str, ...]
    keeps_shape: bool = False


@dataclass(frozen=True)
class Subject:
    """A layer at work: its class, its arguments, what they must meet by its own code."""

    name: str
    container: bool
    describes: str
    arguments: tuple[Argument, ...]
    checks: dict[str, Bounds]
    requires: tuple[str, ...]
    example: Example | None = None

    def argument(self, name: str) -> Argument | None:
        """The parameter of this name."""
        return next((each for each in self.arguments if each.name == name), None)


@dataclass(frozen=True)
class Outcome:
    """What came of a layer with one argument changed.

    ``stage`` is where it was refused or died (``construction``, ``forward``, ``backward``),
    empty where it was taken; ``error`` the first line of what it raised.  ``signs`` are
    what can be seen to be wrong with what was taken, worst first.  ``digest`` is the same
    for two values that give the same outputs.
    """

    stage: str = ""
    error: str = ""
    signs: tuple[str, ...] = ()
    digest: str = ""

    def row(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "stage": self.stage,
            "error": self.error,
            "signs": list(self.signs),
            "digest": self.digest,
        }


@dataclass
class Tried:
    """Outcomes by parameter and source of its value."""

    outcomes: dict[str, dict[str, Outcome]] = field(default_factory=dict)
    pairs: dict[tuple[str, str], list[tuple[int, int, Outcome]]] = field(default_factory=dict)
