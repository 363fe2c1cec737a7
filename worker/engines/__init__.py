"""Engines answer questions to ML APIs: the provider, this machine, or a record."""

from worker.engines.choice import Engines
from worker.engines.engine import FORK, Engine
from worker.engines.recordings import ANY_ENGINE, Recordings
from worker.engines.request import ApiRequest, NoAnswer, NotAsked, Outage, Rejected

__all__ = [
    "ANY_ENGINE",
    "FORK",
    "ApiRequest",
    "Engine",
    "Engines",
    "NoAnswer",
    "NotAsked",
    "Outage",
    "Recordings",
    "Rejected",
]
