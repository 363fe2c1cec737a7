"""Wrong kernels, chosen beforehand, seeded into one execution at a time (README.md)."""
