"""Whether an API behaves like another one on the valid inputs of the other (DeepREL, 4.3)."""
