"""JAX: the functions of its numpy, nn and lax, valid calls of them, and its arrays as text."""
