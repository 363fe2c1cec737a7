"""TODO: analyzers/guest/search."""
