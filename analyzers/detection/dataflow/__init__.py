"""Which answers of ML APIs reach which conditions of a function."""
