"""TODO: worker/sources."""
