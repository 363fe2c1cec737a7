"""TODO: analyzers/assembly/operators."""
