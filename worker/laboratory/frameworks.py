"""Find why code of a deep-learning framework cannot run: the framework is missing."""

from __future__ import annotations

from collections.abc import Sequence

from analyzers.detection.frameworks import FRAMEWORKS, root
from analyzers.vocabulary import Skipped, Target
from worker.environments import Environment

NAME = "environments"


def needed(target: Target) -> frozenset[str]:
    """Return the frameworks that a target is known to call."""
    return FRAMEWORKS & {root(api) for api in target.apis}


def lacking(
    target: Target, libraries: Sequence[str], environment: Environment | None
) -> Skipped | None:
    """Return why a target is not tested without these frameworks; ``None`` for none.

    It is our fault unless nobody declares them.
    """
    if not libraries:
        return None
    named, plural = " and ".join(libraries), len(libraries) > 1
    not_run = f"code that needs {'them' if plural else 'it'} does not run on stand-ins"
    if environment is None:
        return Skipped(NAME, target.id, f"{named} cannot be imported: {not_run}", our_fault=True)
    reasons = [why for each in libraries if (why := environment.why_absent(each))]
    where = f"{named} cannot be imported in {environment.name}"
    if reasons:
        return Skipped(NAME, target.id, f"{where}: {'; '.join(reasons)}. {not_run}", our_fault=True)
    remedy = environment.remedy or "install it there"
    return Skipped(NAME, target.id, f"{where}: {remedy}. {not_run}")
