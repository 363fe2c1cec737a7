"""Search for mutants: the choice of seeds and rules, and their runs (LEMON, section 3.2)."""
