"""Running a model several ways, and what that says of the executions."""

from .comparable import incomparable
from .judge import judge
from .measures import D_MAD_THRESHOLD, Measure, measured
from .outcomes import Prepared, outcomes, quick

__all__ = [
    "D_MAD_THRESHOLD",
    "Measure",
    "Prepared",
    "incomparable",
    "judge",
    "measured",
    "outcomes",
    "quick",
]
