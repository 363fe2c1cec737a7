"""Drivers: short programs of a project that use it, and variations of them."""
