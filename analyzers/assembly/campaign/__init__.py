"""TODO: analyzers/assembly/campaign."""
