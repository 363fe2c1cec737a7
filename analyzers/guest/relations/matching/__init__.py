"""TODO: analyzers/guest/relations/matching."""
