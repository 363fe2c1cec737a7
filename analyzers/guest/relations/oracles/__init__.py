"""Oracles: what the value of a library call is compared with."""
