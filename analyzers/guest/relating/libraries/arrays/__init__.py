"""What libraries of array functions have in common: NumPy, JAX's numpy, Keras' ops."""
