"""Which functions a change makes worth testing, and for which conditions."""

from analyzers.detection.detecting import Detected, detect

__all__ = ["Detected", "detect"]
