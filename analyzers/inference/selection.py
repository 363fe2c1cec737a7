"""Which targets are tested with valid inputs."""

from __future__ import annotations

from analyzers import catalogue
from analyzers.guest.annotations.reading import read
from analyzers.ports import Bench
from analyzers.vocabulary import Target


def concerns(target: Target, bench: Bench) -> bool:
    """Whether a target calls a framework or is annotated, and asks no ML cloud API.

    What asks one is tested with answers, by the analyzer for that.  Functions
    that are annotated as generators or excluded are left alone.
    """
    asked = catalogue.load().apis
    if any(api in asked for api in target.apis) or not target.path.endswith(".py"):
        return False
    said = read(bench.source(target.path)).functions.get(target.function)
    return said is None or not (said.exclude or said.generator)
