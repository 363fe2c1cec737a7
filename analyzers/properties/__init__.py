"""Crashes functions with valid inputs, and with no others: the method of aNNoTest."""
