"""Was a target tested: which of its branches count, and what the runs say of them."""

from analyzers.coverage.assessment import assess
from analyzers.coverage.main_branches import asks_libraries, main_branches

__all__ = ["asks_libraries", "assess", "main_branches"]
