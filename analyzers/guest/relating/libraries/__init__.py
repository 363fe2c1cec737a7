"""The libraries whose calls can be compared."""
