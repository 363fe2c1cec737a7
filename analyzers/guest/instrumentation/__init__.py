"""Instrumentation of the code under test: numbered decisions, goals, recording."""
