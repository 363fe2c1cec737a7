"""Abstract interpretation of a project's code: sizes and shapes instead of numbers and arrays.

Nothing is executed.  What is not understood is :data:`values.UNKNOWN`, and
whatever depends on it is unknown too.
"""
