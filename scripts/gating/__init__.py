"""What the gate is made of."""
