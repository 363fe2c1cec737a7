"""Calls of torch that are known to be valid, from its test data and its documentation."""
