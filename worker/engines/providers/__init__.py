"""Engines that ask the providers' services."""
