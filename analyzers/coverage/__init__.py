"""The answer to whether a target was tested, and to whether a change passes."""

from analyzers.coverage.conclusion import conclude
from analyzers.coverage.main_branches import asks_libraries, assess, main_branches

__all__ = ["asks_libraries", "assess", "conclude", "main_branches"]
