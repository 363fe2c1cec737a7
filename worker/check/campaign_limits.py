"""Default limits of a campaign."""

SECONDS = 120.0
"""Seconds of the whole campaign."""
NODES = 20_000
"""Assembled files."""
