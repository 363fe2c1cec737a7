"""Migrations of earlier databases to this version."""
