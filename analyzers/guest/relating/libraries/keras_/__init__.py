"""Keras on torch: its ops and activations, valid calls of them, and its tensors as text."""
