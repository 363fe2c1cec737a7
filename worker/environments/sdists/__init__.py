"""TODO: worker/environments/sdists."""
