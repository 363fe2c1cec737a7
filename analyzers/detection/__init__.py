"""Which functions a change makes worth testing, and for which conditions."""

from analyzers.detection.detector import DetectionResult, detect

__all__ = ["DetectionResult", "detect"]
