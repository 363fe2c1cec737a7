"""The Python environment of the tested project: declared, installed, cached, lent."""
