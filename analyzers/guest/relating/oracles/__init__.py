"""What a library call should agree with, one oracle a module."""

from .judging import CHEAP, ORACLES, due, judged

__all__ = ["CHEAP", "ORACLES", "due", "judged"]
