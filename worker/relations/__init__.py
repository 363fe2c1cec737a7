"""Studying an installed library in the sandbox: its relation table, and where it disagrees."""

from worker.relations.building import Built, build, kept
from worker.relations.fuzzing import fuzz, parameters_of, relation_rows
from worker.relations.installed import LIBRARIES, Installed, installed
from worker.relations.nouns import Event, Heard, Order, Studied
from worker.relations.reproducing import reproducer
from worker.relations.shelf import Shelf, use_built
from worker.relations.studying import Site

__all__ = [
    "LIBRARIES",
    "Built",
    "Event",
    "Heard",
    "Installed",
    "Order",
    "Shelf",
    "Site",
    "Studied",
    "build",
    "fuzz",
    "installed",
    "kept",
    "parameters_of",
    "relation_rows",
    "reproducer",
    "use_built",
]
