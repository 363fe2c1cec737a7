"""The answer to whether a target was tested: its main branches and their runs."""

from analyzers.coverage.main_branches import asks_libraries, assess, main_branches

__all__ = ["asks_libraries", "assess", "main_branches"]
