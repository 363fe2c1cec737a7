"""Functions that use a deep-learning framework, or carry annotations.

A detector beside the one that follows the answers of ML cloud APIs: nothing
flows here.  What counts is which framework names a function uses, itself or
through what it calls in the project.
"""
