"""What a library call should agree with, one oracle a module."""

from .judging import CHEAP, ORACLES, judged

__all__ = ["CHEAP", "ORACLES", "judged"]
