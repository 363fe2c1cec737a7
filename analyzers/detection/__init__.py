"""Which functions a change makes worth testing, and for which conditions."""

from analyzers.detection.detected import Detected
from analyzers.detection.detecting import detect

__all__ = ["Detected", "detect"]
