"""Faults seeded into kernels of torch, and how many of them are found."""
