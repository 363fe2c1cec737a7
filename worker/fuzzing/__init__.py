"""Campaigns on model files, outside any pull request: ``assayer fuzz``."""

from worker.fuzzing.fuzzing import FuzzRequest, fuzz
from worker.fuzzing.spent import Spent

__all__ = ["FuzzRequest", "Spent", "fuzz"]
