"""PyTorch: its public callables, valid calls of them, and its tensors as text."""
