"""TODO: worker/environments/declarations."""
