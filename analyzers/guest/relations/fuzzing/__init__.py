"""TODO: analyzers/guest/relations/fuzzing."""
