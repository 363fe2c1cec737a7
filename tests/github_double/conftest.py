"""The fixture, for the double's own tests."""

from tests.github_double.fixture import github

__all__ = ["github"]
