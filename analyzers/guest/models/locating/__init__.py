"""TODO: analyzers/guest/models/locating."""
