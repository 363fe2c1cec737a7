"""TODO: worker/check."""
