"""TODO: analyzers/inference/constraint_sources."""
