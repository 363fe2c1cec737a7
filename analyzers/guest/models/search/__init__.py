"""Which seed and which rule next, and what the search comes to (LEMON, section 3.2)."""
