"""The twelve mutation rules of LEMON (section 3.1) on torch modules."""
