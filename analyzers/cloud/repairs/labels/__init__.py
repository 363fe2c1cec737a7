"""Labels written beside those that stand in a condition."""
