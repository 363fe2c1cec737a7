"""Models run by several executions of the same mathematics, and their mutants (LEMON)."""
