"""Inputs of the code under test: recipes, project files, observed calls, generated values."""
