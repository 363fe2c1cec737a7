"""A small process between the host and a guest; standard library alone.

It confines the guest before any tested code runs, outlives it, and leaves
none of its descendants behind.
"""
