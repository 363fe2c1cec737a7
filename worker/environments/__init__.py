"""TODO: worker/environments."""
