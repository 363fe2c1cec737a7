"""TODO: analyzers/guest/relations/oracles."""
