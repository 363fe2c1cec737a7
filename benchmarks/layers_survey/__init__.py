"""Survey of what the constructors of torch's layers take: it writes the shipped table.

Reads signatures, documentation, the layers' own checks and torch's own tests of wrong
arguments, and tries values (LEMON and MoCo read the documentation by hand or ask a model).
"""
