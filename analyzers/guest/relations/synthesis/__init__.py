"""Templates: calls of one API with the arguments of another (DeepREL, section 4.2)."""
