"""Sources of constraints on parameters: hints, defaults, docstrings, guards, callers, names."""
