"""Sources find or make inputs whose correct answer is known."""
