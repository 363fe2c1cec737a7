"""Adapters of the libraries whose calls are compared."""
