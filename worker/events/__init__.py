"""Kept deliveries become nouns, and nouns become runs and errands."""

from worker.events.hearing import hear
from worker.events.payloads import MalformedError

__all__ = ["MalformedError", "hear"]
