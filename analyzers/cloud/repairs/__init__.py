"""Repairs: what could be changed in the code, and how it is written there."""
