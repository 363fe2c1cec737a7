"""Changing a source text: a few characters of it, in the author's manner."""
