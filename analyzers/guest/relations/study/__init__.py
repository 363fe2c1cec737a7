"""TODO: analyzers/guest/relations/study."""
