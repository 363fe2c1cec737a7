"""Verification that an API behaves like another on the other's valid inputs (DeepREL, 4.3)."""
