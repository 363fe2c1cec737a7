"""TODO: analyzers/guest/models/judging."""
