"""Fuzzing of library APIs with mutated calls (DeepREL, section 4.4)."""
