"""Checks that read the text of changed functions: no environment, no run."""

from analyzers.source_checks.changed_source import AskedAnswers, read_changes
from analyzers.source_checks.readers import READERS

__all__ = ["READERS", "AskedAnswers", "read_changes"]
