"""TODO: worker/store."""
