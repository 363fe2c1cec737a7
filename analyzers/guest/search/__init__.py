"""Search for API responses and inputs that reach a goal."""
