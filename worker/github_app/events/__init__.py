"""Handlers of GitHub's webhook events, one module for each kind."""
