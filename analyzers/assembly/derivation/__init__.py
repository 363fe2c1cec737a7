"""Derivation trees that grow variants of a model file, and single blocks run alone."""
