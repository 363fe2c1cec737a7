"""Mutations of library calls: their arrays and other arguments."""
