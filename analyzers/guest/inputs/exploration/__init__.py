"""Draws valid inputs of a target, runs it on them, and makes what fails small."""
