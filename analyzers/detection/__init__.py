"""Functions that a change makes worth testing, and the conditions to test them for."""

from analyzers.detection.detection_scope import DetectionResult
from analyzers.detection.detector import detect

__all__ = ["DetectionResult", "detect"]
