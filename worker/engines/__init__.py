"""Engines answer questions to ML APIs: the provider, this machine, or a record."""
