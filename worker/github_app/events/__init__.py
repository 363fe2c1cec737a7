"""TODO: worker/github_app/events."""
