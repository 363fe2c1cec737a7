"""Outcomes of executions, and the oracles that compare them."""
