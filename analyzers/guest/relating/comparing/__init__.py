"""Whether two results are the same one, as far as floating point can tell."""

from .nested import difference
from .tolerances import MISSING, Tolerance

__all__ = ["MISSING", "Tolerance", "difference"]
