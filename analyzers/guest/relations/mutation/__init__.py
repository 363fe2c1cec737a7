"""TODO: analyzers/guest/relations/mutation."""
