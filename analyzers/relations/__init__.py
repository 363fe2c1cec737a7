"""The calls of a deep-learning library beside those that they should agree with (DeepREL)."""
