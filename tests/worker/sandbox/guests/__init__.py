"""Guests that behave as the test tells them; they run in the sandbox."""
