"""NumPy: its public functions and methods, valid calls of them, and its arrays as text."""
