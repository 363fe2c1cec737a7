"""TODO: worker/engines."""
