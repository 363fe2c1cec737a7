"""Inference of what a function takes, where nobody says it (aNNoTest, Table 1, as an algorithm)."""
