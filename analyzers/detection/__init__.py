"""Functions that a change makes worth testing, and the conditions to test them for."""

from analyzers.detection.detector import DetectionResult, detect

__all__ = ["DetectionResult", "detect"]
