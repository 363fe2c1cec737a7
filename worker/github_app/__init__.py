"""TODO: worker/github_app."""
