"""TODO: analyzers/guest/runtime."""
