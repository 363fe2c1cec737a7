"""TODO: worker/engines/providers."""
