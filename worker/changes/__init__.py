"""The two sides of a change, read from a git checkout and never executed."""
