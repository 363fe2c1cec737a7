"""Software that uses ML cloud APIs (Keeper, ICSE 2022)."""
