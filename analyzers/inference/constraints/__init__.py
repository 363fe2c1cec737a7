"""Constraints with their source and confidence, merged into one contract."""
