"""The library calls of a target: which it makes, and which of its inputs make them fail."""
