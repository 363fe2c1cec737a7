"""Slash-commands in comments and buttons of check runs."""
