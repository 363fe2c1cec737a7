"""TODO: analyzers/inference/constraints."""
