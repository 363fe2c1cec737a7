"""Values that meet conditions over several arguments: built, and only then filtered.

A condition is taken apart (``conditions``) into what its parts say of one
argument's value, length, shape, … (``looks``).  What is known of the others
narrows an argument's constraint before it is drawn (``narrowing``, by
hull-consistency: Benhamou et al., "Revising hull and box consistency", 1999),
so that what is drawn meets the condition (``domains`` narrows constraints,
``numbers`` sets of numbers).  Pure: nothing here needs Hypothesis.
"""
