"""TODO: analyzers/assembly/derivation."""
