"""Contracts of functions, and the results of testing them on valid inputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from analyzers.vocabulary.probes import Argument, Probe
from analyzers.vocabulary.runs import Run


@dataclass(frozen=True, slots=True)
class Contract:
    """The valid arguments of a function and its postconditions (aNNoTest, section 3.1).

    ``arguments`` are constraints in the words of aN
    (``analyzers/guest/annotations``) by parameter; one that is absent keeps its
    default.  ``requires`` are Python conditions over the arguments, ``ensures``
    over ``result`` too.  ``constructor`` makes the instance that a method is
    called on; ``examples`` are the sources of its ``@cc_example`` lists, which
    stand before its constraints.

    ``defaults`` are literals by parameter, ``calls`` constraints that held together in calls
    of the project: each input begins with one or the other, and at most two arguments leave it.
    """

    arguments: Mapping[str, str] = field(default_factory=dict[str, str])
    requires: tuple[str, ...] = ()
    ensures: tuple[str, ...] = ()
    constructor: Contract | None = None
    examples: tuple[str, ...] = ()
    defaults: Mapping[str, str] = field(default_factory=dict[str, str])
    calls: tuple[Mapping[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ExplorationRequest:
    """The extent of an exploration.

    ``generators`` are the contracts of the file's ``@generator`` functions by
    name.  ``first`` are arguments to try before any are drawn (those that
    failed before).  ``timeout`` is the limit of one input, in seconds.
    """

    contract: Contract
    generators: Mapping[str, Contract] = field(default_factory=dict[str, Contract])
    first: tuple[Mapping[str, Argument], ...] = ()
    examples: int = 300
    seconds: float = 10.0
    timeout: float = 5.0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Failure:
    """A smallest valid input under which a function fails, with its run.

    ``matters`` are the arguments without which it would not (Hypothesis's
    explain phase): with any others it fails all the same.  ``seen`` of the
    inputs drawn failed like this.
    """

    probe: Probe
    run: Run
    matters: tuple[str, ...] = ()
    seen: int = 1


@dataclass(frozen=True, slots=True)
class ExplorationResult:
    """The result of drawing valid inputs.

    ``executions`` inputs were run, ``passed`` of them returned, ``refused``
    were turned down by the code itself; ``rejected`` were drawn in vain, since
    a precondition did not hold.  ``passing`` are some inputs under which the
    function returned, ``failing`` some of those that it failed with or refused, as
    they were drawn.  ``unmet`` says which annotation no value meets;
    ``obstacle`` why the function could not be called at all.  ``notes`` are for
    the report (the health of filtering).
    """

    executions: int = 0
    passed: int = 0
    refused: int = 0
    rejected: int = 0
    timed_out: int = 0
    seconds: float = 0.0
    failures: tuple[Failure, ...] = ()
    passing: tuple[Probe, ...] = ()
    failing: tuple[Probe, ...] = ()
    unmet: tuple[str, str] | None = None
    obstacle: str | None = None
    notes: tuple[str, ...] = ()
