"""TODO: worker/studies."""
