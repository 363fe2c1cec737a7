"""The expense desk."""
