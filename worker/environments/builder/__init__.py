"""Builder of source distributions in the sandbox.

It runs under the interpreter of the build's own environment, so it is Python
3.9 and imports nothing but the standard library.
"""
