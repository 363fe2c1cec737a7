"""Variants of one file of a project, each run in its place (MoCo's assembled models)."""
