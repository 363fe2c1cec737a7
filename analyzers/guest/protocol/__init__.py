"""TODO: analyzers/guest/protocol."""
