"""TODO: analyzers/guest/relations/comparison."""
