"""Data that the worker ships, each with its licence beside it."""
