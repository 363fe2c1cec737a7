"""Pins for a declaration, with wheels built where a package exists only as source."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from worker.environments.pins import Resolution
from worker.environments.resolution import Resolver
from worker.environments.sources import NotBuilt, Sourced, Sources, Wheel

MOST_BUILT = 10


def with_built(
    resolve: Callable[[], Resolution], resolver: Resolver, sources: Sources, wheels: Path
) -> Resolution:
    """Resolve until nothing is left that can be built; ``wheels`` takes what is.

    Raises ``Unreachable``.
    """
    found = resolve()
    tried: dict[str, Wheel | None] = {}
    while pending := [each for name, each in found.sourced.items() if name not in tried]:
        for each in pending:
            tried[each.name] = _built(each, resolver, sources, wheels, len(tried))
        found = resolve()
    for wheel in tried.values():
        pin = found.pins.get(wheel.name) if wheel else None
        if wheel and pin and pin.version == wheel.version:
            found.pins[pin.name] = replace(pin, hashes=(wheel.hash,))
            found.built.append(f"{pin.name}=={pin.version}")
    return found


def _built(
    wanted: Sourced, resolver: Resolver, sources: Sources, wheels: Path, before: int
) -> Wheel | None:
    """Its wheel; where there is none the resolver is told why."""
    if before >= MOST_BUILT:
        resolver.unbuilt[wanted.name] = f"only as source; more than {MOST_BUILT} are not built"
        return None
    try:
        return sources.build(wanted, wheels)
    except NotBuilt as reason:
        resolver.unbuilt[wanted.name] = f"only as source; {reason}"
    return None
