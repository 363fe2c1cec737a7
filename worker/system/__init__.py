"""TODO: worker/system."""
