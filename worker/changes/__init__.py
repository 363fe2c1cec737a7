"""TODO: worker/changes."""
