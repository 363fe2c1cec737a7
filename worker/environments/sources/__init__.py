"""Source distributions: found outside, built in the sandbox, checked outside again."""

from worker.environments.sources.making import Sources
from worker.environments.sources.nouns import NotBuilt, Sourced, Wheel

__all__ = ["NotBuilt", "Sourced", "Sources", "Wheel"]
