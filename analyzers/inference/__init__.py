"""What a function takes, inferred where nobody says it (aNNoTest, Table 1, as an algorithm)."""
