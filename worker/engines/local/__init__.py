"""TODO: worker/engines/local."""
