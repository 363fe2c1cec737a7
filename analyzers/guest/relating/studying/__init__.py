"""Studying an installed library: which of its APIs behave alike, and where they do not."""

from .tasks import study

__all__ = ["study"]
