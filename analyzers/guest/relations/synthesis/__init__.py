"""TODO: analyzers/guest/relations/synthesis."""
