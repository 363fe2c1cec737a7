"""One model, several executions of its mathematics (LEMON, tied to a change)."""
