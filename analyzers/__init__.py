"""Definitions of defects and the search for them: no network, no subprocess, no database."""
